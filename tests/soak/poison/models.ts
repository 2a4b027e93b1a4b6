/** Model objects that return, throw and report what no model should. */
import { type Model, ThinkonError } from '../../../src/index.ts'
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

export interface PoisonModel {
  /** The tokens of its calls must bind, because it does not report what it has spent. */
  readonly binds?: true
  call(request: Untyped, io: Untyped, count: number): Untyped
  readonly more?: Partial<Record<keyof Model, Untyped>>
}

export const TEXT = '{"do":"return","result":"done"}'
const FINE = { inputTokens: 900, outputTokens: 10 }

const replies = (fields: () => object): PoisonModel => ({
  call: async () => Object.assign({ text: TEXT, usage: FINE }, fields()),
})
const reports = (usage: () => Untyped): PoisonModel => ({
  binds: true,
  call: async () => ({ text: TEXT, usage: usage() }),
})
const returns = (value: () => Untyped): PoisonModel => ({ call: () => value() })
const throws = (value: () => Untyped): PoisonModel => ({
  call: async () => {
    throw value()
  },
})
const calls = (toolCalls: () => Untyped): PoisonModel => replies(() => ({ toolCalls: toolCalls() }))
const costs = (cost: Untyped): PoisonModel => ({ ...replies(() => ({})), more: { cost } })
const part = (run: (io: Untyped) => Untyped): PoisonModel => ({
  call: async (_, io) => {
    await run(io)
    return { text: TEXT, usage: FINE }
  },
})
const ours = (data: Untyped, code = 'MODEL_ERROR') =>
  Object.assign(new ThinkonError('MODEL_ERROR', 'ours'), { data, code })

export const POISON_MODELS: Readonly<Record<string, PoisonModel>> = {
  'usage null': reports(() => null),
  'usage undefined': reports(() => undefined),
  'usage missing': { binds: true, call: async () => ({ text: TEXT }) },
  'usage {}': reports(() => ({})),
  'usage a list': reports(() => [900, 10]),
  'usage a text': reports(() => '900'),
  'usage a BigInt': reports(() => 900n),
  'usage of BigInts': reports(() => ({ inputTokens: 900n, outputTokens: 10n })),
  'usage NaN': reports(() => ({ inputTokens: Number.NaN, outputTokens: Number.NaN })),
  'usage NaN once': {
    binds: true,
    call: async (_, __, count) => ({
      text: TEXT,
      usage: { inputTokens: count === 2 ? Number.NaN : 900, outputTokens: 10 },
    }),
  },
  'usage Infinity': reports(() => ({ inputTokens: Infinity, outputTokens: 1 })),
  'usage -Infinity': reports(() => ({ inputTokens: -Infinity, outputTokens: 1 })),
  'usage negative': reports(() => ({ inputTokens: -1_000, outputTokens: -1_000 })),
  'usage as texts': reports(() => ({ inputTokens: '50', outputTokens: '5' })),
  'usage huge': reports(() => ({ inputTokens: Number.MAX_VALUE, outputTokens: Number.MAX_VALUE })),
  'usage 0': reports(() => ({ inputTokens: 0, outputTokens: 0 })),
  'usage 0.001': reports(() => ({ inputTokens: 0.001, outputTokens: 0.001 })),
  'usage of objects': reports(() => ({ inputTokens: { valueOf: () => 1 }, outputTokens: [1] })),
  'usage a proxy': reports(throwing),
  'usage with a getter that throws': reports(() => withGetter('inputTokens')),
  'usage a circle': reports(circle),
  'usage with a cost of NaN': reports(() => ({ ...FINE, costUsd: Number.NaN })),
  'usage with a negative cost': reports(() => ({ ...FINE, costUsd: -5 })),
  'usage with a BigInt of cached tokens': reports(() => ({ ...FINE, cachedInputTokens: 1n })),
  'usage with negative lost tokens': reports(() => ({ ...FINE, lostTokens: -9_000 })),
  'cost throws': costs(() => {
    throw new Error('no price')
  }),
  'cost NaN': costs(() => Number.NaN),
  'cost negative': costs(() => -1),
  'cost a text': costs(() => '1'),
  'cost a BigInt': costs(() => 1n),
  'cost a promise': costs(async () => 1),
  'cost no function': costs('free'),
  'returns undefined': returns(() => undefined),
  'returns null': returns(() => null),
  'returns a text': returns(() => 'done'),
  'returns a number': returns(() => 42),
  'returns a list': returns(() => []),
  'returns a proxy': returns(throwing),
  'returns a revoked proxy': returns(revoked),
  'returns a thenable that throws': returns(() => withGetter('then')),
  'returns a thenable that never settles': returns(thenable),
  'returns a function': returns(() => () => TEXT),
  'text a number': replies(() => ({ text: 42 })),
  'text with a getter that throws': returns(() => withGetter('text', { usage: FINE })),
  'value a BigInt': replies(() => ({ value: { n: 1n } })),
  'value a circle': replies(() => ({ value: circle() })),
  'value a bomb': replies(() => ({ value: bomb() })),
  'value deep': replies(() => ({ value: deep() })),
  'value with a toJSON that throws': replies(() => ({ value: withToJson() })),
  'an extra field that is a BigInt': replies(() => ({ extra: 1n })),
  'an extra field that is a proxy': replies(() => ({ extra: throwing() })),
  'toolCalls null': calls(() => null),
  'toolCalls a text': calls(() => 'look'),
  'toolCalls numbers': calls(() => [1, 2]),
  'toolCalls nameless': calls(() => [{ id: '1', input: {} }]),
  'toolCalls without id': calls(() => [{ name: 'look', input: {} }]),
  'toolCalls with a function as input': calls(() => [{ id: '1', name: 'look', input: () => 1 }]),
  'toolCalls with a BigInt as input': calls(() => [{ id: '1', name: 'look', input: 1n }]),
  'toolCalls with one id': calls(() => Array(50).fill({ id: '1', name: 'look', input: {} })),
  'toolCalls to __proto__': calls(() => [{ id: '__proto__', name: '__proto__', input: {} }]),
  'reasoning null': replies(() => ({ reasoning: null })),
  'reasoning of numbers': replies(() => ({ reasoning: [1] })),
  'cutOff a text': replies(() => ({ cutOff: 'yes' })),
  'cutOff for ever': replies(() => ({ cutOff: true })),
  'cutAt NaN': replies(() => ({ cutOff: true, cutAt: Number.NaN })),
  'repairs a text': replies(() => ({ repairs: 'many' })),
  'asks a BigInt': replies(() => ({ asks: 3n })),
  'throws null': throws(() => null),
  'throws undefined': throws(() => undefined),
  'throws a symbol': throws(() => Symbol('no')),
  'throws a proxy': throws(throwing),
  'throws an object without a prototype': throws(() => Object.create(null)),
  'throws an error with a BigInt in data': throws(() => ours({ n: 1n })),
  'throws an error with a circle in data': throws(() => ours(circle())),
  'throws an error without data': throws(() => ours(null)),
  'throws an error with a code that is no text': throws(() => ours({}, 42 as Untyped)),
  'throws an error of the store': throws(() => new ThinkonError('STORE_FULL', 'full')),
  'throws an error of the run': throws(() => new ThinkonError('NON_DETERMINISM', 'other')),
  'throws a reply that is too long': throws(
    () =>
      new ThinkonError('REPLY_TOO_LONG', 'x', {
        data: { setting: 'maxReplyBytes', usage: { inputTokens: 1n } },
      }),
  ),
  'throws at once': {
    call() {
      throw new Error('at once')
    },
  },
  'onDelta with odd types': part((io) =>
    [1n, Symbol('x'), {}, null, throwing()].map((odd) => io.onDelta(odd)),
  ),
  'onHidden with odd types': part((io) =>
    [1n, Symbol('x'), {}, null, throwing()].map((odd) => io.onHidden(odd)),
  ),
  'onRetry with odd types': part((io) => [1n, null, 'x', circle(), throwing()].map((odd) => io.onRetry(odd))),
  'onDelta without end': part((io) => {
    for (let i = 0; i < 100; i++) io.onDelta('x'.repeat(100_000))
  }),
  'part without a function': part((io) => io.part(42)),
  'part that returns nothing': part((io) => io.part(async () => undefined)),
  'part with a BigInt': part((io) => io.part(async () => ({ value: 1n, usage: FINE }))),
  'part without usage': { ...part((io) => io.part(async () => ({ value: 1 }))), binds: true },
  'part that looks refused': part((io) => io.part(async () => ({ value: { refused: {} }, usage: FINE }))),
  'calls back after its end': {
    call: async (_, io) => {
      setTimeout(() => {
        for (const odd of [1n, 'late', circle()]) {
          io.onDelta(odd)
          io.onHidden(odd)
          io.onRetry(odd)
        }
      }, 1)
      return { text: TEXT, usage: FINE }
    },
  },
  'refusal throws': {
    ...replies(() => ({})),
    more: {
      refusal() {
        throw new Error('no')
      },
    },
  },
  'refusal true': { ...replies(() => ({})), more: { refusal: () => true } },
  'window NaN': { ...replies(() => ({})), more: { window: Number.NaN } },
  'maxOutputTokens negative': { ...replies(() => ({})), more: { maxOutputTokens: -100_000 } },
  'thinkingTokens a text': { ...replies(() => ({})), more: { thinkingTokens: '9' } },
  'maxReplyBytes a BigInt': { ...replies(() => ({})), more: { maxReplyBytes: 9n } },
}
