import { describe, expect, it } from 'vitest'
import { stableJson } from './json.ts'

describe('stable JSON', () => {
  it('has the keys of every object in order, whatever order they were given in', () => {
    const text = '{"a":[{"x":1,"y":2},null],"b":{"10":true,"9":"t"}}'
    expect(stableJson({ b: { 9: 't', 10: true }, a: [{ y: 2, x: 1 }, null] })).toBe(text)
    expect(stableJson(JSON.parse(text))).toBe(text)
  })

  it('keeps the order of lists', () => {
    expect(stableJson([2, 1])).not.toBe(stableJson([1, 2]))
  })

  it.each([
    ['what JSON leaves out', { a: undefined, b: () => 1 }, '{}'],
    ['what JSON has no word for', [undefined, Number.NaN, () => 1], '[null,null,null]'],
    ['what says itself how it is as JSON', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['nothing', undefined, 'null'],
    ['a text', 'a "text"', '"a \\"text\\""'],
  ])('treats %s as JSON does', (_, value, text) => {
    expect(stableJson(value)).toBe(text)
  })
})
