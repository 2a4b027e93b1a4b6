import { Hono } from 'hono'
import { afterEach, describe, expect, it } from 'vitest'
import { type Action, type Caller, needsOf, SCOPES, type Scope } from '../../src/server/scopes.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { call, connect, ERAS, endAll, open, textOf } from './connect.ts'

afterEach(endAll)

describe.each(ERAS)('what a %s client gets wrong is an error of the tool, in our words', (era) => {
  const cases: [what: string, tool: string, args: Record<string, unknown>, message: string | RegExp][] = [
    ['a goal that is missing', 'run', {}, 'run: goal is missing'],
    ['an empty goal', 'run', { goal: '' }, /^run: goal /],
    ['a goal that is none', 'run', { goal: 3 }, /^run: goal /],
    ['an unknown field', 'run', { goal: 'x', workspace: '/' }, /^run: .*workspace/],
    ['a model that is not offered', 'run', { goal: 'x', model: 'module:/tmp/evil.ts' }, /^run: model /],
    ['a strategy that is none', 'run', { goal: 'x', strategy: 'tott' }, 'did you mean "tot"?'],
    ['a negative time', 'run', { goal: 'x', waitSeconds: -1 }, /^run: waitSeconds /],
    ['a budget beyond the operator’s', 'run', { goal: 'x', budget: { calls: 1e9 } }, 'allows at most'],
    [
      'a path outside the workspace',
      'run',
      { goal: 'x', strategy: 'tot', options: { log_dir: '../../etc' } },
      'outside the workspace',
    ],
    ['a schema that is none', 'run', { goal: 'x', output: { type: 'nonsense' } }, /output|schema/],
    ['a run that is not there', 'wait', { run: 'nowhere' }, 'no run "nowhere"'],
    ['a handle with a path in it', 'show', { run: '../runs' }, /^show: run /],
    [
      'a schema that leads elsewhere',
      'run',
      { goal: 'x', output: { $ref: 'http://127.0.0.1:1/x' } },
      'leads out of the schema',
    ],
    ['a run that is not there, to be cancelled', 'cancel', { run: 'nowhere' }, 'no run "nowhere"'],
    [
      'a run that is not there, to be told something',
      'message',
      { run: 'nowhere', message: 'x' },
      'no run "nowhere"',
    ],
    ['an answer to nothing', 'answer', { run: 'nowhere', answer: 'x' }, 'no run "nowhere"'],
    ['a status that is none', 'list', { status: 'sleeping' }, /^list: status /],
    ['a tool that is none', 'runn', {}, 'there is no tool "runn": did you mean "run"?'],
  ]

  it.each(cases)('%s', async (_, tool, args, message) => {
    const client = await connect(open({ workspace: '/tmp' }), era)
    const result = await client.callTool({ name: tool, arguments: args })
    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).toMatch(message)
  })

  it('a block that is none, and a path that is none', async () => {
    const client = await connect(open(), era)
    const { run } = await call(client, 'run', { goal: 'x', strategy: 'asker' })
    await expect(call(client, 'skip', { run, path: '1-9' })).rejects.toThrow(
      'has no block 1-9; there are: 1 "x"',
    )
    await expect(call(client, 'skip', { run, path: '../1' })).rejects.toThrow('"../1" is not a path')
    await expect(call(client, 'redo', { run, path: '7' })).rejects.toThrow('has no block 7')
  })
})

/** One POST with the envelope of 2026-07-28. */
async function post({ fetch }: { fetch(request: Request): Promise<Response> }, body: unknown, headers = {}) {
  return fetch(
    new Request('http://127.0.0.1/', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'run',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, sampling: {} },
}
const toolCall = (more: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'run', arguments: { goal: 'x' }, _meta: META, ...more },
})

it('takes no state for its own that is not: such a call starts nothing', async () => {
  const opened = open()
  for (const requestState of [
    '',
    'nonsense',
    '{}',
    '[]',
    '{"run":3,"round":0,"declined":[]}',
    `{"run":"${'x'.repeat(10_000)}","round":0,"declined":[]}`,
  ]) {
    const response = await post(opened, toolCall({ requestState }))
    expect(await response.text()).toMatch(/"isError":true|"error"/)
  }
  expect(await opened.service.engine.count()).toBe(0)
})

it('is not impressed by answers that nobody has asked for', async () => {
  const opened = open()
  const inputResponses = {
    'sampling-x': { role: 'assistant', content: [] },
    'question-1-1': { action: 'accept' },
    x: 3,
  }
  const response = await post(opened, toolCall({ inputResponses }))
  expect(await response.text()).toContain('"completed"')
})

it('survives bodies that are none', async () => {
  const opened = open()
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const bodies = [
    '',
    '{',
    'null',
    '[]',
    deep,
    JSON.stringify(toolCall({ arguments: { goal: 'x', options: 1 } })).replace('1}', `${deep}}`),
  ]
  for (const body of bodies) {
    const response = await post(opened, body)
    expect(response.status).toBeLessThan(500)
  }
  expect((await post(opened, toolCall({ arguments: { goal: 'x'.repeat(5_000_000) } }))).status).toBe(413)
  expect(await call(await connect(opened, 'modern'), 'run', { goal: 'x' })).toMatchObject({ result: 'done' })
})

it('answers a session that it does not know with 404, so that the client opens a new one', async () => {
  const opened = open()
  const headers = { 'mcp-session-id': 'gone', 'mcp-protocol-version': '2025-11-25' }
  const response = await post(opened, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
  expect(response.status).toBe(404)
})

it.each(ERAS)('lets a token of a %s client do what its scopes say, and no more', async (era) => {
  const { app, service } = open()
  const outer = new Hono<{ Variables: { caller: Caller } }>()
  let scopes: readonly Scope[] = ['read']
  outer.use(async (context, next) => {
    context.set('caller', { scopes, client: 'a' })
    await next()
  })
  outer.route('/', app)
  const opened = { fetch: async (request: Request) => outer.fetch(request) }
  const client = await connect(opened, era, {
    elicit: () => ({ action: 'accept', content: { answer: 'green' } }),
  })
  await expect(call(client, 'run', { goal: 'x' })).rejects.toThrow('does not allow to start runs')
  const { id: run } = await service.start('paint', { strategy: 'asker' })
  // Who may only read is not asked: an answer steers.
  expect(await call(client, 'wait', { run })).toMatchObject({ status: 'waiting' })
  await expect(call(client, 'answer', { run, answer: 'red' })).rejects.toThrow('does not allow to steer runs')
  scopes = ['read', 'steer']
  expect(await call(client, 'wait', { run })).toMatchObject({ result: 'they want green' })
  // The run has ended: a redo is a fork, which is a start.
  await expect(call(client, 'redo', { run, path: '1' })).rejects.toThrow('does not allow to start runs')
  expect(await service.engine.count()).toBe(1)
})

it.each(ERAS)('counts a redo in a fork of a %s client as a start', async (era) => {
  const client = await connect(open({ app: { limits: { startsPerMinute: 2 } } }), era)
  const { run } = await call(client, 'run', { goal: 'a' })
  await call(client, 'redo', { run, path: '1' })
  await expect(call(client, 'redo', { run, path: '1' })).rejects.toThrow('2 runs were started in a minute')
})

it('each tool needs the scopes of its action, and no other', async () => {
  const { app } = open()
  let scopes: readonly Scope[] = []
  const outer = new Hono<{ Variables: { caller: Caller } }>()
  outer.use(async (context, next) => {
    context.set('caller', { scopes, client: 'a' })
    await next()
  })
  outer.route('/', app)
  const client = await connect({ fetch: async (request) => outer.fetch(request) }, 'modern')
  const actions: Record<string, Action> = {
    ...{ run: 'start', wait: 'look', show: 'look', list: 'look', questions: 'look', strategies: 'look' },
    ...{ message: 'signal', skip: 'signal', redo: 'redo', cancel: 'cancel', answer: 'answer' },
  }
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(actions).sort())
  for (const [name, action] of Object.entries(actions)) {
    for (const scope of SCOPES) {
      scopes = [scope]
      const result = await client.callTool({ name, arguments: {} })
      const isDenied = /does not allow to/.test(textOf(result))
      expect([name, scope, isDenied]).toEqual([name, scope, !needsOf(action).every((need) => need === scope)])
    }
  }
})

it('takes no answers of a model from whoever may only read', async () => {
  const { app, service } = open({ models: ['mcp:client'], desk: { untakenMs: 50 } })
  const outer = new Hono<{ Variables: { caller: Caller } }>()
  outer.use(async (context, next) => {
    context.set('caller', { scopes: ['read'], client: 'a' })
    await next()
  })
  outer.route('/', app)
  const asked: unknown[] = []
  const client = await connect({ fetch: async (request) => outer.fetch(request) }, 'modern', {
    sample(params) {
      asked.push(params)
      return {
        model: 'm',
        role: 'assistant',
        content: { type: 'text', text: '{"do":"return","result":"mine"}' },
      }
    },
  })
  const { id: run } = await service.start('x', { strategy: 'minimal' })
  expect(await call(client, 'wait', { run })).toMatchObject({ status: 'waiting' })
  expect(asked).toEqual([])
})

it.each(ERAS)('starts no more runs for a %s client than the service allows in a minute', async (era) => {
  const client = await connect(open({ app: { limits: { startsPerMinute: 2 } } }), era)
  for (const goal of ['a', 'b']) expect(await call(client, 'run', { goal })).toMatchObject({ result: 'done' })
  await expect(call(client, 'run', { goal: 'c' })).rejects.toThrow('2 runs were started in a minute')
  expect((await call(client, 'list')).runs).toHaveLength(2)
})

it('answers no more requests at once than there may be streams, and the next when one has ended', async () => {
  const held = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const model = new ScriptedModel(async () => {
    asked.resolve()
    await held.promise
    return { do: 'return', result: 'let go' }
  })
  const opened = open({ model, app: { limits: { maxStreams: 1 } } })
  const [first, second] = [await connect(opened, 'modern'), await connect(opened, 'modern')]
  const running = call(first, 'run', { goal: 'a' })
  await asked.promise
  await expect(call(second, 'list')).rejects.toThrow(/1 streams are open/)
  held.resolve()
  expect(await running).toMatchObject({ result: 'let go' })
  await expect.poll(async () => (await call(second, 'list')).runs?.length).toBe(1)
})

it('answers fifty calls at once, each with its own run', async () => {
  const client = await connect(open(), 'legacy')
  const goals = Array.from({ length: 50 }, (_, i) => `goal ${i}`)
  const reports = await Promise.all(goals.map((goal) => call(client, 'run', { goal })))
  expect(new Set(reports.map(({ run }) => run)).size).toBe(50)
  expect(reports.every(({ status }) => status === 'completed')).toBe(true)
})

it.each(ERAS)('tells a %s client what resources and prompts there are instead of others', async (era) => {
  const client = await connect(open(), era)
  for (const uri of [
    'thinkon://runs/../../etc/passwd',
    'thinkon://runs/%2e%2e%2fpasswd',
    'thinkon://runs/nowhere',
    'thinkon://runs/nowhere/tree/x',
    'file:///etc/passwd',
    'thinkon://runs/x\u0000',
    '',
  ])
    await expect(client.readResource({ uri }), uri).rejects.toThrow()
  await expect(client.getPrompt({ name: 'tott', arguments: { goal: 'x' } })).rejects.toThrow(
    'did you mean "tot"?',
  )
  await expect(client.getPrompt({ name: 'tot', arguments: {} })).rejects.toThrow('needs a goal')
})
