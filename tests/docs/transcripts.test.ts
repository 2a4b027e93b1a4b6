/** What pages show as printed: the problems of files are those that such files have, an audit is one that a run gives. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { createEngine } from '../../src/index.ts'
import { parseBlueprint } from '../../src/tools/blueprints/parse-blueprint.ts'
import { parseExecutors } from '../../src/tools/executors/parse-executors.ts'
import { auditBlocks, auditLines, plainText } from '../../src/views.ts'
import { root, snippetsOf } from './pages.ts'

it('docs/executors.md', async () => {
  const misspelled = `executors:
  - id: lint
    description: Checks the style of a file

    comand: eslint {{file}}
  - id: count
    description: Counts lines
    inputs: { file: string }
    command: wc -l {{fil}}
    timeout: soon
`
  const spelled = misspelled.replace('comand: eslint {{file}}', 'command: eslint .').replace('soon', '5m')
  const file = '.thinkon/executors/executors.yaml'
  const problems = [
    await problemsOf(parseExecutors(misspelled, file)),
    await problemsOf(parseExecutors(spelled, file)),
  ]
  expect(shownIn('docs/executors.md')).toEqual(problems)
})

it('docs/blueprints.md', async () => {
  const [example] = snippetsOf('docs/blueprints.md').filter(({ language }) => language === 'yaml')
  const misspelled = (example?.text ?? '').replace('is {{since}}.', 'is {{sinc}}.')
  const problems = await problemsOf(parseBlueprint(misspelled, '.thinkon/blueprints/changelog.yaml'))
  expect(shownIn('docs/blueprints.md')).toEqual([problems])
})

it('docs/configuration.md', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-'))
  const config =
    '{\n  "strategy": "fractal",\n    "modle": "openai:gpt-5",\n  "budget": {\n    "calls": "many"\n  }\n}\n'
  writeFileSync(join(folder, 'thinkon.config.json'), config)
  const problems = await problemsOf(loadConfig(folder))
  rmSync(folder, { recursive: true })
  expect(shownIn('docs/configuration.md')).toContain(problems)
})

it('docs/fractal.md: the audit', async () => {
  const engine = createEngine()
  const run = await engine.start('(3+4)*2', { strategy: 'fractal' })
  await run.outcome
  const [block] = auditBlocks(await engine.events(run.id))
  const lines = block ? auditLines(block, { lang: 'en', width: null, full: false }) : []
  const printed = plainText(lines).split('\n').map(withoutFigures)
  await engine.close()
  const [shown = ''] = shownIn('docs/fractal.md')
  for (const line of shown.split('\n').filter((line) => line !== '│    …'))
    expect(printed).toContain(withoutFigures(line))
})

it.each([
  ['README.md', 'en'],
  ['README.zh-CN.md', 'zh'],
])('%s: the demonstration', async (page, lang) => {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-'))
  const args = [join(root, 'bin/thinkon.js'), 'demo', '--quiet', '--lang', lang, '--workspace', folder]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  rmSync(folder, { recursive: true })
  const printed = stdout.split('\n')
  const [shown = ''] = shownIn(page)
  expect(shown.match(/[✗✓]/g)).toEqual(['✗', '✓', '✗', '✓'])
  for (const line of shown.split('\n')) expect(printed).toContain(line)
})

/** Times and sizes, which depend on the day and on the tools. */
function withoutFigures(line: string): string {
  return line
    .replace(/\d\d:\d\d:\d\d\.\d{3}/, 'time')
    .replace(/[\d.,]+k? (tokens|characters)/, '$1')
    .replace(/\d+ more lines/, 'more lines')
}

/** Texts in fences without a language. */
function shownIn(page: string): string[] {
  return snippetsOf(page)
    .filter(({ language }) => language === '')
    .map(({ text }) => text.trim())
}

async function problemsOf(reading: Promise<unknown>): Promise<string> {
  return reading.then(
    () => 'none',
    (error: Error) => error.message,
  )
}
