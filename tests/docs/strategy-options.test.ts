/** Every option of the strategies that ship: on the strategy's page with its default, and in the editor with a comment that has it too. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bestOf, cot, dual, fractal, minimal, planner, tot } from '../../src/strategies/index.ts'
import { readPage, root } from './pages.ts'

/** Set by the strategies themselves. */
const INTERNAL = ['start', 'knownBlueprints', 'nested', 'index', 'task']

describe.each([
  ['fractal', fractal, 'docs/fractal.md'],
  ['planner', planner, 'docs/planner.md'],
  ['tree-of-thoughts', tot, 'docs/tree-of-thoughts.md'],
  ['chain-of-thought', cot, 'docs/chain-of-thought.md'],
  ['dual-engine', dual, 'docs/dual-engine.md'],
  ['best-of', bestOf, 'docs/best-of.md'],
])('%s', (folder, module, page) => {
  it('has its options, and their defaults, in the table of its page', async () => {
    const { names, defaults } = await optionsOf(module)
    const rows = optionRows(page)
    expect(rows.flatMap(({ options }) => options).toSorted()).toEqual(names.toSorted())
    for (const [name, value] of Object.entries(defaults)) {
      const row = rows.find(({ options }) => options.includes(name))
      expect(row?.defaults, name).toContain(shown(value))
    }
  })

  it('has comments with the defaults', async () => expectComments(folder, await optionsOf(module)))
})

it('minimal has comments with the defaults', async () => expectComments('minimal', await optionsOf(minimal)))

interface Options {
  readonly names: readonly string[]
  readonly defaults: Readonly<Record<string, unknown>>
}

/** The names are those that an unknown option is answered with. */
async function optionsOf(module: typeof fractal | typeof minimal): Promise<Options> {
  const { options = () => ({}) } = await module.load()
  let told = ''
  try {
    options({ noSuchOption: 1 })
  } catch (error) {
    told = (error as Error).message
  }
  const names = (told.split('it has: ')[1] ?? '').split(', ').filter((name) => !INTERNAL.includes(name))
  return { names, defaults: options({}) as Record<string, unknown> }
}

function optionRows(page: string): { options: string[]; defaults: string }[] {
  const [, section = ''] = readPage(page).split('\n## Options\n')
  const table = section.slice(section.indexOf('| option |')).split('\n\n')[0] ?? ''
  return table
    .split('\n')
    .slice(2)
    .map((row) => row.split('|'))
    .map(([, options = '', defaults = '']) => ({
      options: [...options.matchAll(/`(\w+)`/g)].map(([, option = '']) => option),
      defaults: defaults.replaceAll('`', '').replaceAll('", "', '","'),
    }))
}

function expectComments(folder: string, { names, defaults }: Options): void {
  const source = readFileSync(join(root, 'src/strategies', folder, 'schema.ts'), 'utf8')
  const body = /export interface \w+Options\b[^{]*\{\n([\s\S]*?)^\}/m.exec(source)?.[1] ?? ''
  const comments = new Map(
    [...body.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(\w+)\??:/g)].map(([, text = '', name = '']) => [
      name,
      text,
    ]),
  )
  for (const name of names.filter((each) => each !== 'check')) {
    expect(comments.get(name), `${name} has a comment`).toMatch(/default/i)
    const value = defaults[name]
    if (Object.hasOwn(defaults, name) && !Array.isArray(value))
      expect(comments.get(name)?.replaceAll(/[`,]/g, ''), name).toContain(shown(value))
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
