/** Texts that are small, and become large or slow in a parser that does not bound what it makes of them. */

import { checkSchema, type JsonSchema, uncheckedPart } from '../../../src/schema/check-schema.ts'
import { schemaShape } from '../../../src/schema/schema-shape.ts'
import { exportRun } from '../../../src/store/export-run.ts'
import { importRun } from '../../../src/store/import-run.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import { BOMBS, bombFile } from '../../store/bombs.ts'
import { FAMILIES } from '../fuzz/families.ts'
import { pickOf } from '../fuzz/mutate.ts'

export interface Expanding {
  readonly name: string
  /** Not part of what is measured. */
  make?(): string
  read(made: string): unknown
}

const MANY = 100_000

/** For every parser of text. */
const TEXTS: Readonly<Record<string, () => string>> = {
  'aliases of aliases': () =>
    `a0: &a0 [x, x, x, x]\n${Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}, *a${i}]`).join('\n')}\n`,
  'nested lists': () => '['.repeat(MANY),
  'nested objects': () => '{"a":'.repeat(MANY / 5),
  'alternatives of alternatives': () => `${'{a,b}'.repeat(100)}/**/*.ts`,
  'doubling definitions': () => JSON.stringify(doubling(40)),
  placeholders: () => `${'{{goal}}{{a}}'.repeat(MANY / 10)}`,
  hunks: () => `--- a/x\n+++ b/x\n${'@@ -1,1 +1,1 @@\n-a\n+b\n'.repeat(MANY / 20)}`,
  dots: () => `{"answer":"${'.'.repeat(MANY)}x"}`,
  blanks: () => `${' '.repeat(MANY)}x`,
  lines: () => `type: RETURN\n${'\n'.repeat(MANY)}x`,
  digits: () => '9'.repeat(MANY),
  escapes: () => `"${'\\\\'.repeat(MANY / 2)}`,
  tags: () => '<script'.repeat(MANY / 7),
  'long name': () => `--${'a'.repeat(MANY)}=1`,
}

const SCHEMAS: Readonly<Record<string, () => JsonSchema>> = {
  doubling: () => doubling(60),
  'doubling forms': () => doubling(60, 'anyOf'),
  'doubling by allOf': () => doubling(60, 'allOf'),
  'patterns that backtrack': () => ({ type: 'string', pattern: '^(a+)+$' }),
  'patterns that multiply': () => ({ type: 'string', pattern: '((a{1,50}){1,50}){1,50}$' }),
  'many patterns': () => ({
    type: 'object',
    patternProperties: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`(a|b|${i})*c$`, {}])),
  }),
  'unique items': () => ({ type: 'array', uniqueItems: true }),
  'many values': () => ({ enum: Array.from({ length: MANY }, (_, i) => ({ i })) }),
  'a schema of itself': () => ({ $ref: '#', allOf: [{ $ref: '#' }, { $ref: '#' }] }),
}
const VALUES: Readonly<Record<string, () => unknown>> = {
  text: () => `${'a'.repeat(MANY)}!`,
  list: () => Array.from({ length: MANY / 10 }, (_, i) => ({ i })),
  object: () => Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`ab${i}`, i])),
}

function doubling(count: number, keyword?: string): JsonSchema {
  const $defs: Record<string, JsonSchema> = { a0: { type: 'string' } }
  for (let i = 1; i <= count; i++) {
    const before = { $ref: `#/$defs/a${i - 1}` }
    $defs[`a${i}`] =
      keyword === undefined ? { properties: { x: before, y: before } } : { [keyword]: [before, before] }
  }
  return { $ref: `#/$defs/a${count}`, $defs }
}

async function importAndExport(file: string): Promise<void> {
  const store = memoryStore()
  await importRun(store, [file])
  for await (const _ of exportRun(store, 'bomb'));
}

export const INPUTS: readonly Expanding[] = [
  ...Object.keys(BOMBS).flatMap((name) =>
    [20, 100, 200].map((mib) => ({
      name: `file: ${name}, ${mib} MiB`,
      make: () => bombFile(name, mib),
      read: importAndExport,
    })),
  ),
  ...Object.entries(SCHEMAS).flatMap(([name, schema]) => [
    { name: `schema in words: ${name}`, read: () => [schemaShape(schema()), uncheckedPart(schema())] },
    ...Object.entries(VALUES).map(([of, value]) => ({
      name: `schema: ${name}, of ${of}`,
      read: () => checkSchema(value(), schema()),
    })),
  ]),
  ...FAMILIES.flatMap((family) =>
    Object.entries(TEXTS).map(([name, text]) => ({
      name: `${family.name}: ${name}`,
      read: () => family.read(text(), pickOf(1, family.name, 0)),
    })),
  ),
]
