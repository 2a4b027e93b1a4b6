/** Each wrong call as a caller in JavaScript makes it, and what it is refused with. Nothing here is typed: that is the point. */
import { afterAll, describe, expect, it } from 'vitest'
import { createEngine, solve, ThinkonError } from '../../src/index.ts'
import { memoryStore } from '../../src/stores.ts'

// biome-ignore lint/suspicious/noExplicitAny: a caller without types
type Untyped = any

const store = memoryStore()
const engine: Untyped = createEngine({ store })
const create: Untyped = createEngine
const solving: Untyped = solve
const ended = engine.start('1 + 1', { id: 'ended' }).then(async (run: Untyped) => void (await run.outcome))
afterAll(() => engine.close())

const good = { name: 'stock', description: 'counts', access: 'read', run: () => 1 }
const mine = { name: 'mine', version: 1, options: () => ({}), solve: async () => 'done' }
const circle: Untyped = {}
circle.self = circle

/** The call, and the whole message. */
type Wrong = readonly [call: () => unknown, message: string]

const CREATE: Wrong[] = [
  [() => create('openai:gpt-5'), 'createEngine: the options must be an object, not "openai:gpt-5"'],
  [() => create([]), 'createEngine: the options must be an object, not a list'],
  [() => create(null), 'createEngine: the options must be an object, not null'],
  [() => create({ modle: 'x' }), 'createEngine: unknown option "modle": did you mean "model"?'],
  [() => create({ Model: 'x' }), 'createEngine: unknown option "Model": did you mean "model"?'],
  [() => create({ llm: 'x' }), 'createEngine: unknown option "llm": did you mean "model"?'],
  [() => create({ checkpointer: 'x' }), 'createEngine: unknown option "checkpointer": did you mean "store"?'],
  [
    () => create({ zzz: 1 }),
    'createEngine: unknown option "zzz"; there are: model, models, promptTokens, onOutage, record, tools, workspace, store, host, synchronous, strategies, clock, key',
  ],
  [() => create({ strategy: 'tot' }), 'createEngine: "strategy" is an option of engine.start and of solve'],
  [() => create({ budget: {} }), 'createEngine: "budget" is an option of engine.start and of solve'],
  [
    () => create({ modle: 'x', stor: 'y' }),
    'createEngine: unknown option "modle": did you mean "model"?\ncreateEngine: unknown option "stor": did you mean "store"?',
  ],
  // models
  [() => create({ model: '' }), 'createEngine: model must be a text that is not empty, not ""'],
  [
    () => create({ model: 5 }),
    'createEngine: model must be a spec such as "openai:gpt-5", a model object, an object with "model" and settings, or a list of these, not 5',
  ],
  [
    () => create({ model: null }),
    'createEngine: model must be a spec such as "openai:gpt-5", a model object, an object with "model" and settings, or a list of these, not null',
  ],
  [() => create({ model: [] }), 'createEngine: model must name at least one model'],
  [
    () => create({ model: ['openai:gpt-5', 7] }),
    'createEngine: model[1] must be a spec such as "openai:gpt-5", a model object, or an object with "model" and settings, not 7',
  ],
  [
    () => create({ model: { id: 'x' } }),
    'createEngine: model.call is missing: a model has an "id" and a function "call"; an AI SDK language model is one, too',
  ],
  [
    () => create({ model: { call() {} } }),
    'createEngine: model.id is missing: a model has an "id" and a function "call"; an AI SDK language model is one, too',
  ],
  [
    () => create({ model: { temperature: 1 } }),
    'createEngine: model.model is missing: a spec such as "openai:gpt-5", or a model object',
  ],
  [
    () => create({ model: { model: 'openai:gpt-5', temprature: 1 } }),
    'createEngine: unknown key "temprature" in model: did you mean "temperature"?',
  ],
  [
    () => create({ model: { model: 'openai:gpt-5', temperature: '1' } }),
    'createEngine: model.temperature must be a number of 0 or more, not "1"',
  ],
  [
    () => create({ model: { model: 'gguf:a.gguf', gguf: { gpu: 'nvidia' } } }),
    'createEngine: model.gguf.gpu must be "auto", "metal", "cuda", "vulkan" or false, not "nvidia"',
  ],
  [
    () => create({ models: { act: { model: 'gguf:a.gguf', gguf: { threads: 1n } } } }),
    'createEngine: models.act.gguf.threads must be a whole number of 1 or more, not a bigint',
  ],
  [
    () => create({ model: { model: 'gguf:a.gguf', gguf: { constructor: 1 } } }),
    'createEngine: model.gguf.constructor is unknown: there are contextSize, sequences, chatTemplate, gpu, gpuLayers, threads',
  ],
  [
    () => create({ model: { model: 'openai:gpt-5', apiKey: 5 } }),
    'createEngine: model.apiKey must be a text that is not empty, not a number',
  ],
  [
    () => create({ models: { jugde: 'x' } }),
    'createEngine: unknown key "jugde" in models: did you mean "judge"?',
  ],
  [() => create({ models: 'x' }), 'createEngine: models must be an object, not "x"'],
  [
    () => create({ promptTokens: 10 }),
    'createEngine: promptTokens must be a whole number of 1000 or more, not 10',
  ],
  [
    () => create({ onOutage: 'wiat' }),
    'createEngine: onOutage must be "wait" or "fail", not "wiat": did you mean "wait"?',
  ],
  [() => create({ record: true }), 'createEngine: record must be a text that is not empty, not true'],
  // stores and clocks
  [() => create({ store: 5 }), 'createEngine: store must be a file, ":memory:" or a store, not 5'],
  [() => create({ store: '' }), 'createEngine: store must be a text that is not empty, not ""'],
  [
    () => create({ store: { ...memoryStore(), append: undefined } }),
    'createEngine: store is no store: it lacks the method append',
  ],
  [
    () => create({ store: new URL('file:///tmp/x') }),
    'createEngine: store is no store: it lacks the methods create, acquire, release',
  ],
  [() => create({ synchronous: 'off' }), 'createEngine: synchronous must be "full" or "normal", not "off"'],
  [() => create({ clock: Date }), 'createEngine: clock must be an object, not a function'],
  [() => create({ clock: {} }), 'createEngine: clock.nowMs is missing: the time of day in milliseconds'],
  [
    () => create({ key: 'me' }),
    'createEngine: key must be a text of at least 32 characters, or a function that returns one, not this text',
  ],
  // tools
  [() => create({ tools: 'shell' }), 'createEngine: tools must be'],
  [
    () => create({ tools: [good, { ...good, name: 'b', run: undefined }] }),
    'createEngine: tools[1].run is missing: the function that does the work',
  ],
  [
    () => create({ tools: [{ ...good, run: undefined, execute() {} }] }),
    'createEngine: tools[0].run is missing: the function that does the work (here it is "execute")',
  ],
  [
    () => create({ tools: [{ ...good, name: undefined }] }),
    'createEngine: tools[0].name is missing: the name that models call it by',
  ],
  [
    () => create({ tools: [{ ...good, access: undefined }] }),
    'createEngine: tools[0].access is missing: what it does to the world: read, write, network, execute',
  ],
  [
    () => create({ tools: [{ ...good, access: 'raed' }] }),
    'createEngine: tools[0].access must be "read" or "write" or "network" or "execute", not "raed": did you mean "read"?',
  ],
  [
    () => create({ tools: [{ ...good, input: 'text' }] }),
    'createEngine: tools[0].input must be a schema: of zod',
  ],
  [
    () => create({ tools: [{ ...good, description: undefined }] }),
    'createEngine: tools[0].description is missing: what it does and when to use it, for models',
  ],
  [() => create({ tools: [good, good] }), 'createEngine: tools[0] and tools[1] have the same name, "stock"'],
  [() => create({ tools: [null] }), 'createEngine: tools[0] must be'],
  [() => create({ tools: [undefined] }), 'createEngine: tools[0] must be'],
  // strategies
  [
    () => create({ strategies: mine }),
    'createEngine: strategies must be a list of strategies, not an object',
  ],
  [
    () => create({ strategies: ['mine'] }),
    'createEngine: strategies[0] must be a strategy: an object with a name, a version, and load() or solve(), not "mine"',
  ],
  [
    () => create({ strategies: [{ ...mine, solve: undefined }] }),
    'createEngine: strategies[0].solve is missing: the function that solves a block',
  ],
  [
    () => create({ strategies: [{ ...mine, options: undefined }] }),
    'createEngine: strategies[0].options is missing: the function that checks its options and fills in defaults',
  ],
  [
    () => create({ strategies: [{ ...mine, version: '1' }] }),
    'createEngine: strategies[0].version must be a whole number of 0 or more, not "1"',
  ],
  [
    () => create({ strategies: [{ ...mine, name: 'My Own' }] }),
    'createEngine: strategies[0].name must be a name in lower-case letters, digits and hyphens, not "My Own"',
  ],
  [
    () => create({ strategies: [{ name: 'm', version: 1, load: 5 }] }),
    'createEngine: strategies[0].load must be a function, not 5',
  ],
  [
    () => create({ strategies: [mine, mine] }),
    'createEngine: strategies[0] and strategies[1] have the same name, "mine"',
  ],
]

const START: Wrong[] = [
  [
    () => engine.start(),
    'engine.start: goal is missing: a text, or {intent, deliverable, metric, constraint}',
  ],
  [
    () => engine.start(null),
    'engine.start: goal must be a text, or {intent, deliverable, metric, constraint}, not null',
  ],
  [
    () => engine.start(5),
    'engine.start: goal must be a text, or {intent, deliverable, metric, constraint}, not 5',
  ],
  [
    () => engine.start(['a']),
    'engine.start: goal must be a text, or {intent, deliverable, metric, constraint}, not a list',
  ],
  [() => engine.start(''), 'the goal is empty: say what you want done'],
  [
    () => engine.start({ intent: 'x' }),
    'the goal must be a text, or {intent, deliverable, metric, constraint}: "deliverable" is missing',
  ],
  [
    () => engine.start({ goal: 'x' }),
    'the goal must be a text, or {intent, deliverable, metric, constraint}: "intent" is missing',
  ],
  [() => engine.start('x', 'tot'), 'engine.start: the options must be an object, not "tot"'],
  [() => engine.start('x', null), 'engine.start: the options must be an object, not null'],
  [
    () => engine.start('x', { stratgy: 'tot' }),
    'engine.start: unknown option "stratgy": did you mean "strategy"?',
  ],
  [
    () => engine.start('x', { abortSignal: 1 }),
    'engine.start: unknown option "abortSignal": did you mean "signal"?',
  ],
  [() => engine.start('x', { limits: {} }), 'engine.start: unknown option "limits": did you mean "budget"?'],
  [() => engine.start('x', { model: 'y' }), 'engine.start: "model" is an option of createEngine'],
  [() => engine.start('x', { tools: [] }), 'engine.start: "tools" is an option of createEngine'],
  [
    () => engine.start('x', { strategy: 5 }),
    'engine.start: strategy must be a text that is not empty, not 5',
  ],
  [
    () => engine.start('x', { options: [] }),
    'engine.start: options must be an object: options of the strategy, not a list',
  ],
  [
    () => engine.start('x', { options: 'beam' }),
    'engine.start: options must be an object: options of the strategy, not "beam"',
  ],
  [
    () => engine.start('x', { strategy: 'tot', options: { beam: 3n } }),
    'engine.start: options.beam must be JSON, not a bigint',
  ],
  [
    () => engine.start('x', { strategy: 'tot', options: { beam: () => 3 } }),
    'engine.start: options.beam must be JSON, not a function',
  ],
  [
    () => engine.start('x', { strategy: 'tot', options: circle }),
    'engine.start: options.self is nested deeper than 200 levels, or contains itself',
  ],
  [
    () => engine.start('x', { strategy: 'tot', options: { beem: 3 } }),
    'tot has no option "beem" (did you mean "beam"?)',
  ],
  [
    () => engine.start('x', { strategy: 'tot', options: { beam: '3' } }),
    'beam must be a whole number from 1 to 1000, not 3',
  ],
  [
    () => engine.start('x', { budget: { cals: 5 } }),
    'engine.start: unknown key "cals" in budget: did you mean "calls"?',
  ],
  [
    () => engine.start('x', { budget: { calls: -1 } }),
    'engine.start: budget.calls must be a whole number of 0 or more, not -1',
  ],
  [
    () => engine.start('x', { budget: { calls: '5' } }),
    'engine.start: budget.calls must be a whole number of 0 or more, not "5"',
  ],
  [
    () => engine.start('x', { budget: { calls: Number.NaN } }),
    'engine.start: budget.calls must be a whole number of 0 or more, not NaN',
  ],
  [
    () => engine.start('x', { budget: { costUsd: null } }),
    'engine.start: budget.costUsd must be a number of 0 or more, not null',
  ],
  [() => engine.start('x', { budget: 100 }), 'engine.start: budget must be an object, not 100'],
  [() => engine.start('x', { signal: {} }), 'engine.start: signal must be an AbortSignal, not an object'],
  [
    () => engine.start('x', { signal: new AbortController() }),
    'engine.start: signal must be an AbortSignal, not an object',
  ],
  [() => engine.start('x', { onEvent: {} }), 'engine.start: onEvent must be a function, not an object'],
  [
    () => engine.start('x', { id: 5 }),
    'engine.start: id must be a text of one line, at most 200 characters, not 5',
  ],
  [
    () => engine.start('x', { id: '' }),
    'engine.start: id must be a text of one line, at most 200 characters, not ""',
  ],
  [() => engine.start('x', { seed: 7 }), 'engine.start: seed must be a text that is not empty, not 7'],
  [
    () => engine.start('x', { workspace: 5 }),
    'engine.start: workspace must be a text that is not empty, not 5',
  ],
  [
    () => engine.start('x', { approval: { asks: 'nobdy', workspace: '.' } }),
    'engine.start: approval.asks must be "person" or "nobody" or "yes", not "nobdy": did you mean "nobody"?',
  ],
  [
    () => engine.start('x', { approval: { asks: 'yes', workspace: '.', allow: 'read' } }),
    'engine.start: approval.allow must be a list of rules such as ["read", "shell(npm test *)"], not "read"',
  ],
  [
    () => engine.start('x', { routes: { when: {}, use: 'tot' } }),
    'routes must be a list of routes, not an object',
  ],
  [
    () => engine.start('x', { routes: [{ use: 'tot' }] }),
    'routes[0] needs "when", which says which blocks it applies to; {} means all',
  ],
  [
    () => engine.start('x', { routes: [{ when: {}, use: 'tott' }] }),
    'routes[0].use: strategy "tott" is unknown: did you mean "tot"?',
  ],
  [
    () => engine.start('x', { fallbacks: ['tot'] }),
    'fallbacks must be an object keyed by strategy names, not a list',
  ],
  [
    () => engine.start('x', { strategyOptions: { tot: 5 } }),
    'strategyOptions.tot must be an object with options of the strategy, not 5',
  ],
]

const SOLVE: Wrong[] = [
  [() => solving('x', { constructor: 1 }), 'solve: unknown option "constructor"'],
  [() => solving('x', { strategy: 'tot', options: { constructor: 1 } }), 'tot has no option "constructor"'],
  [() => solving('x', { maxSteps: 5 }), 'solve: unknown option "maxSteps": did you mean "budget"?'],
  [() => solving(), 'solve: goal is missing: a text, or {intent, deliverable, metric, constraint}'],
  [() => solving('x', { modle: 'y' }), 'solve: unknown option "modle": did you mean "model"?'],
  [() => solving('x', { budget: [] }), 'solve: budget must be an object, not a list'],
  [() => solving('', {}), 'the goal is empty: say what you want done'],
  [() => solving('x', null), 'solve: the options must be an object, not null'],
  [() => solving({ goal: 'x' }), 'the goal must be a text'],
]

const METHODS: Wrong[] = [
  [() => engine.resume(), "engine.resume: run is missing: the run's id"],
  [() => engine.resume(5), 'engine.resume: run must be a text that is not empty, not 5'],
  [
    () => engine.resume('ended', { budgt: {} }),
    'engine.resume: unknown option "budgt": did you mean "budget"?',
  ],
  [() => engine.resume('ended', { strict: 'yes' }), 'engine.resume: strict must be true or false, not "yes"'],
  [() => engine.resume('ended', { signal: 1 }), 'engine.resume: signal must be an AbortSignal, not 1'],
  [() => engine.resume('endet'), 'no run "endet" in this store: did you mean "ended"?'],
  [() => engine.check(), "engine.check: run is missing: the run's id"],
  [
    () => engine.check('ended', { budget: { call: 1 } }),
    'engine.check: unknown key "call" in budget: did you mean "calls"?',
  ],
  [() => engine.check('endet'), 'no run "endet" in this store: did you mean "ended"?'],
  [() => engine.replay({}), 'engine.replay: run must be a text that is not empty, not an object'],
  [() => engine.replay('endet'), 'no run "endet" in this store: did you mean "ended"?'],
  [
    () => engine.fork('ended'),
    'engine.fork: at is missing: the number of the last event that the fork shares',
  ],
  [() => engine.fork('ended', '2'), 'engine.fork: at must be a whole number of 1 or more, not "2"'],
  [() => engine.fork('ended', 0), 'engine.fork: at must be a whole number of 1 or more, not 0'],
  [() => engine.fork('ended', 1.5), 'engine.fork: at must be a whole number of 1 or more, not 1.5'],
  [() => engine.fork('ended', 9_999), 'run ended has events 1 to'],
  [() => engine.fork('ended', 2, 'x'), 'engine.fork: edit must be an object: fields of the event, not "x"'],
  [() => engine.fork('ended', 2, { value: 1n }), 'engine.fork: edit.value must be JSON, not a bigint'],
  [
    () => engine.fork('ended', 2, {}, { toresume: true }),
    'engine.fork: unknown option "toresume": did you mean "toResume"?',
  ],
  [() => engine.redo('ended'), "engine.redo: path is missing: the block's path"],
  [() => engine.redo('ended', '1'), 'engine.redo: message is missing: what is to be different this time'],
  [
    () => engine.redo('ended', 1, 'x'),
    'engine.redo: path must be the path of a block, such as "1" or "1-2", not 1',
  ],
  [() => engine.redo('ended', '1-9', 'x'), 'there is no block 1-9 in this run'],
  [() => engine.signal('ended'), "engine.signal: path is missing: the block's path"],
  [() => engine.signal('ended', '1'), "engine.signal: name is missing: the signal's name"],
  [() => engine.signal('ended', '1', 5), 'engine.signal: name must be a text that is not empty, not 5'],
  [() => engine.signal('ended', '1', 'message', 1n), 'engine.signal: value must be JSON, not a bigint'],
  [
    () => engine.signal('ended', '1', 'message', circle),
    'engine.signal: value is nested deeper than 200 levels, or contains itself',
  ],
  [() => engine.signal('endet', '1', 'message', ''), 'no run "endet" in this store: did you mean "ended"?'],
  [() => engine.list({ limit: -1 }), 'engine.list: limit must be a whole number of 0 or more, not -1'],
  [() => engine.list({ limit: '5' }), 'engine.list: limit must be a whole number of 0 or more, not "5"'],
  [() => engine.list({ limt: 5 }), 'engine.list: unknown option "limt": did you mean "limit"?'],
  [() => engine.list({ status: 'runing' }), 'engine.list: status must be "running" or'],
  [() => engine.list({ status: ['completed', 'done'] }), 'engine.list: status[1] must be "running" or'],
  [() => engine.list({ search: 5 }), 'engine.list: search must be a text, not 5'],
  [() => engine.list(5), 'engine.list: the options must be an object, not 5'],
  [() => engine.count({ limit: -1 }), 'engine.count: limit must be a whole number of 0 or more, not -1'],
  [() => engine.state(), "engine.state: run is missing: the run's id"],
  [() => engine.state(null), 'engine.state: run must be a text that is not empty, not null'],
  [() => engine.outline('ended', 5), 'engine.outline: follow must be a function, not 5'],
  [() => engine.outline('endet'), 'no run "endet" in this store: did you mean "ended"?'],
  [() => engine.events('ended', '1'), 'engine.events: from must be a whole number of 0 or more, not "1"'],
  [() => engine.events('ended', -1), 'engine.events: from must be a whole number of 0 or more, not -1'],
  [() => engine.events(), "engine.events: run is missing: the run's id"],
  [() => engine.delete(), "engine.delete: runs is missing: a run's id, or a list of ids"],
  [() => engine.delete([5]), 'engine.delete: runs[0] must be a text that is not empty, not 5'],
  [() => engine.delete({}), "engine.delete: runs must be a run's id, or a list of ids, not an object"],
  [() => engine.delete('endet'), 'no run "endet" in this store: did you mean "ended"?'],
  [() => engine.delete('ended', { onProgress: 5 }), 'engine.delete: onProgress must be a function, not 5'],
  [() => engine.prune(), 'engine.prune: the options are missing: olderThanMs, keep or both'],
  [() => engine.prune({}), 'prune needs olderThanMs, keep or both'],
  [() => engine.prune({ keep: -1 }), 'engine.prune: keep must be a whole number of 0 or more, not -1'],
  [
    () => engine.prune({ olderThanMs: '1d' }),
    'engine.prune: olderThanMs must be a number of 0 or more, not "1d"',
  ],
  [
    () => engine.prune({ keep: 1, dryrun: true }),
    'engine.prune: unknown option "dryrun": did you mean "dryRun"?',
  ],
  [() => engine.prune({ keep: 1, status: 'old' }), 'engine.prune: status must be'],
  [() => engine.export(5), 'engine.export: run must be a text that is not empty, not 5'],
  [() => engine.export('endet'), 'no run "endet" in this store: did you mean "ended"?'],
  [() => engine.import(), "engine.import: file is missing: the exported run's text"],
  [() => engine.import(5), 'engine.import: file must be a text, or chunks of it'],
  [
    () => engine.import(['x'], { as: 5 }),
    'engine.import: as must be a text of one line, at most 200 characters, not 5',
  ],
  [() => engine.import([5]), "the file can't be imported: a chunk of it is neither text nor bytes"],
  [
    () => engine.signal('ended', '1.2', 'message', ''),
    'engine.signal: path must be the path of a block, such as "1" or "1-2", not "1.2"',
  ],
  [
    () => engine.start('x', { id: 'a\nb' }),
    'engine.start: id must be a text of one line, at most 200 characters, not "a\\nb"',
  ],
  [() => engine.import(['x'], { as: 'a\nb' }), 'engine.import: as must be a text of one line'],
]

describe.each([
  ['createEngine', CREATE],
  ['engine.start', START],
  ['solve', SOLVE],
  ['the methods of an engine', METHODS],
])('%s', (_, calls) => {
  it.each(calls.map(([call, message]) => [message, call] as const))('%s', async (message, call) => {
    await ended
    const thrown = await refusalOf(call)
    expect(thrown.message.startsWith(message) ? message : thrown.message).toBe(message)
    expect(['BAD_INPUT', 'UNKNOWN_RUN']).toContain(thrown.code)
  })
})

describe('createEngine', () => {
  it.each(CREATE.map(([call, message]) => [message, call] as const))('refuses at once: %s', (_, call) => {
    expect(call).toThrow(ThinkonError)
  })
})

async function refusalOf(call: () => unknown): Promise<ThinkonError> {
  try {
    await call()
  } catch (thrown) {
    if (ThinkonError.isInstance(thrown)) return thrown
    throw new Error(`not an error of ours: ${String(thrown)}`)
  }
  throw new Error('it was not refused')
}
