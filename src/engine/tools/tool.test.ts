import { toStandardJsonSchema as forModels } from '@valibot/to-json-schema'
import { jsonSchema } from 'ai'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createEngine, tool, type UserTool } from '../../index.ts'
import type { Result } from '../../protocol/index.ts'
import { ScriptedModel } from '../../testing/index.ts'

/** What comes of calls of the tool, and what models are told of it. */
async function called(given: UserTool, ...inputs: unknown[]) {
  const model = new ScriptedModel([
    ...inputs.map((input) => ({ do: 'tool', calls: [{ name: given.name, input }] })),
    { do: 'return', result: 'done' },
  ])
  const engine = createEngine({ model, tools: given })
  const run = await engine.start('a goal', { strategy: 'minimal' })
  expect((await run.outcome).status).toBe('completed')
  const events = [...(await engine.events(run.id))]
  await engine.close()
  const start = events.find((event) => event.type === 'run-start')
  const results: Result[] = events.filter((event) => event.type === 'tool-end').map(({ result }) => result)
  return { results, schema: start?.config.tools?.[0]?.schema }
}

const stock = { name: 'stock', description: 'How much is left.', access: 'read' } as const

const byVendor = {
  zod: tool({
    ...stock,
    input: z.object({ item: z.string() }),
    output: z.object({ left: z.number() }),
    run: ({ item }) => ({ left: item.length }),
  }),
  valibot: tool({
    ...stock,
    input: forModels(v.object({ item: v.string() })),
    output: forModels(v.object({ left: v.number() })),
    run: async ({ item }) => ({ left: item.length }),
  }),
  arktype: tool({
    ...stock,
    input: type({ item: 'string' }),
    output: type({ left: 'number' }),
    run: async ({ item }) => ({ left: item.length }),
  }),
  'JSON Schema': tool({
    ...stock,
    input: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
    output: { type: 'object', properties: { left: { type: 'number' } }, required: ['left'] },
    run: async ({ item }) => ({ left: item.length }),
  }),
  '{ json, check }': tool({
    ...stock,
    input: {
      json: { type: 'object', properties: { item: { type: 'string' } } },
      check: (value: unknown) => z.object({ item: z.string() }).parse(value),
    },
    run: ({ item }) => ({ left: item.length }),
  }),
  'jsonSchema() of ai': tool({
    ...stock,
    input: jsonSchema<{ item: string }>({
      type: 'object',
      properties: { item: { type: 'string' } },
      required: ['item'],
    }),
    run: ({ item }) => ({ left: item.length }),
  }),
}

describe.each(Object.entries<UserTool>(byVendor))('a tool() with schemas of %s', (_, given) => {
  it('is told to models, called with what fits, and refuses what does not', async () => {
    const { results, schema } = await called(given, { item: 'tea' }, { item: 7 })
    expect(schema).toMatchObject({ type: 'object', properties: { item: { type: 'string' } } })
    expect(results[0]).toEqual({ ok: true, value: { left: 3 } })
    expect(results[1]).toMatchObject({
      error: { code: 'TOOL_ERROR', message: expect.stringMatching(/^wrong input: item\b/) },
    })
  })
})

describe('a tool()', () => {
  it('with a result that does not fit its schema fails the call, and says that it was run and what is wrong', async () => {
    const broken = { left: 'three' } as unknown as { left: number }
    for (const output of [
      z.object({ left: z.number() }),
      forModels(v.object({ left: v.number() })),
      type({ left: 'number' }),
    ]) {
      const { results } = await called(tool({ ...stock, output, run: () => broken }), {})
      expect(results[0]).toMatchObject({
        ok: false,
        error: {
          code: 'TOOL_ERROR',
          message: expect.stringMatching(
            /^"stock" was run, but its result does not fit its schema: left\b.*number/,
          ),
          data: { problems: [expect.stringContaining('left')] },
        },
      })
    }
  })

  it('whose schema can not make anything of its result says that it was run, too', async () => {
    const throwing = z.number().transform(() => {
      throw new TypeError('no such unit')
    })
    for (const [output, why] of [
      [throwing, 'no such unit'],
      [z.number().transform(BigInt), 'BigInt'],
    ] as const) {
      const { results } = await called(tool({ ...stock, output, run: () => 3 }), {})
      const message = expect.stringMatching(new RegExp(`^"stock" was run, but its result .*${why}`))
      expect(results[0]).toMatchObject({ ok: false, error: { code: 'TOOL_ERROR', message } })
    }
  })

  it('has the result that its schema makes of what was returned', async () => {
    const output = z.object({
      at: z.string().transform((text) => text.length),
      note: z.string().default('none'),
    })
    const { results } = await called(tool({ ...stock, output, run: () => ({ at: 'noon', more: 1 }) }), {})
    expect(results[0]).toEqual({ ok: true, value: { at: 4, note: 'none' } })
  })

  it('without an input takes none, whatever a model sends along', async () => {
    const got: unknown[] = []
    const { results, schema } = await called(
      tool({ ...stock, run: (input) => got.push(input) }),
      {},
      null,
      { a: 1 },
      'x',
    )
    expect(schema).toEqual({ type: 'object', properties: {}, additionalProperties: false })
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true])
    expect(got).toEqual([{}, {}, {}, {}])
  })
})
