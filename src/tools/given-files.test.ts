import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { goalWithFiles, placeFiles } from './given-files.ts'

function workspace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-given-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('puts files into the workspace, byte by byte; the same file has the same name', async () => {
  const folder = workspace()
  const content = Uint8Array.from([0, 255, 10])
  const [name = ''] = await placeFiles([{ name: 'a.bin', content }], folder)
  expect(name).toMatch(/^inputs\/[0-9a-f]{8}\/a\.bin$/)
  expect(new Uint8Array(readFileSync(join(folder, name)))).toEqual(content)
  expect(await placeFiles([{ name: 'a.bin', content }], folder)).toEqual([name])
})

it('never changes a file that is there, also not one that a run has made of it', async () => {
  const folder = workspace()
  const given = [{ name: 'a.txt', content: Buffer.from('given') }]
  const [name = ''] = await placeFiles(given, folder)
  writeFileSync(join(folder, name), 'changed by a run')
  const [again = ''] = await placeFiles(given, folder)
  expect(again).not.toBe(name)
  expect(readFileSync(join(folder, name), 'utf8')).toBe('changed by a run')
  expect(readFileSync(join(folder, again), 'utf8')).toBe('given')
  await expect(placeFiles([{ name: '../../../out.txt', content: Buffer.from('') }], folder)).rejects.toThrow(
    'outside',
  )
})

it.each([
  'package.json',
  'AGENTS.md',
  '.envrc',
  '.npmrc',
  'PACKAGE.JSON',
  'x.code-workspace',
  '.vscode/tasks.json',
])('refuses a name that other programs trust, and then places none of the files: %s', async (name) => {
  const folder = workspace()
  const content = Buffer.from('{}')
  const refused = placeFiles(
    [
      { name: 'a.txt', content },
      { name, content },
    ],
    folder,
  )
  await expect(refused).rejects.toMatchObject({ code: 'BAD_INPUT', data: { file: name } })
  await expect(refused).rejects.toThrow('give it another name')
  expect(readdirSync(folder)).toEqual([])
})

it('names them in the goal, in its language; in four parts, in the intent', () => {
  expect(goalWithFiles('Sum up', [])).toBe('Sum up')
  expect(goalWithFiles('Sum up\n', ['a.csv'])).toBe(
    'Sum up\n\nFiles that come with this goal, in the workspace:\n- a.csv',
  )
  const parts = { intent: '求和', deliverable: '', metric: '', constraint: '' }
  expect(goalWithFiles(parts, ['a.csv'])).toEqual({
    ...parts,
    intent: '求和\n\n随此目标提供的文件（在工作区中）：\n- a.csv',
  })
})
