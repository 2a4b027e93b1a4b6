import { expect, test } from 'vitest'
import { checkSchema, type JsonSchema, violationText } from './check-schema.ts'

const said = (value: unknown, schema: JsonSchema) => checkSchema(value, schema).map(violationText)

test.each<[string, unknown, JsonSchema, string[]]>([
  [
    'a wrong type, at its place',
    { plan: [{ name: 3 }] },
    plan(),
    ['/plan/0/name: must be a text, is a number (3)'],
  ],
  [
    'a missing field',
    { plan: [{}] },
    plan(),
    ['/plan/0 must have the field "name"'.replace(' must', ': must')],
  ],
  ['the whole value', [], plan(), ['the reply must be an object, is a list']],
  ['an unknown field', { plan: [], x: 1 }, plan(), ['/x: is not a field that was asked for; those are plan']],
  [
    'a word for a truth value',
    'false',
    { type: 'boolean' },
    ['the reply must be true or false, is a text ("false")'],
  ],
  ['a number in a text', '3', { type: 'number' }, ['the reply must be a number, is a text ("3")']],
  ['a fraction', 1.5, { type: 'integer' }, ['the reply must be a whole number, is a number (1.5)']],
  ['what is no number', Number.NaN, { type: 'number' }, ['the reply must be a number, is a number (NaN)']],
  ['an enum', 'b', { enum: ['a', 'c'] }, ['the reply must be one of "a", "c", is a text ("b")']],
  ['a constant', 'b', { const: 'a' }, ['the reply must be "a", is a text ("b")']],
  ['bounds', 11, { type: 'number', maximum: 10 }, ['the reply must be at most 10, is 11']],
  ['an open bound', 0, { exclusiveMinimum: 0 }, ['the reply must be more than 0, is 0']],
  ['an empty text', '', { type: 'string', minLength: 1 }, ['the reply must not be empty']],
  ['characters, not code units', '👪👪', { maxLength: 2 }, []],
  ['a pattern', 'x', { pattern: '^\\d+$' }, ['the reply must match ^\\d+$, is a text ("x")']],
  ['too few items', [], { minItems: 1 }, ['the reply must have at least 1 items, has 0']],
  ['null among types', null, { type: ['string', 'null'] }, []],
  ['nullable', null, { type: 'string', nullable: true }, []],
  [
    'a list by position',
    [1, 'a'],
    { prefixItems: [{ type: 'string' }] },
    ['/0: must be a text, is a number (1)'],
  ],
  [
    'allOf',
    'x',
    { allOf: [{ type: 'string' }, { minLength: 2 }] },
    ['the reply must have at least 2 characters, has 1'],
  ],
  ['not', 1, { not: { const: 1 } }, ['the reply must not have this form']],
  ['a name with a slash', { 'a/b': 1 }, { properties: { 'a/b': false } }, ['/a~1b: must not be there']],
  [
    'other fields by a schema',
    { a: 1 },
    { additionalProperties: { type: 'string' } },
    ['/a: must be a text, is a number (1)'],
  ],
  [
    'an inherited name is no field',
    {},
    { required: ['toString'] },
    ['the reply must have the field "toString"'],
  ],
])('says what is wrong: %s', (_, value, schema, expected) => {
  expect(said(value, schema)).toEqual(expected)
})

test('follows local references, also into themselves', () => {
  const schema = {
    $ref: '#/$defs/node',
    $defs: {
      node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, v: { type: 'number' } } },
    },
  }
  expect(said({ next: { next: { v: 'x' } } }, schema)).toEqual([
    '/next/next/v: must be a number, is a text ("x")',
  ])
})

test('gives up on a reference that leads nowhere but to itself', () => {
  expect(said(1, { $ref: '#' })).toEqual(['the reply is nested too deeply'])
})

test('speaks of the form that was meant', () => {
  const form = (type: string, field: string) => ({
    type: 'object',
    properties: { type: { const: type }, [field]: { type: 'string' } },
    required: ['type', field],
  })
  const schema = { anyOf: [form('CALL', 'goal'), form('RETURN', 'result')] }
  expect(said({ type: 'RETURN' }, schema)).toEqual(['the reply must have the field "result"'])
  expect(said('x', schema)).toEqual(['the reply must be an object or an object, is a text ("x")'])
})

test('oneOf takes exactly one', () => {
  const schema = { oneOf: [{ type: 'number' }, { minimum: 0 }] }
  expect(said(3, schema)).toEqual(['the reply must fit one of the allowed forms, fits 2'])
})

test('checks what depends on a condition', () => {
  const schema = {
    if: { properties: { kind: { const: 'EXECUTE' } } },
    // biome-ignore lint/suspicious/noThenProperty: the keyword is called so.
    then: { properties: { plan: { maxItems: 0 } } },
  }
  expect(said({ kind: 'EXECUTE', plan: ['a'] }, schema)).toEqual(['/plan: must have at most 0 items, has 1'])
  expect(said({ kind: 'PLAN', plan: ['a'] }, schema)).toEqual([])
})

test('stops counting at twenty', () => {
  const value = Array.from({ length: 1000 }, () => 'x')
  expect(checkSchema(value, { items: { type: 'number' } })).toHaveLength(20)
})

function plan(): JsonSchema {
  const step = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  return { type: 'object', properties: { plan: { type: 'array', items: step } }, additionalProperties: false }
}
