import { toStandardJsonSchema as forModels } from '@valibot/to-json-schema'
import { dynamicTool, jsonSchema, type ToolSet, tool } from 'ai'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type AiSdkTools, createEngine, type EngineOptions, fromAiSdk } from '../../index.ts'
import type { ApprovalConfig, Result } from '../../protocol/index.ts'
import { ScriptedModel } from '../../testing/index.ts'

type Calls = readonly [name: string, input: unknown][]

async function called(tools: NonNullable<EngineOptions['tools']>, calls: Calls) {
  const model = new ScriptedModel([
    ...calls.map(([name, input]) => ({ do: 'tool', calls: [{ name, input }] })),
    { do: 'return', result: 'done' },
  ])
  const engine = createEngine({ model, tools })
  try {
    const run = await engine.start('a goal', { strategy: 'minimal' })
    expect((await run.outcome).status).toBe('completed')
    const events = [...(await engine.events(run.id))]
    const { differences } = await engine.replay(run.id)
    expect(differences).toEqual([])
    const start = events.find((event) => event.type === 'run-start')
    const known = start?.config.tools ?? []
    const results: Result[] = events.filter((event) => event.type === 'tool-end').map(({ result }) => result)
    return {
      run: run.id,
      known,
      results,
      values: results.map((result) => (result.ok ? result.value : result.error.message)),
    }
  } finally {
    await engine.close()
  }
}

const ITEM = { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] } as const

const bySchema = {
  zod: tool({ inputSchema: z.object({ item: z.string() }), execute: async ({ item }) => item.length }),
  ark: tool({ inputSchema: type({ item: 'string' }), execute: async ({ item }) => item.length }),
  json: tool({ inputSchema: jsonSchema<{ item: string }>(ITEM), execute: ({ item }) => item.length }),
  valibot: tool({
    inputSchema: forModels(v.object({ item: v.string() })) as never,
    execute: ({ item }: { item: string }) => item.length,
  }),
  dynamic: dynamicTool({
    description: 'known at run time',
    inputSchema: jsonSchema(ITEM),
    execute: async (input) => (input as { item: string }).item.length,
  }),
}

describe('tools of the AI SDK', () => {
  it('are taken as they are, with schemas of any kind', async () => {
    const names = Object.keys(bySchema)
    const { known, values } = await called(
      bySchema,
      names.flatMap(
        (name): Calls => [
          [name, { item: 'tea' }],
          [name, { item: 7 }],
        ],
      ),
    )
    for (const name of names)
      expect(known.find((one) => one.name === name)).toMatchObject({
        access: 'execute',
        schema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
      })
    expect(values.filter((_, i) => i % 2 === 0)).toEqual([3, 3, 3, 3, 3])
    for (const wrong of values.filter((_, i) => i % 2 === 1))
      expect(wrong).toMatch(/^wrong input: item\b.*string/)
  })

  it('get the id of the call, a signal to stop by, and no messages', async () => {
    let got: Record<string, unknown> = {}
    const look = tool({
      description: 'looks',
      inputSchema: z.object({}),
      execute: (_, options) => {
        got = { ...options }
        return 'seen'
      },
    })
    const { run, known } = await called({ look }, [['look', {}]])
    expect(known[0]).toMatchObject({ name: 'look', description: 'looks' })
    expect(got).toEqual({
      toolCallId: `${run}/1/2`,
      messages: [],
      abortSignal: expect.any(AbortSignal),
      context: {},
    })
  })

  it('that stream have the last value as their result', async () => {
    const stream = tool({
      inputSchema: z.object({}),
      async *execute() {
        yield { state: 'loading' }
        yield { state: 'ready' }
      },
    })
    expect((await called({ stream }, [['stream', {}]])).values).toEqual([{ state: 'ready' }])
  })

  it('that stream are stopped with their run, and clean up', async () => {
    const log: unknown[] = []
    const stream = tool({
      inputSchema: z.object({}),
      async *execute(_, { abortSignal }) {
        try {
          for (let i = 0; ; i++) {
            yield i
            if (i === 3) log.push('on its way')
            await new Promise((resolve) => setImmediate(resolve))
          }
        } finally {
          log.push(abortSignal?.aborted)
        }
      },
    })
    const model = new ScriptedModel([{ do: 'tool', calls: [{ name: 'stream', input: {} }] }])
    const engine = createEngine({ model, tools: { stream } })
    const run = await engine.start('a goal', { strategy: 'minimal' })
    await expect.poll(() => log).toEqual(['on its way'])
    await run.cancel('enough')
    expect(await run.outcome).toMatchObject({ status: 'cancelled' })
    await expect.poll(() => log).toEqual(['on its way', true])
    await engine.close()
  })

  it('say by toModelOutput what the model sees', async () => {
    const saying = (output: unknown) =>
      tool({
        inputSchema: z.object({ a: z.number() }),
        execute: ({ a }) => ({ a }),
        toModelOutput: () => output as never,
      })
    const outputs = {
      text: { type: 'text', value: 'as text' },
      json: { type: 'json', value: { b: 1 } },
      failed: { type: 'error-text', value: 'it broke' },
      worse: { type: 'error-json', value: { why: 'it broke' } },
      denied: { type: 'execution-denied', reason: 'not today' },
      content: {
        type: 'content',
        value: [
          { type: 'text', text: 'a picture' },
          { type: 'file', mediaType: 'image/png', filename: 'a.png', data: { type: 'data', data: 'AAAA' } },
          {
            type: 'file',
            mediaType: 'image/png',
            data: { type: 'url', url: new URL('https://example.com/a.png') },
          },
          { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'its text' } },
          { type: 'file-data', mediaType: 'image/png', data: 'AAAAAAAA' },
        ],
      },
      strange: { type: 'other' },
    }
    const tools = Object.fromEntries(Object.entries(outputs).map(([name, output]) => [name, saying(output)]))
    const { values, results } = await called(
      tools,
      Object.keys(outputs).map((name) => [name, { a: 1 }]),
    )
    expect(values).toEqual([
      'as text',
      { b: 1 },
      'it broke',
      '{"why":"it broke"}',
      'not today',
      'a picture\n[a.png, image/png, 3 bytes]\n[file, image/png, https://example.com/a.png]\nits text\n[file-data, image/png, 6 bytes]',
      'toModelOutput returned the unknown type "other"',
    ])
    expect(results.map((result) => (result.ok ? '' : result.error.code))).toEqual([
      '',
      '',
      'TOOL_ERROR',
      'TOOL_ERROR',
      'DENIED',
      '',
      'TOOL_ERROR',
    ])
    const seen: unknown[] = []
    const whole = tool({
      inputSchema: z.object({ a: z.number() }),
      execute: ({ a }) => a + 1,
      toModelOutput: (given) => {
        seen.push(given)
        return { type: 'text', value: String(given.output) }
      },
    })
    const { run } = await called({ whole }, [['whole', { a: 1 }]])
    expect(seen).toEqual([{ toolCallId: `${run}/1/2`, input: { a: 1 }, output: 2 }])
  })

  it('fail the call with what they throw', async () => {
    const broken = tool({
      inputSchema: z.object({}),
      execute: (): string => {
        throw new Error('no such city')
      },
    })
    expect((await called({ broken }, [['broken', {}]])).values).toEqual(['no such city'])
  })

  it('without a function to execute are refused, by name', async () => {
    const open = tool({ inputSchema: z.object({}), outputSchema: z.string() })
    await expect(called({ open }, [])).rejects.toThrow('the AI SDK tool open has no execute function')
    const hosted = {
      type: 'provider',
      id: 'openai.web_search',
      args: {},
      inputSchema: z.object({}),
      isProviderExecuted: true,
    } as const
    await expect(called({ hosted }, [])).rejects.toThrow('the AI SDK tool hosted is executed by its provider')
  })

  it('are of the class that fromAiSdk is told, and idempotent where it says so', async () => {
    const { zod, json } = bySchema
    const all = await called(fromAiSdk({ zod, json }, { access: 'network' }), [])
    expect(all.known.map(({ access }) => access)).toEqual(['network', 'network', 'read'])
    const some = await called(
      [fromAiSdk({ zod, json }, { access: { json: 'read' }, idempotent: ['zod'] })],
      [],
    )
    expect(some.known.map(({ access }) => access)).toEqual(['execute', 'read', 'read'])
    const wrong = fromAiSdk({ zod, json } as ToolSet, { access: { jsno: 'read' } })
    await expect(called(wrong, [])).rejects.toThrow('fromAiSdk: access: no tool "jsno": did you mean "json"?')
  })

  it('with a context get the one that fromAiSdk is given, and are refused without', async () => {
    const weather = tool({
      inputSchema: z.object({}),
      contextSchema: z.object({ key: z.string() }),
      description: ({ context }) => `weather for ${context.key}`,
      execute: (_, { context }) => context.key,
    })
    const { values, known } = await called(fromAiSdk({ weather }, { context: { weather: { key: 'abc' } } }), [
      ['weather', {}],
    ])
    expect(values).toEqual(['abc'])
    expect(known[0]?.description).toBe('weather for abc')
    await expect(called({ weather }, [])).rejects.toThrow(
      /the context of the tool weather is not what it needs .*key.* fromAiSdk/,
    )
  })
})

describe('an AI SDK tool that needs approval', () => {
  const pay = (needsApproval: boolean | (() => boolean)) => ({
    pay: tool({
      inputSchema: z.object({ euros: z.number() }),
      needsApproval,
      execute: ({ euros }) => `paid ${euros}`,
    }),
  })

  async function paid(tools: AiSdkTools, approval?: Omit<ApprovalConfig, 'workspace'>, answer?: string) {
    const call = { do: 'tool', calls: [{ name: 'pay', input: { euros: 5 } }] }
    const model = new ScriptedModel([call, call, { do: 'return', result: 'done' }])
    const engine = createEngine({ model, tools: fromAiSdk(tools, { access: 'read' }) })
    const config = approval && { approval: { ...approval, workspace: '.' } }
    const run = await engine.start('a goal', { strategy: 'minimal', ...config })
    let asked = 0
    for await (const event of run.events) {
      if (event.type !== 'signal-asked') continue
      asked++
      await run.answer(answer, { question: event.seq })
    }
    const { differences } = await engine.replay(run.id)
    expect(differences).toEqual([])
    const events = [...(await engine.events(run.id))]
    await engine.close()
    const ends = events.filter((event) => event.type === 'tool-end').map(({ result }) => result)
    return { asked, ends: ends.map((end) => (end.ok ? end.value : end.error.message)), events }
  }

  it.each([true, () => false])('is not called without a policy, which says who is asked', async (needs) => {
    const { asked, ends } = await paid(pay(needs))
    expect(asked).toBe(0)
    for (const end of ends)
      expect(end).toMatch(/^pay needs a person's approval, and the run has no "approval"/)
  })

  it('is asked about although its class is allowed; `always` spares the next question', async () => {
    const person = { allow: ['*'], asks: 'person' } as const
    expect(await paid(pay(true), person, 'yes')).toMatchObject({ asked: 2, ends: ['paid 5', 'paid 5'] })
    expect(await paid(pay(true), person, 'always')).toMatchObject({ asked: 1, ends: ['paid 5', 'paid 5'] })
    expect((await paid(pay(true), person, 'no')).ends).not.toContain('paid 5')
    expect(await paid(pay(false), person)).toMatchObject({ asked: 0, ends: ['paid 5', 'paid 5'] })
  })

  it('is called unasked where a rule names it or yes is said to everything, and not offered where nobody is there', async () => {
    expect(await paid(pay(true), { allow: ['pay'], asks: 'person' })).toMatchObject({
      asked: 0,
      ends: ['paid 5', 'paid 5'],
    })
    expect(await paid(pay(true), { asks: 'yes' })).toMatchObject({ asked: 0, ends: ['paid 5', 'paid 5'] })
    const { ends, events } = await paid(pay(true), { allow: ['*'], asks: 'nobody' })
    expect(ends).not.toContain('paid 5')
    expect(events.find((event) => event.type === 'run-start')?.config.withheld).toEqual(['pay'])
  })
})
