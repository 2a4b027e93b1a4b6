/** Every snippet of the docs is what it claims to be: code compiles and runs, commands exist, configurations can be read. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { loadConfig } from '../../src/config/load-config.ts'
import { STRATEGIES } from '../../src/strategies/registry.ts'
import { parseBlueprint } from '../../src/tools/blueprints/parse-blueprint.ts'
import { parseExecutors } from '../../src/tools/executors/parse-executors.ts'
import { literally, markOf, PAGES, placeOf, root, type Snippet, snippetsOf } from './pages.ts'
import { makeProject, type Project } from './project.ts'
import { playProviders, providersEnv } from './providers.ts'
import { isCode, type Unit, unitsOf } from './units.ts'

const MOST_NOT_RUN = 10
const MOST_TYPES_ONLY = 15
/** Shown as they are: pictures, and what a command prints. */
const NO_CODE = ['', 'text', 'mermaid', 'diff', 'html', 'md']

const snippets = PAGES.flatMap((page) => snippetsOf(page))
const units = unitsOf(snippets)
const data = snippets.filter(({ language }) => ['json', 'jsonl', 'yaml'].includes(language))

let project: Project
let compiled: Map<string, string[]>
let ended: Record<string, { output: string; error?: string }>

beforeAll(async () => {
  project = makeProject()
  for (const { folder, files } of units) project.write(folder, files)
  compiled = await compile()
  ended = await runAll()
}, 300_000)
afterAll(() => project.remove())

async function compile(): Promise<Map<string, string[]>> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { output } = await project.run(process.execPath, [tsc, '-p', '.'])
  const problems = new Map<string, string[]>()
  const found = output.matchAll(
    /^(pages\/[^/]+)?\/?([^(\n]*)\((\d+),\d+\): (error [\s\S]*?)(?=^\S|$(?![\s\S]))/gm,
  )
  for (const [, folder = '', file = '', line = '', message = ''] of found) {
    const unit = units.find((one) => one.folder === folder)
    const at = file === unit?.main ? unit.lines[Number(line) - 1] : undefined
    const place = at ? `line ${at} of the page` : `${file}:${line} (added)`
    const list = problems.get(unit?.name ?? '') ?? []
    problems.set(unit?.name ?? '', [...list, `${place}: ${message.trim()}`])
  }
  return problems
}

async function runAll(): Promise<typeof ended> {
  const list = join(project.folder, 'units.json')
  const results = join(project.folder, 'results.json')
  writeFileSync(list, JSON.stringify(units.filter(({ isRun }) => isRun)))
  writeFileSync(results, '{}')
  const provider = await playProviders()
  const env = { ...providersEnv(provider, 'openai: anthropic:'), TOKEN: 'a-token-of-the-docs' }
  const { output } = await project.run(process.execPath, ['run-units.ts', list, results], { env })
  await provider.close()
  if (output !== '') console.log(output)
  return JSON.parse(readFileSync(results, 'utf8'))
}

describe('code', () => {
  it('has nothing that is not found in the pages', () => {
    expect(compiled.get('')).toBeUndefined()
  })

  it.each(units.map((unit) => [unit.name, unit] as const))('%s compiles', (name) => {
    expect(compiled.get(name) ?? []).toEqual([])
  })

  const run = units.filter(({ isRun }) => isRun)
  it.each(run.map((unit) => [unit.name, unit] as const))('%s runs', (name, unit) => {
    expect(ended[name], 'the process ended before it or in it').toBeDefined()
    expect(ended[name]?.error, ended[name]?.output).toBeUndefined()
    expectPrinted(unit, ended[name]?.output ?? '')
  })

  const parts = snippets.filter((snippet) => markOf(snippet, 'part of') !== undefined)
  it.each(parts.map((part) => [placeOf(part), part] as const))('%s is a part of what it names', (_, part) => {
    const file = readFileSync(join(root, markOf(part, 'part of') ?? ''), 'utf8')
    expect(file).toContain(part.text.trimEnd())
  })
})

function expectPrinted({ prints }: Unit, output: string) {
  for (const expected of prints) {
    const pattern = expected.trimEnd().split('…').map(literally).join('[\\s\\S]*?')
    expect(output).toMatch(new RegExp(`(^|\\n)${pattern}(\\n|$)`))
  }
}

describe('data', () => {
  it.each(data.map((snippet) => [placeOf(snippet), snippet] as const))('%s can be read', (_, snippet) =>
    readData(snippet),
  )

  const configs = snippets.filter((one) => isCode(one) && /thinkon\.config/.test(markOf(one, 'file') ?? ''))
  it.each(configs.map((one) => [placeOf(one), one] as const))('%s is a configuration', async (_, one) => {
    const unit = units.find(({ name }) => name === placeOf(one))
    await loadConfig(join(project.folder, unit?.folder ?? ''), { strategies: [...STRATEGIES.keys()] })
  })
})

async function readData(snippet: Snippet): Promise<void> {
  const { language, text } = snippet
  const file = markOf(snippet, 'file') ?? ''
  if (/blueprints\/.*\.yaml$/.test(file)) return void (await parseBlueprint(text, file))
  if (/executors\.yaml$/.test(file)) return void (await parseExecutors(text, file))
  if (/thinkon\.config\.json$/.test(file)) return readConfig(text)
  if (language === 'yaml') parseYaml(text)
  else if (language === 'json') JSON.parse(text)
  else for (const line of text.trim().split('\n')) JSON.parse(line)
}

async function readConfig(text: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-config-'))
  try {
    writeFileSync(join(folder, 'thinkon.config.json'), text)
    await loadConfig(folder, { strategies: [...STRATEGIES.keys()] })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('what is left out', () => {
  it('every language is known', () => {
    const known = [...NO_CODE, 'ts', 'tsx', 'js', 'sh', 'json', 'jsonl', 'yaml']
    expect(snippets.filter(({ language }) => !known.includes(language)).map(placeOf)).toEqual([])
  })

  it.each([
    ['not run', MOST_NOT_RUN],
    ['types only', MOST_TYPES_ONLY],
  ] as const)('"%s" has a reason each time, and at most %i do', (mark, most) => {
    const found = snippets.filter((snippet) => markOf(snippet, mark) !== undefined)
    console.log(
      `${mark}: ${found.length}\n${found.map((one) => `  ${placeOf(one)} ${markOf(one, mark)}`).join('\n')}`,
    )
    for (const one of found) expect(markOf(one, mark)?.length, placeOf(one)).toBeGreaterThan(5)
    expect(found.length).toBeLessThanOrEqual(most)
  })
})
