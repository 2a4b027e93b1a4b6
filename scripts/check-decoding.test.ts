import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { unboundedCalls } from './check-decoding.ts'

const trees: string[] = []
afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true })
})

/** The kinds of calls without a budget in a file. */
function kindsIn(text: string, file = 'src/store/event-codec.ts'): string[] {
  const root = mkdtempSync(join(tmpdir(), 'thinkon-decoding-'))
  trees.push(root)
  const path = join(root, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `import type { DecodingBudget } from '../protocol/decoding-budget.ts'\n${text}\n`)
  return unboundedCalls(root).map(({ kind }) => kind)
}

const CALLS: readonly (readonly [kind: string, call: string])[] = [
  ['inflate', 'inflateRawSync(body)'],
  ['inflate', 'zlib.gunzipSync(body)'],
  ['inflate', 'body.pipe(createBrotliDecompress())'],
  ['inflate', '({ gzip: createGunzip })[body]()'],
  ['inflate', "body.pipeThrough(new DecompressionStream('gzip'))"],
  ['yaml', 'parseDocument(body)'],
  ['yaml', 'parseAllDocuments(body)'],
  ['yaml', 'yaml.parse(body)'],
  ['yaml', 'body.toJS({ maxAliasCount: 100 })'],
  ['JSON.parse', 'JSON.parse(body)'],
  ['JSON.parse', 'JSON.parse(body) as Wanted'],
  ['body', 'await body.json()'],
  ['body', '(await fetch(body)).arrayBuffer().catch(() => null)'],
  ['concat', 'Buffer.concat(body)'],
  ['join', "body.parts.join('')"],
  ['join', "'x'.repeat(body.count)"],
  ['join', 'body.text.replaceAll(body.old, () => body.new)'],
]

describe('a call that expands outside data', () => {
  it.each(CALLS)('is refused without a budget: %s: %s', (kind, call) => {
    expect(kindsIn(`export async function read(body: any) { return (${call}) }`)).toContain(kind)
    expect(kindsIn(`export class Reader { async read(body: any) { return (${call}) } }`)).toContain(kind)
    expect(kindsIn(`export const read = async (body: any) => (${call})`)).toContain(kind)
  })

  it.each(CALLS)('is accepted with one: %s: %s', (_, call) => {
    const takes = `budget.take(body.length)`
    expect(
      kindsIn(`export async function read(body: any, budget: DecodingBudget) { ${takes}; return (${call}) }`),
    ).toEqual([])
    const member = `this.budget.take(1); return (${call})`
    expect(
      kindsIn(`export class Reader { budget!: DecodingBudget; async read(body: any) { ${member} } }`),
    ).toEqual([])
  })

  it('is refused with a budget that is not used, or that another function uses', () => {
    const call = 'JSON.parse(body)'
    expect(kindsIn(`export function read(body: any, budget: DecodingBudget) { return ${call} }`)).toEqual([
      'JSON.parse',
    ])
    const other = 'function other(budget: DecodingBudget) { budget.take(1) }'
    expect(kindsIn(`${other}\nexport function read(body: any) { return ${call} }`)).toEqual(['JSON.parse'])
    const method = 'take(budget: DecodingBudget) { budget.take(1) }'
    expect(kindsIn(`export class Reader { ${method} read(body: any) { return ${call} } }`)).toEqual([
      'JSON.parse',
    ])
  })

  it('is refused for texts that grow part by part', () => {
    const loop = "let text = ''; for (const part of parts) text += part; return text"
    expect(kindsIn(`export function read(parts: any) { ${loop} }`)).toEqual(['join'])
    const count = 'let count = 0; for (const part of parts) count += part; return count'
    expect(kindsIn(`export function read(parts: any) { ${count} }`)).toEqual([])
  })
})

it.each([
  'export const copy = (value: object) => JSON.parse(JSON.stringify(value))',
  "export const copy = (value: object) => JSON.parse(JSON.stringify(value) ?? 'null')",
  'export const text = (folded: Folded) => folded.text()',
  "import { inflateRawSync } from 'node:zlib'",
  "export const lines = (text: string) => text.replaceAll('\\r\\n', '\\n')",
])('does not concern %s', (text) => {
  expect(kindsIn(text)).toEqual([])
})

it('looks at joins only in modules that put outside parts together', () => {
  const text = "export const list = (names: string[]) => names.join(', ')"
  expect(kindsIn(text, 'src/store/event-codec.ts')).toEqual(['join'])
  expect(kindsIn(text, 'src/views/words.ts')).toEqual([])
})
