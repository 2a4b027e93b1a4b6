import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { replaceFile } from './private-files.ts'

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-file-view-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('replaceFile makes the folders that a file needs, and replaces what was there', () => {
  const folder = makeFolder()
  const path = join(folder, 'a/b/file.txt')
  replaceFile(path, 'old')
  replaceFile(path, 'new')
  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(readdirSync(join(folder, 'a/b'))).toEqual(['file.txt'])
})

it('replaceFile leaves nothing behind where it fails', () => {
  const folder = makeFolder()
  mkdirSync(join(folder, 'file.txt/in-the-way'), { recursive: true })
  expect(() => replaceFile(join(folder, 'file.txt'), 'text')).toThrow()
  expect(readdirSync(folder)).toEqual(['file.txt'])
})
