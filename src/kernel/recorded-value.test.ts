import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asRecorded } from './recorded-value.ts'

const throughText = (value: object) => JSON.parse(JSON.stringify(value))

describe('a value on its way into the journal', () => {
  it('is what JSON makes of it, whatever it is', () => {
    const anything = fc.anything({
      withDate: true,
      withSparseArray: true,
      withNullPrototype: true,
      withMap: true,
    })
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(fc.string(), anything), fc.array(anything)), (value) => {
        expect(asRecorded(value)).toStrictEqual(throughText(value))
      }),
      { numRuns: 500 },
    )
  })

  it.each<[string, object]>([
    ['what says itself how it is written', { at: new Date(0), own: { toJSON: () => 'as told' } }],
    [
      'what JSON leaves out or has no words for',
      { a: undefined, b: () => 1, c: [undefined, Number.NaN, -0] },
    ],
    ['a name that is a prototype elsewhere', JSON.parse('{"__proto__":{"a":1},"b":2}')],
    ['instances and boxed values', { map: new Map([[1, 2]]), text: new String('boxed') }],
  ])('is what JSON makes of %s', (_, value) => {
    expect(asRecorded(value)).toStrictEqual(throughText(value))
    expect(Object.getPrototypeOf(asRecorded(value))).toBe(Object.prototype)
  })

  it('is a copy all the way down', () => {
    const value = { list: [{ a: 1 }], same: { b: 2 } }
    const copy = asRecorded(value) as typeof value
    value.list[0]!.a = 2
    value.same.b = 3
    expect(copy).toEqual({ list: [{ a: 1 }], same: { b: 2 } })
  })

  it('is refused when it has no end, or no JSON', () => {
    const round: { self?: object } = {}
    round.self = round
    expect(() => asRecorded(round)).toThrow(TypeError)
    expect(() => asRecorded({ n: 1n })).toThrow(TypeError)
    expect(() => asRecorded(1n)).toThrow(TypeError)
  })
})
