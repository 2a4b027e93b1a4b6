import { describe, expect, it } from 'vitest'
import { grammarSchema } from './grammar-schema.ts'

const text = { type: 'string' }
const flag = { type: 'boolean' }
const any = expect.objectContaining({ oneOf: expect.arrayContaining([text, { type: 'array' }]) })

describe('a JSON Schema in the words of a grammar', () => {
  it('has every required field of an open object, and any more', () => {
    const open = { type: 'object', properties: { a: text, b: text }, required: ['a'] }
    expect(grammarSchema(open)).toEqual({
      type: 'object',
      properties: { a: text },
      additionalProperties: true,
    })
    expect(grammarSchema({ type: 'object' })).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: true,
    })
  })

  it('has a form for each choice of fields that a closed object may leave out', () => {
    const closed = {
      type: 'object',
      properties: { a: text, b: flag, c: text },
      required: ['a'],
      additionalProperties: false,
    }
    const form = (properties: object) => ({ type: 'object', properties })
    const { oneOf } = grammarSchema(closed) as { oneOf: object[] }
    expect(oneOf).toHaveLength(4)
    expect(oneOf).toEqual(
      expect.arrayContaining([
        form({ a: text }),
        form({ a: text, b: flag }),
        form({ a: text, c: text }),
        form({ a: text, b: flag, c: text }),
      ]),
    )
    expect(grammarSchema({ ...closed, required: ['a', 'b', 'c'] })).toEqual(
      form({ a: text, b: flag, c: text }),
    )
  })

  it('never takes what it does not know for null', () => {
    expect(grammarSchema({})).toEqual(any)
    expect(grammarSchema({ allOf: [text] })).toEqual(any)
    expect(grammarSchema({ $ref: '#/definitions/x' })).toEqual(any)
    expect(grammarSchema({ enum: [{ a: 1 }] })).toEqual(any)
    expect(grammarSchema({ anyOf: [text, flag] })).toEqual({ oneOf: [text, flag] })
    expect(grammarSchema({ type: ['string', 'null'], maxLength: 3 })).toEqual({
      oneOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }],
    })
  })

  it('leaves out what a grammar can not hold: patterns, ranges, and long repetitions', () => {
    expect(
      grammarSchema({ type: 'string', pattern: '^a', format: 'email', maxLength: 9999, minLength: 1 }),
    ).toEqual({
      type: 'string',
      minLength: 1,
    })
    expect(grammarSchema({ type: 'integer', minimum: 3 })).toEqual({ type: 'integer' })
  })

  it('keeps definitions, also those that hold themselves', () => {
    const tree = { type: 'array', items: { $ref: '#/$defs/tree' } }
    expect(grammarSchema({ $ref: '#/$defs/tree', $defs: { tree } })).toEqual({
      $ref: '#/$defs/tree',
      $defs: { tree },
    })
  })
})
