import type { CreateMessageRequestParams } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import { tool } from '../../src/index.ts'
import { call, connect, ERAS, endAll, open, strategyOf } from './connect.ts'

afterEach(endAll)

const says = (text: string, more: object = {}) => ({
  model: 'theirs',
  role: 'assistant',
  content: { type: 'text', text },
  ...more,
})

/** Asks the model for plain text, so many times in a row. */
const talker = strategyOf('talker', async (context) => {
  const said: string[] = []
  for (let i = 1; i <= Number((context.options as { times?: number }).times ?? 1); i++) {
    const request = {
      kind: 'talker/say',
      version: 1,
      role: 'act',
      messages: [
        { role: 'system', content: 'You count.' },
        { role: 'user', content: `number ${i}` },
      ],
    } as const
    said.push((await context.one(context.model(request))).text)
  }
  return said.join(' ')
})

const client = { models: ['mcp:client', 'scripted'], strategies: [talker] }

describe.each(ERAS)('the model of a %s client', (era) => {
  it('answers a run: plain text, with the system prompt apart', async () => {
    const asked: CreateMessageRequestParams[] = []
    const connected = await connect(open(client), era, {
      sample(params) {
        asked.push(params)
        return says(`heard ${asked.length}`)
      },
    })
    const report = await call(connected, 'run', { goal: 'count', strategy: 'talker', options: { times: 3 } })
    expect(report).toMatchObject({ status: 'completed', result: 'heard 1 heard 2 heard 3' })
    expect(asked[0]).toMatchObject({
      systemPrompt: 'You count.',
      messages: [{ role: 'user', content: { type: 'text', text: 'number 1' } }],
      includeContext: 'none',
      maxTokens: expect.any(Number),
    })
  })

  it('gives structured output by the text path, and is asked again with what was wrong', async () => {
    const asked: CreateMessageRequestParams[] = []
    const connected = await connect(open(client), era, {
      sample(params) {
        asked.push(params)
        return says(asked.length === 1 ? 'I think it is four.' : 'Sure: {"do":"return","result":"four"}')
      },
    })
    expect(await call(connected, 'run', { goal: '2+2', strategy: 'minimal' })).toMatchObject({
      result: 'four',
    })
    expect(asked).toHaveLength(2)
    expect(asked[0]?.systemPrompt).toContain('JSON')
    expect(asked[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  it('is refused where the client offers none, before a run is begun', async () => {
    const opened = open(client)
    const connected = await connect(opened, era)
    await expect(call(connected, 'run', { goal: 'x' })).rejects.toThrow(
      "mcp:client is the client's own model, and this client offers none",
    )
    expect(await opened.service.engine.count()).toBe(0)
    expect(await call(connected, 'run', { goal: 'x', model: 'scripted' })).toMatchObject({ result: 'done' })
  })

  it('whose client has gone makes the run wait, and the next one that waits for it goes on', async () => {
    const opened = open({ ...client, desk: { untakenMs: 50 } })
    const first = await connect(opened, era, { sample: () => says('never asked') })
    const { run } = await call(first, 'run', { goal: 'x', strategy: 'talker', waitSeconds: 0 })
    await first.close()
    await expect.poll(async () => (await opened.service.engine.row(run)).status).toBe('waiting')
    const watcher = await connect(opened, era)
    expect(await call(watcher, 'show', { run })).toMatchObject({
      status: 'waiting',
      reason: expect.stringContaining('no MCP client waits for this run'),
    })
    const second = await connect(opened, era, { sample: () => says('here I am') })
    expect(await call(second, 'wait', { run })).toMatchObject({ status: 'completed', result: 'here I am' })
  })

  it('calls tools natively where its client says that it can, otherwise in words', async () => {
    const add = tool({
      name: 'add',
      description: 'adds',
      input: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      access: 'read',
      run: async ({ a, b }: { a: number; b: number }) => a + b,
    } as never)
    for (const native of [true, false]) {
      const asked: CreateMessageRequestParams[] = []
      const connected = await connect(open({ ...client, tools: add }), era, {
        capabilities: { sampling: native ? { tools: {} } : {} },
        sample(params) {
          asked.push(params)
          if (asked.length > 1) return says('{"do":"return","result":"it is 5"}')
          const call = { type: 'tool_use', id: 'c1', name: 'add', input: { a: 2, b: 3 } }
          return native
            ? says('', { content: [call], stopReason: 'toolUse' })
            : says('{"do":"tool","calls":[{"name":"add","input":{"a":2,"b":3}}]}')
        },
      })
      expect(await call(connected, 'run', { goal: 'add 2 and 3', strategy: 'minimal' })).toMatchObject({
        result: 'it is 5',
      })
      expect(asked[0]?.tools?.map(({ name }) => name)).toEqual(
        native ? expect.arrayContaining(['add']) : undefined,
      )
      expect(JSON.stringify(asked[1]?.messages)).toContain(native ? '"tool_result"' : 'Result of add')
    }
  })
})

it('gives a client of 2026-07-28 the handle before it gives up on the rounds', async () => {
  let asked = 0
  const connected = await connect(open(client), 'modern', { sample: () => says(`${++asked}`) })
  const { run, ...first } = await call(connected, 'run', {
    goal: 'x',
    strategy: 'talker',
    options: { times: 12 },
  })
  expect(first).toMatchObject({ status: 'running' })
  expect(asked).toBe(8)
  expect(await call(connected, 'wait', { run })).toMatchObject({ result: '1 2 3 4 5 6 7 8 9 10 11 12' })
})

it('fails a call whose answer is no text', async () => {
  const connected = await connect(open({ ...client, desk: { untakenMs: 50 } }), 'modern', {
    sample: () => ({
      model: 'm',
      role: 'assistant',
      content: { type: 'image', data: '', mimeType: 'image/png' },
    }),
  })
  const report = await call(connected, 'run', { goal: 'x', strategy: 'talker' })
  expect(report).toMatchObject({ status: 'failed', reason: expect.stringContaining('of type "image"') })
})

it('waits, and tells the handle, if the person does not let the model of the client answer', async () => {
  let refuses = true
  const connected = await connect(open(client), 'legacy', {
    sample() {
      if (refuses) throw new Error('User rejected the request')
      return says('now')
    },
  })
  const { run, ...report } = await call(connected, 'run', { goal: 'x', strategy: 'talker' })
  expect(report).toMatchObject({
    status: 'waiting',
    reason: expect.stringContaining('User rejected the request'),
  })
  refuses = false
  expect(await call(connected, 'wait', { run })).toMatchObject({ result: 'now' })
})
