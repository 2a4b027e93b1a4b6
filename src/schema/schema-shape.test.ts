import { expect, test } from 'vitest'
import { z } from 'zod'
import type { JsonSchema } from './check-schema.ts'
import { schemaShape } from './schema-shape.ts'

const fields = (properties: Record<string, unknown>) =>
  schemaShape({ type: 'object', properties, required: Object.keys(properties) })

test('says what holds for each item of a list', () => {
  const tags = { type: 'array', minItems: 1, items: { type: 'string', maxLength: 20, description: 'a word' } }
  expect(fields({ tags })).toBe(
    '{\n  "tags": [string, …] // at least 1 items; each: a word; at most 20 characters\n}',
  )
})

test('says what formats, multiples and lists without repetition are', () => {
  expect(
    fields({
      day: { type: 'string', format: 'date' },
      price: { type: 'number', multipleOf: 0.5 },
      ids: { type: 'array', uniqueItems: true, items: { type: 'integer' } },
    }),
  ).toBe(`{
  "day": string, // format date
  "price": number, // a multiple of 0.5
  "ids": [whole number, …] // no two alike
}`)
})

test('says what a record holds, alone or beside fields', () => {
  const record = { type: 'object', additionalProperties: { type: 'number', minimum: 0 } }
  expect(fields({ prices: record })).toBe('{\n  "prices": {\n    "…": number // any name; at least 0\n  }\n}')
  expect(schemaShape({ ...record, properties: { total: { type: 'number' } }, required: ['total'] })).toBe(
    '{\n  "total": number,\n  "…": number // any other name; at least 0\n}',
  )
})

test('says what holds for a value that may be null', () => {
  const note = { anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] }
  expect(fields({ note })).toBe('{\n  "note": string | null // at most 5 characters\n}')
})

test('tells an object that may be null once, and a field by its own rule where others have the same', () => {
  const score = { type: 'number', minimum: 0 }
  const scores = { type: ['object', 'null'], properties: { craft: score }, additionalProperties: score }
  expect(fields({ scores })).toBe(`{
  "scores": {
    "craft": number, // may be left out; at least 0
    "…": number // any other name; at least 0
  } | null
}`)
})

test('says what holds for the whole value', () => {
  expect(schemaShape({ type: 'array', maxItems: 3, items: { type: 'string' } })).toBe(
    '[string, …] // at most 3 items',
  )
  expect(
    schemaShape({ type: 'object', description: 'One offer', properties: { a: {} }, required: ['a'] }),
  ).toBe('{ // One offer\n  "a": any value\n}')
})

test('tells the places of a list with fixed places', () => {
  expect(fields({ at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] } })).toBe(
    '{\n  "at": [number, string]\n}',
  )
})

test('says a format by an example where its pattern can not be read', () => {
  const told = schemaShape(
    z.toJSONSchema(z.object({ day: z.iso.date(), mail: z.email().nullable() })) as JsonSchema,
  )
  expect(told).toBe(`{
  "day": string, // format date, such as 2026-01-31
  "mail": string | null // format email, such as name@example.com
}`)
})

test('definitions that double with each other are named, not written out', () => {
  const $defs: Record<string, JsonSchema> = { a0: { type: 'string' } }
  for (let i = 1; i <= 30; i++) {
    const before = { $ref: `#/$defs/a${i - 1}` }
    $defs[`a${i}`] = { type: 'object', properties: { x: before, y: before } }
  }
  const text = schemaShape({ $ref: '#/$defs/a30', $defs })
  expect(text.length).toBeLessThan(1_000_000)
  expect(text).toContain('(a15)')
})
