/**
 * The finished code of docs/tutorial.md, in a project that has installed the tarball: its tests pass, and it survives `kill -9`. Its model is
 * a recording, which knows the requests word by word. Who changes them on purpose has it made anew: UPDATE_GOLDEN=1 npx vitest run tests/docs/tutorial.test.ts
 */
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { markOf, root, snippetsOf } from './pages.ts'
import { makeProject, type Project } from './project.ts'

const NAME = '17-answer-from-a-folder'
let project: Project

beforeAll(() => {
  if (process.env.UPDATE_GOLDEN) record()
  project = makeProject()
  for (const name of [NAME, `${NAME}.ts`])
    cpSync(join(root, 'examples', name), join(project.folder, name), { recursive: true })
}, 300_000)
afterAll(() => project.remove())

function record(): void {
  const cwd = join(root, 'examples', NAME)
  rmSync(join(cwd, 'recorded.jsonl'), { force: true })
  execFileSync(process.execPath, ['record.ts'], {
    cwd,
    env: { ...process.env, MODEL: 'module:./scripted-model.ts' },
  })
  rmSync(join(cwd, 'orders.txt'))
}

it('its tests pass', async () => {
  const { code, output } = await project.run(process.execPath, ['--test'], { cwd: NAME })
  expect(output).toContain('pass 3')
  expect(code, output).toBe(0)
})

it('killed while a person thinks, it continues: one order, nothing paid twice', async () => {
  const { code, output } = await project.run(process.execPath, [`${NAME}.ts`])
  expect(code, output).toBe(0)
  for (const line of shownLines()) expect(output).toContain(line)
  // Five calls of the model, three of tools that the model made, and one that checks the result.
  expect(output).toContain('9 calls')
})

/** What the tutorial shows of a run, without what differs: its id, and the answer that a person types. */
function shownLines(): string[] {
  const shown = snippetsOf('docs/tutorial.md').find(({ language }) => language === 'text')?.text ?? ''
  return shown
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/\? yes$/, '?'))
}

it.each(['docs/tutorial.md', 'docs/zh/tutorial.md'])('%s shows every line of the code', (page) => {
  const parts = snippetsOf(page).filter((snippet) => markOf(snippet, 'part of') !== undefined)
  for (const file of ['assistant.ts', 'ask.ts', 'record.ts', 'test-assistant.ts', 'stock.json']) {
    const path = `examples/${NAME}/${file}`
    const shown = parts
      .filter((part) => markOf(part, 'part of') === path)
      .flatMap(({ text }) => text.split('\n'))
    const [, code = ''] =
      /^(?:\/\*\*[\s\S]*?\*\/\n)?([\s\S]*)/.exec(readFileSync(join(root, path), 'utf8')) ?? []
    expect(
      code.split('\n').filter((line) => !shown.includes(line)),
      file,
    ).toEqual([])
  }
})
