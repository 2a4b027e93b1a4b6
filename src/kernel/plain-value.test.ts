import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_DEPTH } from '../protocol/index.ts'
import { plainValue } from './plain-value.ts'

const BOUNDS = { maxBytes: 1_000_000 }
const anything = fc.anything({
  withDate: true,
  withSparseArray: true,
  withNullPrototype: true,
  withMap: true,
  withBoxedValues: true,
  withTypedArray: true,
})

describe('a value as JSON has it', () => {
  it('is what a round trip through JSON text returns', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const text = JSON.stringify(value)
        expect(plainValue(value, BOUNDS)).toStrictEqual(text === undefined ? undefined : JSON.parse(text))
      }),
      { numRuns: 1_000 },
    )
  })

  it('may have as many bytes as its JSON text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
        const maxBytes = Buffer.byteLength(JSON.stringify(value))
        expect(plainValue(value, { maxBytes })).toStrictEqual(JSON.parse(JSON.stringify(value)))
        expect(() => plainValue(value, { maxBytes: maxBytes - 1 })).toThrow('larger than')
      }),
      { numRuns: 500 },
    )
  })
})

const circle: Record<string, unknown> = {}
circle.self = circle
/** 2^100 parts, in a few objects. */
let bomb: unknown = 1
for (let level = 0; level < 100; level++) bomb = [bomb, bomb]
const trap = (thrown: unknown) => ({
  get() {
    throw thrown
  },
})

describe('a value that is refused', () => {
  it.each<[string, unknown, string]>([
    ['a BigInt', { a: { n: 1n } }, 'at "n": a BigInt is no JSON value'],
    ['a boxed BigInt', Object(1n), 'a BigInt is no JSON value'],
    ['itself', circle, `nested deeper than ${MAX_DEPTH} levels`],
    ['one part, many times', bomb, 'larger than'],
    [
      'a getter that throws',
      {
        get a() {
          throw new Error('no a')
        },
      },
      'no a',
    ],
    ['a proxy', { a: new Proxy({}, trap(new Error('not me'))) }, 'at "a": not me'],
    [
      'toJSON that throws no error',
      {
        toJSON: () => {
          // biome-ignore lint/style/useThrowOnlyError: models throw anything
          throw null
        },
      },
      'null',
    ],
    ['toJSON that returns a new level each time', deeper(), 'nested deeper'],
    ['a revoked proxy', revoked(), 'revoked'],
  ])('%s', (_, value, message) => {
    expect(() => plainValue(value, BOUNDS)).toThrow(message)
  })
})

function deeper(): unknown {
  return { toJSON: () => ({ next: deeper() }) }
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
