/** Whatever a caller gives, what comes back is an error of ours or a result: never a TypeError from the inside. */
import { afterAll, expect, it } from 'vitest'
import { METHODS } from '../../src/engine/entrances.ts'
import * as thinkon from '../../src/index.ts'
import * as protocol from '../../src/protocol.ts'
import * as strategies from '../../src/strategies/index.ts'
import * as testing from '../../src/testing/index.ts'
import * as views from '../../src/views.ts'

// biome-ignore lint/suspicious/noExplicitAny: a caller without types
type Untyped = any

const CALLS_EACH = 150
const circle: Untyped = {}
circle.self = circle

const LEAVES: readonly unknown[] = [
  ...[
    undefined,
    null,
    true,
    false,
    0,
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1n,
    '',
    'x',
    'tot',
    '1',
    'ended',
  ],
  ...[
    Symbol('x'),
    () => {},
    class {},
    circle,
    new Map(),
    new Date(0),
    /x/,
    new AbortController().signal,
    Promise.resolve(1),
  ],
]
/** Names of options that do something when they are right; those of files are left out. */
const KEYS = [
  ...[
    'model',
    'models',
    'tools',
    'strategies',
    'clock',
    'onOutage',
    'strategy',
    'options',
    'strategyOptions',
    'routes',
    'fallbacks',
  ],
  ...[
    'budget',
    'output',
    'signal',
    'onEvent',
    'id',
    'seed',
    'approval',
    'limit',
    'status',
    'search',
    'keep',
    'strict',
    'name',
    'run',
  ],
  ...['agents', 'verify', 'deltas', 'callLlm', 'cost', 'how', 'self', 'constructor', '__proto__', 'toString'],
]

const engine: Untyped = thinkon.createEngine()
const ended = engine.start('1 + 1', { id: 'ended' }).then(async (run: Untyped) => void (await run.outcome))
afterAll(() => engine.close())

const { createEngine, solve, tool, builtinTools, fromAiSdk }: Untyped = thinkon
const { treeOfThoughts, dualEngine, chainOfThoughtNode, defineStrategy, newShared, runFlow }: Untyped =
  strategies
const { ScriptedModel, reply, faultyModel, faultyTool, crashAt, manualClock, toolIo }: Untyped = testing

const { foldEvents, foldEvent, emptyState }: Untyped = protocol
const { SHIPPED_VIEWS, FORMATS: _, segment: __, ...drawing }: Untyped = views
const following = ['createAnswerText', 'createDetails', 'createStreams', 'createThoughts'].map(
  (name): [string, (event: unknown) => unknown] => [
    `${name}().follow`,
    (event) => drawing[name](SHIPPED_VIEWS).follow(event),
  ],
)

const ENTRANCES: [string, (...given: unknown[]) => unknown][] = [
  ...Object.keys(METHODS).map((name): [string, () => unknown] => [`engine.${name}`, engine[name]]),
  ...Object.entries({ createEngine, solve, tool, builtinTools, fromAiSdk, treeOfThoughts, dualEngine }),
  ...Object.entries({
    chainOfThoughtNode,
    defineStrategy,
    newShared,
    runFlow,
    reply,
    faultyModel,
    faultyTool,
  }),
  ...Object.entries({
    crashAt,
    manualClock,
    toolIo,
    ScriptedModel: (...given: unknown[]) => new ScriptedModel(...given),
  }),
  ...Object.entries({ ...drawing, foldEvents }),
  ['foldEvent', (event) => foldEvent(emptyState(), event)],
  ...following,
]

it.each(ENTRANCES)('%s', async (name, call) => {
  await ended
  const random = randomOf(name)
  for (let i = 0; i < CALLS_EACH; i++) {
    const given = Array.from({ length: pick(random, [0, 1, 2, 3, 4]) }, () => junk(random, 3))
    const thrown = await thrownBy(() => call(...given))
    if (thrown !== null && !thinkon.ThinkonError.isInstance(thrown)) expect({ i, given, thrown }).toBe(null)
  }
})

async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    const made: Untyped = await call()
    await made?.outcome
    return null
  } catch (thrown) {
    return thrown
  }
}

function junk(random: () => number, levels: number): unknown {
  const kind = levels === 0 ? 0 : random()
  if (kind < 0.4) return pick(random, LEAVES)
  const inner = () => junk(random, levels - 1)
  if (kind < 0.55) return Array.from({ length: pick(random, [0, 1, 2]) }, inner)
  return Object.fromEntries(
    Array.from({ length: pick(random, [0, 1, 2]) }, () => [pick(random, KEYS), inner()]),
  )
}

function pick<T>(random: () => number, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T
}

/** The same numbers for the same name. */
function randomOf(name: string): () => number {
  let state = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7)
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 0) / 2 ** 32
  }
}
