import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PROBES } from '../../tests/schema-probes.ts'
import { checkSchema, type JsonSchema, violationText } from './check-schema.ts'

const said = (value: unknown, schema: JsonSchema) =>
  checkSchema(value, schema).map((violation) => violationText(violation, 'the value'))

describe('the one checker', () => {
  it.each(PROBES)('$name', ({ schema, fits, fails }) => {
    for (const value of fits) expect(checkSchema(value, schema), JSON.stringify(value)).toEqual([])
    for (const value of fails) expect(checkSchema(value, schema), JSON.stringify(value)).not.toEqual([])
  })

  it.each(PROBES)('$name, a level down', ({ schema: { $defs, ...inner }, fits, fails }) => {
    if (JSON.stringify(inner).includes('"$ref":"#"')) return
    const schema = { type: 'object', properties: { a: { items: inner } }, ...($defs ? { $defs } : {}) }
    for (const value of fits) expect(checkSchema({ a: [value] }, schema)).toEqual([])
    for (const value of fails) expect(checkSchema({ a: [value] }, schema)).not.toEqual([])
  })

  it('takes schemas that are frozen, and leaves them as they are', () => {
    const schema = Object.freeze({
      type: 'object',
      properties: Object.freeze({ a: Object.freeze({ type: 'string' }) }),
    })
    expect(checkSchema({ a: 'x' }, schema)).toEqual([])
    expect(Reflect.ownKeys(schema)).toEqual(['type', 'properties'])
  })
})

describe('says what is wrong', () => {
  it.each<[string, unknown, JsonSchema, string[]]>([
    ['a wrong type, at its place', { plan: [{ name: 3 }] }, plan(), ['plan[0].name must be a string, not 3']],
    ['a missing field', { plan: [{}] }, plan(), ['plan[0].name is missing']],
    ['the whole value', [], plan(), ['the value must be an object, not a list']],
    ['an unknown field', { plan: [], x: 1 }, plan(), ['x is not a known field; the known ones are: plan']],
    ['a misspelled field', { pln: [] }, plan(), ['pln is not a known field: did you mean "plan"?']],
    [
      'a field where there is none',
      { a: 1 },
      { additionalProperties: false },
      ['a is not a known field; there are none'],
    ],
    [
      'a word for a truth value',
      'false',
      { type: 'boolean' },
      ['the value must be true or false, not "false"'],
    ],
    ['a number in a string', '3', { type: 'number' }, ['the value must be a number, not "3"']],
    ['a fraction', 1.5, { type: 'integer' }, ['the value must be an integer, not 1.5']],
    ['what JSON has no word for', Number.NaN, { type: 'number' }, ['the value must be a number, not null']],
    ['nothing', undefined, { type: 'number' }, ['the value is missing']],
    ['several types', 1, { type: ['string', 'null'] }, ['the value must be a string or null, not 1']],
    ['an enum', 'b', { enum: ['a', 'c'] }, ['the value must be one of "a", "c", not "b"']],
    ['a constant', 'b', { const: 'a' }, ['the value must be "a", not "b"']],
    [
      'the type alone where that is wrong',
      1,
      { type: 'string', enum: ['a'] },
      ['the value must be a string, not 1'],
    ],
    ['bounds', 11, { type: 'number', maximum: 10 }, ['the value must be at most 10, not 11']],
    ['an open bound', 0, { exclusiveMinimum: 0 }, ['the value must be more than 0, not 0']],
    ['an empty string', '', { type: 'string', minLength: 1 }, ['the value must not be empty']],
    ['a short string', 'x', { minLength: 2 }, ['the value must have at least 2 characters, not 1']],
    ['a pattern', 'x', { pattern: '^\\d+$' }, ['the value must match ^\\d+$, not "x"']],
    [
      'a pattern that nobody can read',
      '31.1.2026',
      z.toJSONSchema(z.iso.date()) as JsonSchema,
      ['the value must be of the format date, such as 2026-01-31, not "31.1.2026"'],
    ],
    ['too few items', [], { minItems: 1 }, ['the value must have at least 1 item, not 0']],
    ['the same item twice', [1, 1], { uniqueItems: true }, ['the value must not have the same item twice']],
    ['a list by position', [1, 'a'], { prefixItems: [{ type: 'string' }] }, ['[0] must be a string, not 1']],
    ['allOf', 'x', { allOf: [{ minLength: 2 }] }, ['the value must have at least 2 characters, not 1']],
    ['not', 1, { not: { const: 1 } }, ['the value must not have this form']],
    ['a name with a slash', { 'a/b~': 1 }, { properties: { 'a/b~': false } }, ['["a/b~"] must not be there']],
    ['a long value', 'x'.repeat(99), { const: 1 }, [`the value must be 1, not "${'x'.repeat(58)}…`]],
    ['a name', { A: 1 }, { propertyNames: { pattern: '^a' } }, ['A must match ^a, not "A"']],
    [
      'oneOf',
      3,
      { oneOf: [{ type: 'number' }, { minimum: 0 }] },
      ['the value must fit exactly one of the allowed forms, and fits 2'],
    ],
    [
      'no form of several',
      'x',
      { anyOf: [{ type: 'object' }, { type: 'null' }] },
      ['the value must be an object or null, not "x"'],
    ],
    [
      'no form without a type',
      4,
      { anyOf: [{ minimum: 5 }, { const: 1 }] },
      ['the value must fit one of the allowed forms, not 4'],
    ],
    [
      'the schema’s own words',
      3,
      { type: 'string', errorMessage: 'must be a name' },
      ['the value must be a name'],
    ],
    [
      'its own words for forms',
      { a: 1 },
      { properties: { a: { anyOf: [{ type: 'string' }], errorMessage: 'must be text' } } },
      ['a must be text'],
    ],
    [
      'a pattern that backtracks in other engines',
      `${'a'.repeat(40)}!`,
      { pattern: '^(a+)+$' },
      [`the value must match ^(a+)+$, not "${'a'.repeat(40)}!"`],
    ],
    ['definitions that double with each other', 'x', doubling(60), ['the value takes too long to check']],
    [
      'a definition that doubles with each level',
      deeply(60),
      {
        $ref: '#/$defs/a',
        $defs: { a: { items: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } } },
      },
      ['the value takes too long to check'],
    ],
    ['a schema that leads nowhere but to itself', 1, { $ref: '#' }, ['the value is nested too deeply']],
  ])('%s', (_, value, schema, expected) => {
    expect(said(value, schema)).toEqual(expected)
  })

  it.each(['#', '%23', 'a b', 'é', 'a/b~c', '50%', '0'])('at a field called %j', (name) => {
    const schema = { properties: { [name]: { items: { type: 'string' } } } }
    expect(checkSchema({ [name]: [1] }, schema)).toEqual([
      { path: [name, 0], message: 'must be a string, not 1' },
    ])
  })

  it('follows references into themselves', () => {
    const node = { properties: { next: { $ref: '#/$defs/node' }, v: { type: 'number' } } }
    const schema = { $ref: '#/$defs/node', $defs: { node } }
    expect(said({ next: { next: { v: 'x' } } }, schema)).toEqual(['next.next.v must be a number, not "x"'])
  })

  it('of the form that was meant', () => {
    const form = (type: string, field: string) => ({
      type: 'object',
      properties: { type: { const: type }, [field]: { type: 'string' } },
      required: ['type', field],
    })
    const schema = { anyOf: [form('CALL', 'goal'), form('RETURN', 'result')] }
    expect(said({ type: 'RETURN' }, schema)).toEqual(['result is missing'])
    expect(said('x', schema)).toEqual(['the value must be an object, not "x"'])
    expect(said([{ type: 'CALL', goal: 1 }], { items: schema })).toEqual(['[0].goal must be a string, not 1'])
  })

  it('twenty times at most', () => {
    const value = Array.from({ length: 1000 }, () => 'x')
    expect(checkSchema(value, { items: { type: 'number' } })).toHaveLength(20)
  })

  it('of what is far too deep or far too much', () => {
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)
    expect(said(deep, { $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/$defs/a' } } } })).toEqual([
      'the value is nested too deeply',
    ])
    const wide = Array.from({ length: 300_000 }, () => 'x')
    expect(checkSchema(wide, { items: { type: 'number' } })).not.toEqual([])
  })
})

function doubling(count: number): JsonSchema {
  const $defs: Record<string, JsonSchema> = { a0: { type: 'string' } }
  for (let i = 1; i < count; i++) {
    const before = { $ref: `#/$defs/a${i - 1}` }
    $defs[`a${i}`] = { anyOf: [{ allOf: [before, before] }, { not: before }] }
  }
  return { $ref: `#/$defs/a${count - 1}`, $defs }
}

function deeply(levels: number): unknown {
  return JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
}

function plan(): JsonSchema {
  const step = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  return { type: 'object', properties: { plan: { type: 'array', items: step } }, additionalProperties: false }
}
