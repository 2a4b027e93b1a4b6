/** Tools that return, throw and report what no tool should. */
import { ThinkonError } from '../../../src/index.ts'
import {
  bomb,
  circle,
  deep,
  revoked,
  thenable,
  throwing,
  type Untyped,
  withGetter,
  withToJson,
} from './values.ts'

export interface PoisonTool {
  /** The tokens of its calls must bind. */
  readonly binds?: true
  run(input: Untyped, io: Untyped): Untyped
  readonly more?: object
}

const returns = (value: () => Untyped): PoisonTool => ({ run: () => value() })
const throws = (value: () => Untyped): PoisonTool => ({
  run: async () => {
    throw value()
  },
})
const spends = (...amounts: Untyped[]): PoisonTool => ({
  run: async (_, io) => {
    for (const amount of amounts) io.spend(amount)
    return 'spent'
  },
})

export const POISON_TOOLS: Readonly<Record<string, PoisonTool>> = {
  'returns undefined': returns(() => undefined),
  'returns a BigInt': returns(() => 1n),
  'returns a symbol': returns(() => Symbol('x')),
  'returns a function': returns(() => () => 1),
  'returns NaN': returns(() => Number.NaN),
  'returns a circle': returns(circle),
  'returns a bomb': returns(bomb),
  'returns something deep': returns(deep),
  'returns a proxy': returns(throwing),
  'returns a revoked proxy': returns(revoked),
  'returns a getter that throws': returns(() => withGetter('a')),
  'returns a toJSON that throws': returns(withToJson),
  'returns a thenable that throws': returns(() => withGetter('then')),
  'returns a thenable that never settles': returns(thenable),
  'returns a nested BigInt': returns(() => ({ rows: [{ n: 1n }] })),
  'returns a Map': returns(() => new Map([[1, 2]])),
  'returns a Date without a time': returns(() => new Date(Number.NaN)),
  'returns 20 MB': returns(() => 'x'.repeat(20_000_000)),
  'returns a key __proto__': returns(() => JSON.parse('{"__proto__":{"a":1}}')),
  'returns lone surrogates': returns(() => '\ud800'),
  'returns an error': returns(() => new Error('returned')),
  'throws null': throws(() => null),
  'throws undefined': throws(() => undefined),
  'throws a symbol': throws(() => Symbol('x')),
  'throws a proxy': throws(throwing),
  'throws an object without a prototype': throws(() => Object.create(null)),
  'throws a message of 10 MB': throws(() => new Error('x'.repeat(10_000_000))),
  'throws a message that is no text': throws(() => Object.assign(new Error(), { message: 1n })),
  'throws a BigInt in data': throws(() => new ThinkonError('TOOL_ERROR', 'x', { data: { n: 1n } })),
  'throws a circle in data': throws(() => new ThinkonError('TOOL_ERROR', 'x', { data: circle() })),
  'throws an outage': throws(() => new ThinkonError('MODEL_OUTAGE', 'out')),
  'throws an error of the store': throws(() => new ThinkonError('STORE_CORRUPT', 'x')),
  'throws an error of the run': throws(() => new ThinkonError('OWNERSHIP_LOST', 'x')),
  'throws at once': {
    run() {
      throw new Error('at once')
    },
  },
  'spends NaN': { ...spends(Number.NaN), binds: true },
  'spends nothing': spends(undefined),
  'spends null': spends(null),
  'spends less than nothing': spends(-100_000),
  'spends a text': spends('50'),
  'spends a BigInt': spends(5n),
  'spends Infinity': spends(Infinity),
  'spends an object': spends(throwing()),
  'spends NaN after 900': { ...spends(900, Number.NaN), binds: true },
  'spends after its end': {
    run: async (_, io) => {
      setTimeout(() => io.spend(Number.NaN), 1)
      return 'later'
    },
  },
  'changes its input': {
    run: async (input) => {
      input.text = 1n
      return input.text.toString()
    },
  },
  'isFree throws': {
    ...returns(() => 1),
    more: {
      isFree() {
        throw new Error('free?')
      },
    },
  },
  'deeds throws': {
    ...returns(() => 1),
    more: {
      deeds() {
        throw new Error('deeds?')
      },
    },
  },
  'deeds no list': { ...returns(() => 1), more: { deeds: () => 42 } },
}
