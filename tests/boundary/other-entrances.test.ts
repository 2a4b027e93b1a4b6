/** Wrong calls of what surrounds the engine: runs, tools, stores, strategies and the test kit, as a caller in JavaScript makes them. */
import { afterAll, describe, expect, it } from 'vitest'
import * as cluster from '../../src/cluster.ts'
import * as thinkon from '../../src/index.ts'
import * as mcp from '../../src/mcp.ts'
import * as protocol from '../../src/protocol.ts'
import * as stores from '../../src/stores.ts'
import * as strategies from '../../src/strategies/index.ts'
import * as testing from '../../src/testing/index.ts'
import * as views from '../../src/views.ts'

// biome-ignore lint/suspicious/noExplicitAny: a caller without types
type Untyped = any

const { createEngine, tool, fromAiSdk, solve }: Untyped = thinkon
const { memoryStore, sqliteStore }: Untyped = stores
const { clusterWorker, runPerformer, cluster: clusterHost }: Untyped = cluster
const { treeOfThoughts, dualEngine, chainOfThoughtNode, runFlow, defineStrategy, newShared }: Untyped =
  strategies
const { ScriptedModel, reply, faultyModel, faultyTool, crashAt, manualClock, toolIo }: Untyped = testing
const { createThoughts, createAnswerText, progressLines, formatRun, SHIPPED_VIEWS }: Untyped = views
const { foldEvents }: Untyped = protocol
const { mcpTools }: Untyped = mcp
const { ThinkonError } = thinkon

const model = new ScriptedModel([])
const stock = { name: 'stock', description: 'counts', access: 'read', run: () => 1 }
const mine = { name: 'mine', version: 1, options: () => ({}), solve: async () => 'done' }

const engine = createEngine()
const run = engine.start('1 + 1', { id: 'ended' })
afterAll(() => engine.close())

type Wrong = readonly [call: () => unknown, message: string]

const RUN: Wrong[] = [
  [async () => (await run).signal(), "run.signal: path is missing: the block's path"],
  [async () => (await run).signal('1'), "run.signal: name is missing: the signal's name"],
  [async () => (await run).signal('1', 'message', 1n), 'run.signal: value must be JSON, not a bigint'],
  [async () => (await run).cancel({}), 'run.cancel: reason must be a text, not an object'],
  [
    async () => (await run).events.with({ delta: true }),
    'run.events.with: unknown option "delta": did you mean "deltas"?',
  ],
  [
    async () => (await run).toUIMessageStream({ sendReasoning: false, tree: 'yes' }),
    'run.toUIMessageStream: unknown option "sendReasoning": did you mean "reasoning"?\nrun.toUIMessageStream: tree must be true or false, not "yes"',
  ],
  [async () => (await run).events.with(), 'run.events.with: the options are missing: { deltas: true }'],
  [
    async () => (await run).events.with({ signal: 1 }),
    'run.events.with: signal must be an AbortSignal, not 1',
  ],
]

const TOOLS: Wrong[] = [
  [() => tool(), 'tool: the options are missing: name, description, access, run'],
  [() => tool({ ...stock, run: undefined }), 'tool: run is missing: the function that does the work'],
  [() => tool({ ...stock, execute() {} }), 'tool: unknown option "execute": did you mean "run"?'],
  [() => tool({ ...stock, parameters: {} }), 'tool: unknown option "parameters": did you mean "input"?'],
  [
    () => tool({ ...stock, name: 'my tool' }),
    'tool: name must be a name of letters, digits, _ and -, at most 64, not "my tool"',
  ],
  [() => tool({ ...stock, access: 'all' }), 'tool: access must be "read" or'],
  [() => tool({ ...stock, input: 5 }), 'tool: input must be a schema'],
  [() => fromAiSdk(), 'fromAiSdk: tools is missing: AI SDK tools by name'],
  [() => fromAiSdk([]), 'fromAiSdk: tools must be an object: AI SDK tools by name, not a list'],
  [() => fromAiSdk({ a: 5 }), 'fromAiSdk: tools.a must be an AI SDK tool, not 5'],
  [() => fromAiSdk({}, { acess: 'read' }), 'fromAiSdk: unknown option "acess": did you mean "access"?'],
]

const STORES: Wrong[] = [
  [() => memoryStore(5), 'memoryStore: the options must be an object, not 5'],
  [() => memoryStore({ maxEvent: 5 }), 'memoryStore: unknown option "maxEvent": did you mean "maxEvents"?'],
  [
    () => memoryStore({ maxEvents: -5 }),
    'memoryStore: maxEvents must be a whole number of 0 or more, not -5',
  ],
  [() => sqliteStore(), 'sqliteStore: path is missing: the file'],
  [() => sqliteStore(5), 'sqliteStore: path must be a text that is not empty, not 5'],
  [() => sqliteStore('/tmp/x', { sync: 'full' }), 'sqliteStore: unknown option "sync"'],
]

const STRATEGIES: Wrong[] = [
  [() => treeOfThoughts({ agent: {} }), 'treeOfThoughts: unknown option "agent": did you mean "agents"?'],
  [
    () => treeOfThoughts({ agents: { generater: () => [] } }),
    'treeOfThoughts: unknown key "generater" in agents: did you mean "generator"?',
  ],
  [
    () => treeOfThoughts({ agents: { generator: 5 } }),
    'treeOfThoughts: agents.generator must be a function, or an object with begin() and end(), not 5',
  ],
  [() => treeOfThoughts({ verify: true }), 'treeOfThoughts: verify must be a function, not true'],
  [() => treeOfThoughts({ name: 'My Tree' }), 'treeOfThoughts: name must be a name in lower-case letters'],
  [() => treeOfThoughts({ options: [] }), 'treeOfThoughts: options must be an object'],
  [() => treeOfThoughts(5), 'treeOfThoughts: the options must be an object, not 5'],
  [
    () => dualEngine({ planTemplat: 1 }),
    'dualEngine: unknown option "planTemplat": did you mean "planTemplate"?',
  ],
  [() => dualEngine({ planTemplate: {} }), 'dualEngine: planTemplate must be a function, not an object'],
  [
    () => dualEngine({ contextProviders: {} }),
    'dualEngine: contextProviders must be a list of { name, provide }, not an object',
  ],
  [
    () => dualEngine({ contextProviders: [{ name: 'a' }] }),
    'dualEngine: contextProviders[0].provide is missing: the function that gives the text',
  ],
  [() => chainOfThoughtNode(), 'chainOfThoughtNode: the options are missing: an object with callLlm'],
  [() => chainOfThoughtNode({}), 'chainOfThoughtNode: callLlm is missing: the function that asks a model'],
  [
    () => chainOfThoughtNode({ callLLM() {} }),
    'chainOfThoughtNode: unknown option "callLLM": did you mean "callLlm"?',
  ],
  [
    () => chainOfThoughtNode({ callLlm() {}, maxThoughts: 0 }),
    'chainOfThoughtNode: maxThoughts must be a whole number of 1 or more, not 0',
  ],
  [() => runFlow(), 'runFlow: flow is missing: a node, or { start, nodes }'],
  [() => runFlow({ start: 'a', nodes: {} }, {}), 'the flow has no node "a"'],
  [() => newShared(), 'newShared: problem is missing: what is to be solved'],
  [
    () => defineStrategy(),
    'defineStrategy: the options are missing: an object with name, version, options() and solve()',
  ],
  [
    () => defineStrategy({ ...mine, solve: undefined }),
    'defineStrategy: solve is missing: the function that solves a block',
  ],
]

const TESTING: Wrong[] = [
  [
    () => new ScriptedModel(),
    'ScriptedModel: script is missing: replies in order, lists of them by goal or kind, or a function',
  ],
  [
    () => new ScriptedModel('hello'),
    'ScriptedModel: script must be a list of replies, an object with lists of them, or a function, not "hello"',
  ],
  [
    () => new ScriptedModel({ a: 'hello' }),
    'ScriptedModel: script.a must be a list of replies, or a function, not "hello"',
  ],
  [() => new ScriptedModel([], { costs: 1 }), 'ScriptedModel: unknown option "costs": did you mean "cost"?'],
  [() => reply('x', { toolcalls: [] }), 'reply: unknown option "toolcalls": did you mean "toolCalls"?'],
  [() => reply('x', { deltas: 'x' }), 'reply: deltas must be a list of texts, not "x"'],
  [() => faultyModel(), 'faultyModel: model is missing: the model whose calls fail'],
  [() => faultyModel({}, {}), 'faultyModel: model.id is missing'],
  [() => faultyModel(model), 'faultyModel: plan is missing: which call gets which fault'],
  [() => faultyModel(model, { 1: { fault: 'slwo' } }), 'faultyModel: plan.1.fault must be "malformed" or'],
  [() => faultyModel(model, { 1: 'slow' }), 'faultyModel: plan.1 must be an object, not "slow"'],
  [() => faultyModel(model, {}, {}), 'faultyModel: clock.nowMs is missing'],
  [() => faultyTool(), 'faultyTool: tool is missing: the tool whose calls fail'],
  [
    () => faultyTool(stock, { 1: { fault: 'outage' } }),
    'faultyTool: plan.1.fault must be "crash" or "timeout" or "slow", not "outage"',
  ],
  [() => crashAt(), 'crashAt: store is missing: the store that crashes'],
  [() => crashAt(':memory:'), 'crashAt: store must be an object, not ":memory:"'],
  [() => crashAt(memoryStore(), -1), 'crashAt: n must be a whole number of 1 or more, not -1'],
  [() => crashAt(memoryStore(), 1, { how: 'die' }), 'crashAt: how must be "throw" or "kill", not "die"'],
  [() => manualClock('now'), 'manualClock: startMs must be a number of 0 or more, not "now"'],
  [() => manualClock().advance(), 'clock.advance: ms is missing: how many milliseconds pass'],
  [() => manualClock().advance(-5), 'clock.advance: ms must be a number of 0 or more, not -5'],
  [() => manualClock().jump('1h'), 'clock.jump: ms must be a number of milliseconds, not "1h"'],
  [() => toolIo({ sginal: 1 }), 'toolIo: unknown option "sginal": did you mean "signal"?'],
]

const LATER: Wrong[] = [
  [() => loading(() => 5), 'load() of the strategy "mine": solver must be an object, not 5'],
  [() => loading(() => ({ solve() {} })), 'load() of the strategy "mine": solver.options is missing'],
  [
    () =>
      solve('x', {
        model,
        strategies: [{ ...mine, options: (given: Untyped) => given.a.b }],
        strategy: 'mine',
      }),
    'the options of the strategy "mine" can\'t be checked: ',
  ],
  [
    () => solve('x', { model, strategies: [{ ...mine, calls: () => 5 }], strategy: 'mine' }),
    'the options of the strategy "mine" can\'t be checked: ',
  ],
  [
    async () => {
      const closed = createEngine()
      await closed.close()
      await closed.list()
    },
    'engine.list: the engine is closed',
  ],
  [
    async () => {
      const closed = createEngine()
      const left = await closed.start('1 + 1')
      await left.outcome
      await closed.close()
      await closed.close()
      await left.signal('1', 'message', 'x')
    },
    'run.signal: the engine is closed',
  ],
]

const VIEWS: Wrong[] = [
  [() => foldEvents(), 'foldEvents: events is missing: the events of a run'],
  [() => foldEvents({}), 'foldEvents: events must be the events of a run, in a list or another iterable'],
  [() => foldEvents([3]), 'foldEvent: event must be an event of a run, not 3'],
  [() => createThoughts(), 'createThoughts: views is missing: SHIPPED_VIEWS'],
  [() => createThoughts({ tot: {} }), 'createThoughts: views must be views by the names of strategies'],
  [() => createAnswerText(SHIPPED_VIEWS).follow(3), 'follow: event must be an event of a run, not 3'],
  [
    () => progressLines(foldEvents([]), { lang: 'de', width: 80, maxLines: 20, now: 0 }),
    'progressLines: unknown option "now": did you mean "nowMs"?\n' +
      'progressLines: lang must be "en" or "zh", not "de"\nprogressLines: nowMs is missing: the time in milliseconds',
  ],
  [() => progressLines([], {}), 'progressLines: state must be the state of a run'],
  [() => formatRun([], SHIPPED_VIEWS), 'formatRun: the options are missing: format and lang'],
]

const MCP: Wrong[] = [
  [
    () => mcpTools([{ command: 'npx' }]),
    'mcpTools: servers[0] must be a command or an address (servers with settings are given in an object, by name)',
  ],
  [() => mcpTools({ files: { comand: 'npx' } })(), 'MCP server "files": give either "command"'],
]

const CLUSTER: Wrong[] = [
  [() => createEngine({ host: 'cluster' }), 'createEngine: host must be a function, not "cluster"'],
  [() => clusterWorker(), 'clusterWorker: the options are missing: postgres'],
  [
    () => clusterWorker({ model: 'test' }),
    'clusterWorker: postgres is missing: the connection string of the PostgreSQL that workers and engines share',
  ],
  [
    () => clusterWorker({ postgres: 'postgres://127.0.0.1/x', capacity: { runs: 0, heapShare: 2 } }),
    'clusterWorker: capacity.runs must be a whole number from 1 to 100000, not 0\n' +
      'clusterWorker: capacity.heapShare must be a share between 0 and 1, not 2',
  ],
  [
    () => runPerformer({ postgres: 'postgres://127.0.0.1/x', restAfter: 1 }),
    'runPerformer: unknown option "restAfter": did you mean "restAfterMs"?',
  ],
  [() => clusterHost({}), 'cluster: postgres is missing: the connection string'],
]

const loading = (load: () => unknown) =>
  solve('x', { model, strategies: [{ name: 'mine', version: 1, load }], strategy: 'mine' })

describe.each([
  ['a run', RUN],
  ['tools', TOOLS],
  ['stores', STORES],
  ['thinkon/views and thinkon/protocol', VIEWS],
  ['thinkon/mcp', MCP],
  ['thinkon/cluster', CLUSTER],
  ['strategies', STRATEGIES],
  ['the test kit', TESTING],
  ['what shows later', LATER],
])('%s', (_, calls) => {
  it.each(calls.map(([call, message]) => [message, call] as const))('%s', async (message, call) => {
    const thrown = await refusalOf(call)
    expect(thrown.message.startsWith(message) ? message : thrown.message).toBe(message)
  })
})

describe('a strategy that returns', () => {
  it.each([
    [undefined],
    [null],
    [5],
    [{}],
    [{ status: 'done', result: 'x' }],
    [{ status: 'completed' }],
    [Symbol('x')],
    [1n],
    [() => 1],
  ])('%s fails with an outcome that says what it must return', async (answer) => {
    const outcome = await solve('x', {
      model,
      strategies: [{ ...mine, solve: async () => answer }],
      strategy: 'mine',
    })
    expect(outcome.status).toBe('failed')
    expect(outcome.reason).toMatch(/a strategy returns a text, or \{status, result\}/)
  })

  it.each([
    ['completed', { status: 'completed', result: 'four' }],
    ['skipped', { status: 'failed', result: '', reason: 'not needed' }],
  ])('the outcome of a child that was %s passes it on', async (end, expected) => {
    const child = {
      ...mine,
      name: 'child',
      solve: async (context: thinkon.Context) =>
        end === 'completed' ? 'four' : String(await context.one(context.ask({ text: '?' }))),
    }
    const parent = {
      ...mine,
      solve: async (context: thinkon.Context) =>
        await context.one(context.call('below', { strategy: 'child' })),
    }
    const engine = createEngine({ model, strategies: [parent, child] })
    try {
      const run = await engine.start('x', { strategy: 'mine' })
      for await (const event of run.events) {
        if (event.type === 'signal-asked') await run.signal(event.path, 'skip', 'not needed')
        if (event.type === 'run-end') break
      }
      expect(await run.outcome).toMatchObject(expected)
    } finally {
      await engine.close()
    }
  })
})

async function refusalOf(call: () => unknown): Promise<Error> {
  try {
    await call()
  } catch (thrown) {
    if (ThinkonError.isInstance(thrown) && thrown.code !== 'INTERNAL') return thrown
    throw new Error(`not an error of ours: ${String(thrown)}`)
  }
  throw new Error('it was not refused')
}
