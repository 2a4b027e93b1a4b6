import { expect, it } from 'vitest'
import { checkSchema, type JsonSchema } from './check-schema.ts'

const TREE: JsonSchema = {
  $ref: '#/$defs/node',
  $defs: {
    node: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } } },
  },
}

/** Keyword, schema, values that fit, values that don't. */
const TABLE: readonly [string, JsonSchema, readonly unknown[], readonly unknown[]][] = [
  ['type', { type: 'integer' }, [0, -3, 1.0], [1.5, '1', null, true]],
  ['a list of types', { type: ['string', 'null'] }, ['', null], [0, false, []]],
  ['const', { const: { a: [1, 2] } }, [{ a: [1, 2] }], [{ a: [2, 1] }, {}, null]],
  ['enum', { enum: [1, 'one', null] }, [1, 'one', null], ['1', undefined, 2]],
  ['minimum', { minimum: 1.1 }, [1.1, 2, 'no number'], [0.6]],
  ['maximum', { maximum: 3 }, [3, -1], [3.5]],
  ['exclusiveMinimum', { exclusiveMinimum: 1 }, [1.1], [1]],
  ['exclusiveMaximum', { exclusiveMaximum: 3 }, [2.9], [3]],
  ['multipleOf', { multipleOf: 0.01 }, [4.5, 0, 0.07], [0.0075]],
  ['minLength counts code points', { minLength: 2 }, ['ab', '😀😀'], ['a', '😀']],
  ['maxLength counts code points', { maxLength: 2 }, ['', '😀😀'], ['abc']],
  ['pattern is not anchored', { pattern: 'a+' }, ['xaay', 1], ['bbb']],
  ['items', { items: { type: 'integer' } }, [[], [1, 2], 'no list'], [[1, 'x']]],
  [
    'prefixItems',
    { prefixItems: [{ type: 'integer' }, { type: 'string' }] },
    [[1, 'a'], [1], []],
    [['a', 1]],
  ],
  ['items behind prefixItems', { prefixItems: [{}], items: { type: 'integer' } }, [['a', 1]], [['a', 'b']]],
  ['contains', { contains: { minimum: 5 } }, [[1, 5]], [[], [1, 2]]],
  [
    'minContains and maxContains',
    { contains: { const: 1 }, minContains: 2, maxContains: 3 },
    [[1, 1]],
    [[1]],
  ],
  ['minItems and maxItems', { minItems: 1, maxItems: 2 }, [[1], [1, 2]], [[], [1, 2, 3]]],
  [
    'uniqueItems',
    { uniqueItems: true },
    [
      [1, '1', true],
      [{ a: 1 }, { a: 2 }],
    ],
    [
      [1, 1.0],
      [[1], [1]],
    ],
  ],
  ['properties', { properties: { a: { type: 'integer' } } }, [{}, { a: 1, b: 'x' }], [{ a: 'x' }]],
  ['required', { required: ['toString', 'a'] }, [{ toString: 1, a: 2 }], [{ a: 1 }, {}]],
  ['additionalProperties', { properties: { a: {} }, additionalProperties: false }, [{ a: 1 }], [{ b: 1 }]],
  [
    'patternProperties',
    { patternProperties: { '^n_': { type: 'number' } } },
    [{ n_a: 1, s: 'x' }],
    [{ n_a: 'x' }],
  ],
  [
    'additionalProperties beside patternProperties',
    { patternProperties: { '^n_': {} }, additionalProperties: { type: 'string' } },
    [{ n_a: 1, s: 'x' }],
    [{ s: 1 }],
  ],
  ['propertyNames', { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
  [
    'minProperties and maxProperties',
    { minProperties: 1, maxProperties: 1 },
    [{ a: 1 }],
    [{}, { a: 1, b: 2 }],
  ],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{ b: 1 }, { a: 1, b: 2 }], [{ a: 1 }]],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
  ['allOf', { allOf: [{ minimum: 1 }, { maximum: 3 }] }, [2], [0, 4]],
  ['anyOf', { anyOf: [{ type: 'integer' }, { minimum: 2 }] }, [1, 2.5], [1.5]],
  ['oneOf', { oneOf: [{ type: 'integer' }, { minimum: 2 }] }, [1, 2.5], [3, 1.5]],
  ['not', { not: { type: 'integer' } }, ['x', 1.5], [1]],
  [
    'if, then and else',
    JSON.parse('{"if":{"minimum":10},"then":{"multipleOf":2},"else":{"maximum":5}}'),
    [12, 3],
    [11, 7],
  ],
  ['a reference to itself', TREE, [{ children: [{ children: [] }] }], [{ children: [{ children: 1 }] }]],
  ['true and false', { properties: { a: true, b: false } }, [{ a: 1 }], [{ b: 1 }]],
  [
    'unevaluatedProperties',
    { allOf: [{ properties: { a: {} } }], properties: { b: {} }, unevaluatedProperties: false },
    [{ a: 1, b: 2 }],
    [{ a: 1, c: 3 }],
  ],
]

it.each(TABLE)('%s', (_, schema, fitting, wrong) => {
  for (const value of fitting) expect(checkSchema(value, schema), JSON.stringify(value)).toEqual([])
  for (const value of wrong) expect(checkSchema(value, schema), JSON.stringify(value)).not.toEqual([])
})
