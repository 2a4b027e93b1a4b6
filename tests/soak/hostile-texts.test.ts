// Texts that hold the event loop of a parser with a super-linear expression: no limit of time can fire meanwhile.
import { expect, it } from 'vitest'
import { literalConfig } from '../../src/config/literal-config.ts'
import { shortenFenced } from '../../src/kernel/fence.ts'
import { providerError } from '../../src/models/ai-sdk/provider-error.ts'
import { secretsIn } from '../../src/models/secret-values.ts'
import { DecodingBudget } from '../../src/protocol/decoding-budget.ts'
import { nearest } from '../../src/protocol/nearest.ts'
import { withBackslashes } from '../../src/reply/swallowed-escapes.ts'
import { schemaShape } from '../../src/schema/schema-shape.ts'
import { comparable } from '../../src/strategies/best-of/tally.ts'
import { count } from '../../src/strategies/closing/count.ts'
import { itemKey } from '../../src/strategies/planner/rules/repetition.ts'
import { claimedLeft } from '../../src/strategies/tree-of-thoughts/domains/operation-line.ts'
import { possibleCommands, readCommand } from '../../src/tools/approval/command.ts'
import { applyHunks, parsePatch } from '../../src/tools/builtin/unified-diff.ts'
import { plain } from '../../src/tools/trusted-files.ts'
import { schemaNode } from '../../src/views/schema-nodes.ts'

const MANY = 1_000_000
const MOST_MS = 10_000

function elapsedMs(action: () => unknown): number {
  const start = performance.now()
  action()
  return performance.now() - start
}

it.each(['.', '(', '{', '1', '。', '=', ' ', '_', '!', '<', '<script'])('%j, a million times', (piece) => {
  const text = `${piece.repeat(MANY / piece.length)}x`
  expect(elapsedMs(() => comparable(text))).toBeLessThan(MOST_MS)
  expect(elapsedMs(() => itemKey(text))).toBeLessThan(MOST_MS)
  expect(elapsedMs(() => plain(text))).toBeLessThan(MOST_MS)
  const error = Object.assign(new Error('failed'), { statusCode: 400, responseBody: text })
  expect(elapsedMs(() => providerError(error, 'm', 0))).toBeLessThan(MOST_MS)
})

it('a patch of 20,001 hunks whose last one does not fit', () => {
  const text = Array.from({ length: 30_000 }, (_, i) => `line ${i}\n`).join('')
  const hunks = Array.from(
    { length: 20_000 },
    (_, i) => `@@ -${i + 1},1 +${i + 1},1 @@\n-line ${i}\n+l ${i}\n`,
  )
  const patch = `--- a/x\n+++ b/x\n${hunks.join('')}@@ -25000,1 +25000,1 @@\n-wrong\n+l\n`
  const [{ hunks: read } = { hunks: [] }] = parsePatch(patch)
  expect(
    elapsedMs(() => expect(() => applyHunks('x', text, read, new DecodingBudget('x'))).toThrow('hunk 20001')),
  ).toBeLessThan(MOST_MS)
})

it.each([
  ['what is left, with commas', () => claimedLeft(`left: 1${' ,'.repeat(400)} x`)],
  ['a path with backspaces', () => withBackslashes(`${'\b'.repeat(100)}c:${'\b'.repeat(190)} `)],
  [
    'comments of a setting',
    () => literalConfig(`export default { model: 'a' ${'/**/ // '.repeat(200)} + 1 }`),
  ],
  ['beginnings of private keys', () => secretsIn('-----BEGIN PRIVATE KEY-----\n'.repeat(100_000), 'none')],
  ['beginnings of fences', () => shortenFenced('<data-0123456789ab from="x">\n'.repeat(100_000), 1_000)],
  ['links', () => count('](a'.repeat(300_000), 'words')],
])('%s', (_, action) => {
  expect(elapsedMs(action)).toBeLessThan(MOST_MS)
})

it('a command of 31,000 digits and an option name of 700 KB', () => {
  const digits = '9'.repeat(31_000)
  expect(elapsedMs(() => possibleCommands(digits, readCommand(digits)))).toBeLessThan(MOST_MS)
  const names = Array.from({ length: 100 }, (_, i) => `option-${i}`)
  expect(elapsedMs(() => nearest('a'.repeat(700_000), names))).toBeLessThan(1_000)
})

it('a schema of 200,000 required properties', () => {
  const names = Array.from({ length: 200_000 }, (_, i) => `k${i}`)
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  const schema = { type: 'object', properties, required: names }
  const before = process.cpuUsage()
  schemaShape(schema)
  schemaNode(schema, schema)
  // A search of the list for each name takes 20 s.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(MOST_MS)
})
