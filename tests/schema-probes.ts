/** What a checker of JSON Schema must agree on: the checker itself, and every consumer of it, are put to it. */
import type { JsonSchema } from '../src/schema/check-schema.ts'

export interface Probe {
  readonly name: string
  readonly schema: JsonSchema
  readonly fits: readonly unknown[]
  readonly fails: readonly unknown[]
}

const DEFS = { name: { type: 'string' }, node: { properties: { next: { $ref: '#/$defs/node' } } } }
const SLOW = `${'a'.repeat(40)}!`

export const PROBES: readonly Probe[] = [
  probe('string', { type: 'string' }, ['', 'x'], [1, null, [], {}, true]),
  probe('number', { type: 'number' }, [1, 1.5, -0, 1e300], ['1', null, Number.NaN]),
  probe('integer', { type: 'integer' }, [1, 1.0, -3], [1.5, '1', Number.POSITIVE_INFINITY]),
  probe('boolean', { type: 'boolean' }, [true, false], ['true', 0, null]),
  probe('null', { type: 'null' }, [null], ['null', 0, {}]),
  probe('array is no object', { type: 'object' }, [{}], [[], null]),
  probe('object is no array', { type: 'array' }, [[]], [{}, 'x']),
  probe('one of several types', { type: ['string', 'null'] }, ['x', null], [1, []]),
  probe('nullable', { type: 'string', nullable: true }, ['x', null], [1]),
  probe('nullable enum', { type: 'string', enum: ['a'], nullable: true }, ['a', null], ['b']),
  probe('enum', { enum: ['a', 1, null] }, ['a', 1, null], ['b', '1', true]),
  probe('enum of objects', { enum: [{ a: [1] }] }, [{ a: [1] }], [{ a: [2] }, { a: [1], b: 1 }]),
  probe('const', { const: false }, [false], [0, null, 'false']),
  probe('const null', { const: null }, [null], [0, '']),
  probe('const with keys in another order', { const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }]),
  probe('anyOf', { anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['x', 5, null], [4]),
  probe('oneOf', { oneOf: [{ type: 'number' }, { minimum: 5 }] }, [4, 'x'], [5]),
  probe('allOf', { allOf: [{ type: 'number' }, { minimum: 5 }] }, [5], [4, 'x']),
  probe('not', { not: { type: 'string' } }, [1], ['x']),
  probe('if, then, else', condition(), [{ a: 1, b: 1 }, { c: 1 }], [{ a: 1 }, {}]),
  probe('required', { required: ['a'] }, [{ a: null }, 'x'], [{}, { b: 1 }]),
  probe('an undefined field is missing', { required: ['a'] }, [{ a: 0 }], [{ a: undefined }]),
  probe('an inherited name is no field', { required: ['toString'] }, [{ toString: 1 }], [{}]),
  probe('closed', { properties: { a: {} }, additionalProperties: false }, [{ a: 1 }, {}], [{ b: 1 }]),
  probe('__proto__ is a field', { additionalProperties: false }, [{}], [JSON.parse('{"__proto__": 1}')]),
  probe('others by a schema', { additionalProperties: { type: 'number' } }, [{ a: 1 }], [{ a: 'x' }]),
  probe(
    'patternProperties',
    { patternProperties: { '^n': { type: 'number' } } },
    [{ n: 1, x: '' }],
    [{ n: '' }],
  ),
  probe('propertyNames', { propertyNames: { pattern: '^[a-z]+$' } }, [{ a: 1 }, 'X'], [{ A: 1 }]),
  probe('minProperties', { minProperties: 1 }, [{ a: 1 }, 'x'], [{}]),
  probe('dependentRequired', { dependentRequired: { a: ['b'] } }, [{ a: 1, b: 1 }, { b: 1 }], [{ a: 1 }]),
  probe('nested arrays', { items: { items: { type: 'integer' } } }, [[[1], []], 'x'], [[[1], [1.5]]]),
  probe(
    'prefixItems',
    { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
    [['a', 1], []],
    [[1], ['a', 'b']],
  ),
  probe('no more than the prefix', { prefixItems: [true], items: false }, [[1]], [[1, 2]]),
  probe(
    'items of draft 7',
    { items: [{ type: 'string' }], additionalItems: false },
    [['a']],
    [[1], ['a', 1]],
  ),
  probe(
    'uniqueItems',
    { uniqueItems: true },
    [[1, '1', true]],
    [
      [1, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ),
  probe('contains', { contains: { const: 1 } }, [[0, 1]], [[0], []]),
  probe('item counts', { minItems: 1, maxItems: 2 }, [[1], [1, 2]], [[], [1, 2, 3]]),
  probe(
    'lengths count characters, not code units',
    { minLength: 2, maxLength: 2 },
    ['ab', '😀😀'],
    ['😀', 'abc'],
  ),
  probe('bounds', { minimum: 0, exclusiveMaximum: 1 }, [0, 0.5], [-1, 1]),
  probe('multipleOf', { multipleOf: 0.1 }, [0.3, 1], [0.35]),
  probe('pattern', { pattern: '^\\d+$' }, ['12', 12], ['x']),
  probe('a pattern may match anywhere', { pattern: 'b' }, ['abc'], ['ac']),
  probe('a pattern by code points', { pattern: '^.$' }, ['😀'], ['ab']),
  probe('a pattern with escapes that are needless', { pattern: '^[\\w\\-]+\\@\\_$' }, ['a-b@_'], ['a b@_']),
  probe('a pattern that is no regular expression', { pattern: '(' }, ['x', ''], []),
  probe('a name pattern that is none', { patternProperties: { '(': false } }, [{ a: 1 }], []),
  probe('a pattern that takes for ever', { pattern: '^(a+)+$' }, ['aaa'], [SLOW]),
  probe('a format only describes, as the standard has it', { type: 'string', format: 'date' }, ['x'], [1]),
  probe('$ref', { $ref: '#/$defs/name', $defs: DEFS }, ['x'], [1]),
  probe('$ref beside others', { $ref: '#/$defs/name', minLength: 2, $defs: DEFS }, ['xy'], ['x', 1]),
  probe(
    '$ref to itself',
    { properties: { next: { $ref: '#' } }, required: ['v'] },
    [{ v: 1 }, { v: 1, next: { v: 2 } }],
    [{ v: 1, next: {} }],
  ),
  probe('$ref that leads nowhere', { $ref: '#/$defs/none', type: 'string' }, ['x'], [1]),
  probe('$ref to another document', { $ref: 'https://example.org/x.json', type: 'string' }, ['x'], [1]),
  probe('$anchor', { $ref: '#n', $defs: { n: { $anchor: 'n', type: 'string' } } }, ['x'], [1]),
  probe('true', { properties: { a: true } }, [{ a: 1 }, {}], []),
  probe('false', { properties: { a: false } }, [{}], [{ a: 1 }]),
  probe('no type is any', {}, [1, 'x', null, [], {}], []),
  probe('keywords that are not known', { type: 'string', 'x-order': 1, title: 'T' }, ['x'], [1]),
  probe(
    'keywords of the wrong form',
    { required: true, exclusiveMinimum: true, enum: 'a', items: 1, minLength: '2' },
    [1, {}, [], 'x'],
    [],
  ),
]

function probe(name: string, schema: JsonSchema, fits: readonly unknown[], fails: readonly unknown[]): Probe {
  return { name, schema, fits, fails }
}

function condition(): JsonSchema {
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
  return { if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } }
}
