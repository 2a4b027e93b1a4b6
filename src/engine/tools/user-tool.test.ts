import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createEngine } from '../../engine.ts'
import type { KnownTool, Result } from '../../protocol/index.ts'
import { ScriptedModel } from '../../testing/index.ts'
import type { UserTool } from './user-tool.ts'

/** Calls the tool with each input in turn; gives what came of it, and how the run knew the tool. */
async function called(tool: UserTool, ...inputs: unknown[]) {
  const model = new ScriptedModel([
    ...inputs.map((input) => ({ do: 'tool', calls: [{ name: tool.name, input }] })),
    { do: 'return', result: 'done' },
  ])
  const engine = createEngine({ model, tools: [tool] })
  const run = await engine.start('a goal', { strategy: 'minimal' })
  const outcome = await run.outcome
  const journal = [...(await engine.events(run.id))]
  const { differences } = await engine.replay(run.id)
  await engine.close()
  expect(outcome).toMatchObject({ status: 'completed', result: 'done' })
  expect(differences).toEqual([])
  const start = journal.find((event) => event.type === 'run-start')
  const results: Result[] = journal.filter((event) => event.type === 'tool-end').map(({ result }) => result)
  const known = start?.config.tools?.find(({ name }) => name === tool.name) as KnownTool
  return { results, schema: known.schema, lastPrompt: JSON.stringify(model.calls.at(-1)) }
}

function order(input: UserTool['input'], run: UserTool['run'] = (given) => ({ got: given })): UserTool {
  return { name: 'order', description: 'orders things', access: 'read', ...(input && { input }), run }
}

const JSON_SCHEMA = {
  type: 'object',
  properties: { item: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
  required: ['item', 'count'],
  additionalProperties: false,
}

describe("a user's tool", () => {
  it('may bring a zod schema: the model is told JSON Schema, the tool gets what the schema makes', async () => {
    const input = z.object({
      item: z.string().describe('what'),
      count: z.number().int().min(1),
      note: z.string().default('none'),
    })
    const { results, schema, lastPrompt } = await called(
      order(input),
      { item: 'tea', count: 2 },
      { item: 7, count: 0 },
    )
    expect(schema).toMatchObject({
      type: 'object',
      properties: { item: { type: 'string', description: 'what' }, count: { type: 'integer', minimum: 1 } },
      required: ['item', 'count'],
    })
    expect(results[0]).toEqual({ ok: true, value: { got: { item: 'tea', count: 2, note: 'none' } } })
    expect(results[1]).toMatchObject({ ok: false, error: { code: 'TOOL_ERROR' } })
    const problems = [expect.stringMatching(/^item: .*string/), expect.stringMatching(/^count: .*1/)]
    expect(results[1]).toMatchObject({ error: { data: { problems } } })
    expect(lastPrompt).toContain('wrong input: item: ')
  })

  it('may bring a zod schema with what JSON Schema has no word for, or that takes its time', async () => {
    const input = z.object({
      when: z.string().transform((text) => text.length),
      big: z.bigint().optional(),
      free: z.string().refine(async (name) => name !== 'taken', 'is taken'),
    })
    const { results, schema } = await called(
      order(input),
      { when: 'noon', free: 'a' },
      { when: 'noon', free: 'taken' },
    )
    expect(schema).toMatchObject({ type: 'object', properties: { when: { type: 'string' }, big: {} } })
    expect(results[0]).toEqual({ ok: true, value: { got: { when: 4, free: 'a' } } })
    expect(results[1]).toMatchObject({ error: { data: { problems: ['free: is taken'] } } })
  })

  it('may be sent null for what may be left out, or a list as a text', async () => {
    const input = z.object({
      item: z.string(),
      count: z.int().default(1),
      gift: z.string().nullable().optional(),
      tags: z.array(z.string()).optional(),
      parts: z.array(z.object({ id: z.int(), size: z.int().optional() })).optional(),
    })
    const { results } = await called(
      order(input),
      { item: 'tea', count: null, gift: null, tags: null, parts: [{ id: 1, size: null }] },
      { item: 'tea', tags: '["green"]' },
      { item: null, tags: null },
    )
    const [first, second, third] = results
    expect(first).toEqual({
      ok: true,
      value: { got: { item: 'tea', count: 1, gift: null, parts: [{ id: 1 }] } },
    })
    expect(second).toEqual({ ok: true, value: { got: { item: 'tea', count: 1, tags: ['green'] } } })
    expect(third).toMatchObject({
      ok: false,
      error: { data: { problems: [/^item: /, /^tags: /].map((text) => expect.stringMatching(text)) } },
    })
  })

  it('may bring a JSON Schema', async () => {
    const { results, schema } = await called(
      order(JSON_SCHEMA),
      { item: 'tea', count: 2 },
      { item: 7, count: 0, colour: 'red' },
      'tea',
      {},
    )
    expect(schema).toEqual(JSON_SCHEMA)
    expect(results[0]).toEqual({ ok: true, value: { got: { item: 'tea', count: 2 } } })
    expect(results.slice(1).map((result) => !result.ok && result.error.data?.problems)).toEqual([
      [
        'item must be a string, not 7',
        'count must be at least 1, not 0',
        'colour is not a known field; the known ones are: item, count',
      ],
      ['the input must be an object, not "tea"'],
      ['item is missing', 'count is missing'],
    ])
  })

  it('may bring a schema of ours, whatever its check throws', async () => {
    const input = {
      json: JSON_SCHEMA,
      check(value: unknown) {
        if (value === 1) throw new Error('one is too few')
        if (value === 2) z.object({ item: z.string() }).parse({})
        return { checked: value }
      },
    }
    const { results, schema } = await called(order(input), 0, 1, 2)
    expect(schema).toEqual(JSON_SCHEMA)
    expect(results[0]).toEqual({ ok: true, value: { got: { checked: 0 } } })
    expect(results[1]).toMatchObject({
      error: { code: 'TOOL_ERROR', message: 'wrong input: one is too few' },
    })
    expect(results[2]).toMatchObject({
      error: { code: 'TOOL_ERROR', data: { problems: [expect.stringMatching(/^item: /)] } },
    })
  })

  it('may bring a Standard Schema of any other kind that says itself as JSON Schema, also a function', async () => {
    const props = {
      version: 1 as const,
      vendor: 'own',
      validate: (value: unknown) =>
        value === 'good' ? { value: 'better' } : { issues: [{ message: 'bad', path: [{ key: 'a' }, 0] }] },
      jsonSchema: { input: () => ({ $schema: 'x', type: 'object' }) },
    }
    const { schema, results } = await called(order({ '~standard': props }), 'good', 'other')
    expect(schema).toEqual({ type: 'object' })
    expect(results[0]).toEqual({ ok: true, value: { got: 'better' } })
    expect(results[1]).toMatchObject({ error: { message: 'wrong input: a.0: bad' } })
    const asFunction = Object.assign(() => {}, { '~standard': props })
    expect((await called(order(asFunction as never), 'good')).results[0]?.ok).toBe(true)
  })

  it('may be of a class, with private fields', async () => {
    class Counter implements UserTool {
      readonly name = 'order'
      readonly description = 'counts'
      readonly access = 'read'
      readonly input = JSON_SCHEMA
      #count = 0
      async run() {
        this.#count++
        return this.#count
      }
    }
    const { results } = await called(new Counter(), { item: 'a', count: 1 }, { item: 'b', count: 1 })
    expect(results).toEqual([
      { ok: true, value: 1 },
      { ok: true, value: 2 },
    ])
  })

  it('with an input that is no schema is refused at once, with its place', () => {
    expect(() => createEngine({ tools: [order('text' as never)] })).toThrow(
      'createEngine: tools[0].input must be a schema',
    )
  })

  it.each([z.string(), z.array(z.string()), { type: ['string', 'null'] }])(
    'takes no input but an object',
    async (input) => {
      const engine = createEngine({ model: new ScriptedModel([]), tools: [order(input)] })
      const message =
        'the input of the tool order must be an object, such as z.object({ … }): models give arguments by name'
      await expect(engine.start('a goal')).rejects.toMatchObject({ code: 'BAD_INPUT', message })
      const union = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])
      expect((await called(order(union), { a: 'x' })).results[0]?.ok).toBe(true)
    },
  )
})
