import { type } from 'arktype'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createEngine, solve } from '../engine.ts'
import { type Event, messageText, ThinkonError } from '../protocol/index.ts'
import { checkSchema } from '../schema/check-schema.ts'
import { memoryStore } from '../store/memory.ts'
import { ScriptedModel } from '../testing/index.ts'
import type { StartOptions } from './api.ts'
import type { GivenSchema } from './schemas/given-schema.ts'

const OFFER = z.object({
  item: z.string(),
  price: z.number().positive(),
  tags: z.array(z.string()).optional(),
})
const TEA = { item: 'tea', price: 4 }
const PROSE = 'The best offer is tea, for 4 euros.'

const returns = (result: string) => ({ do: 'return', result })

/** Solves a goal with `minimal`, on these replies; the journal is replayed, too. */
async function solved<const Output extends GivenSchema>(
  replies: readonly unknown[],
  output: Output,
  options: StartOptions = {},
) {
  const model = new ScriptedModel(replies)
  const engine = createEngine({ model })
  const run = await engine.start('Find the best offer', { strategy: 'minimal', ...options, output })
  const outcome = await run.outcome
  const events: Event[] = [...(await engine.events(run.id))]
  const { differences } = await engine.replay(run.id)
  await engine.close()
  expect(differences).toEqual([])
  const end = events.findLast((event) => event.type === 'block-end')
  const asked = model.calls.map(({ kind }) => kind)
  return { outcome, events, model, asked, recorded: end?.outcome }
}

describe('a run with an output', () => {
  it('takes a result that is such a value as the value, without a further call', async () => {
    const { outcome, asked, model, events } = await solved([returns(JSON.stringify(TEA))], OFFER)
    expect(outcome).toMatchObject({ status: 'completed', value: TEA, result: JSON.stringify(TEA) })
    expect(asked).toEqual(['minimal/next'])
    expect(outcome.usage.calls).toBe(1)
    model.assertComplete()
    expect(events[0]).toMatchObject({ config: { output: { type: 'object', required: ['item', 'price'] } } })
  })

  it.each([
    ['in a code fence', `\`\`\`json\n${JSON.stringify(TEA)}\n\`\`\``],
    ['with a word around it', `Here it is:\n${JSON.stringify(TEA)}`],
    ['with null for what may be left out', JSON.stringify({ ...TEA, tags: null })],
  ])('takes a value %s', async (_, result) => {
    const { outcome, asked } = await solved([returns(result)], OFFER)
    expect(outcome).toMatchObject({ status: 'completed', value: TEA, result })
    expect(asked).toHaveLength(1)
  })

  it.each([
    ['in JSON', JSON.stringify({ ...TEA, price: 'four' }), JSON.stringify(TEA)],
    ['in a code fence', `\`\`\`json\n{"item":"tea","price":-4}\n\`\`\``, JSON.stringify(TEA)],
    ['that is no JSON', "{'item': 'tea', 'price': four}", JSON.stringify(TEA)],
    ['in words', 'It is tea, for {four} euros.', 'It is tea, for {four} euros.'],
    ['among words', 'It is tea: {"item":"tea"}', 'It is tea: {"item":"tea"}'],
  ])('has no refused value as its result: %s', async (_, written, result) => {
    const { outcome, asked, recorded } = await solved([returns(written), TEA], OFFER)
    expect(outcome).toMatchObject({ status: 'completed', value: TEA, result })
    expect(recorded?.result).toBe(result)
    expect(asked).toEqual(['minimal/next', 'output/value'])
  })

  it('keeps a refused value as its result where no other came', async () => {
    const written = JSON.stringify({ ...TEA, price: 'four' })
    const { outcome } = await solved([returns(written), { noValue: 'no price is known' }], OFFER)
    expect(outcome).toMatchObject({ status: 'partial', result: written })
    expect(outcome.value).toBeUndefined()
  })

  it('tells whoever answers what form the result has, with the rules', async () => {
    const { model } = await solved([returns(JSON.stringify(TEA))], OFFER)
    const [system] = model.calls[0]?.messages ?? []
    expect(system && messageText(system)).toContain('"price": number')
  })

  it('has prose written down as a value by a last request, which sees the goal and the result', async () => {
    const { outcome, asked, model, recorded } = await solved([returns(PROSE), TEA], OFFER)
    expect(outcome).toMatchObject({ status: 'completed', value: TEA, result: PROSE })
    expect(asked).toEqual(['minimal/next', 'output/value'])
    expect(outcome.usage.calls).toBe(2)
    expect(recorded).toMatchObject({ value: TEA, result: PROSE })
    const said = model.calls[1]?.messages.map(messageText).join('\n')
    for (const needle of ['Find the best offer', PROSE, '"price": number']) expect(said).toContain(needle)
    expect(model.calls[1]?.schema).toMatchObject({ anyOf: [{ required: ['item', 'price'] }, {}] })
  })

  it('asks again with what was wrong, also with what JSON Schema can not say', async () => {
    const output = OFFER.refine(({ item }) => item !== 'coffee', 'coffee is not for sale')
    const replies = [returns(PROSE), { item: 'tea' }, { item: 'coffee', price: 3 }, TEA]
    const { outcome, model } = await solved(replies, output)
    expect(outcome).toMatchObject({ status: 'completed', value: TEA })
    const last = model.calls.at(-1)?.messages.map(messageText).join('\n')
    expect(last).toContain('price is missing')
    expect(last).toContain('coffee is not for sale')
    expect(last).toContain('"coffee"')
  })

  it('checks a result that looks right by the schema itself, too, before it is the value', async () => {
    const output = OFFER.refine(({ item }) => item !== 'coffee', 'coffee is not for sale')
    const coffee = JSON.stringify({ item: 'coffee', price: 3 })
    const { outcome, asked, model } = await solved([returns(coffee), TEA], output)
    expect(outcome).toMatchObject({ status: 'completed', value: TEA, result: JSON.stringify(TEA) })
    expect(asked).toEqual(['minimal/next', 'output/value'])
    // Who writes the value down has to know what is wrong with it.
    expect(model.calls[1]?.messages.map(messageText).join('\n')).toContain('coffee is not for sale')
  })

  it('takes a value that minimal gives as it is, and not as a text', async () => {
    const { outcome, asked } = await solved([{ do: 'return', result: TEA }], OFFER)
    expect(outcome).toMatchObject({ status: 'completed', value: TEA, result: JSON.stringify(TEA) })
    expect(asked).toEqual(['minimal/next'])
  })

  it('is partial without a value that fits, with the result as it is', async () => {
    const replies = [returns(PROSE), { item: 'tea' }, { item: 'tea' }, { item: 'tea', price: 'four' }]
    const { outcome, model } = await solved(replies, OFFER)
    expect(outcome).toMatchObject({ status: 'partial', code: 'INVALID_FORMAT', result: PROSE })
    expect(outcome.reason).toContain('fits the output schema: price must be a number')
    expect(outcome).not.toHaveProperty('value')
    model.assertComplete()
  })

  it('is partial if whoever writes the value down says that there is none in the result', async () => {
    const result = 'There is no offer: all shops are closed.'
    const { outcome, asked } = await solved([returns(result), { noValue: 'all shops are closed' }], OFFER)
    expect(outcome).toMatchObject({ status: 'partial', code: 'INVALID_FORMAT', result })
    expect(outcome.reason).toContain('fits the output schema: all shops are closed')
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['of optional fields', z.object({ price: z.number().optional() })],
    ['of any fields', z.record(z.string(), z.string())],
    ['of anything', z.unknown()],
  ])('is partial if there is none in the result, also where the schema is %s', async (_, output) => {
    const { outcome } = await solved([returns('It is closed.'), { noValue: 'all shops are closed' }], output)
    expect(outcome).toMatchObject({ status: 'partial', code: 'INVALID_FORMAT', result: 'It is closed.' })
    expect(outcome).not.toHaveProperty('value')
  })

  it('may have a field of that name', async () => {
    const output = z.object({ noValue: z.string() })
    const { outcome } = await solved([returns('It is closed.'), { noValue: 'closed' }], output)
    expect(outcome).toMatchObject({ status: 'completed', value: { noValue: 'closed' } })
  })

  it('asks for a schema with definitions so that its references lead somewhere', async () => {
    const Node: z.ZodType = z.object({ name: z.string(), parts: z.array(z.lazy(() => Node)) })
    const tree = { root: { name: 'a', parts: [{ name: 'b', parts: [] }] } }
    const { outcome, model } = await solved([returns(PROSE), tree], z.object({ root: Node }))
    expect(outcome).toMatchObject({ status: 'completed', value: tree })
    expect(checkSchema(tree, model.calls[1]?.schema ?? {})).toEqual([])
    expect(checkSchema({ root: { name: 'a' } }, model.calls[1]?.schema ?? {})).not.toEqual([])
    const alone = await solved([returns(PROSE), tree.root], Node)
    expect(alone.outcome).toMatchObject({ status: 'completed', value: tree.root })
    expect(checkSchema(tree, alone.model.calls[1]?.schema ?? {})).not.toEqual([])
  })

  it('gives what the schema makes of the value, and has the JSON on record', async () => {
    const output = z.object({
      day: z.iso.date().transform((day) => new Date(day)),
      note: z.string().default('none'),
    })
    const { outcome, recorded } = await solved([returns('{"day":"2026-11-16"}')], output)
    expect(outcome.value).toEqual({ day: new Date('2026-11-16'), note: 'none' })
    expect(recorded?.value).toEqual({ day: '2026-11-16' })
  })

  it('runs an asynchronous check once', async () => {
    let checks = 0
    const check = async (value: unknown) => {
      await null
      checks++
      return value
    }
    const { outcome } = await solved([returns('{"item":"tea"}')], { json: { type: 'object' }, check })
    expect(outcome.value).toEqual({ item: 'tea' })
    expect(checks).toBe(1)
  })

  it('is partial if the check itself breaks', async () => {
    const output = { json: { type: 'object' }, check: () => Promise.reject(new TypeError('no database')) }
    const { outcome } = await solved([returns('{}'), {}, {}, {}], output)
    expect(outcome).toMatchObject({ status: 'partial', result: '{}' })
    expect(outcome.reason).toContain('no database')
  })

  it.each([
    ['a text', { type: 'string' } as const, 'Tea it is.', 'Tea it is.'],
    ['a choice', { enum: ['tea', 'coffee'], type: 'string' } as const, 'tea', 'tea'],
    ['a number', { type: 'number' } as const, '42', 42],
    ['a list', { type: 'array', items: { type: 'string' } } as const, '["a"]', ['a']],
  ])('gives %s where the schema is about one', async (_, output, result, value) => {
    const { outcome, asked } = await solved([returns(result)], output)
    expect(outcome).toMatchObject({ status: 'completed', value, result })
    expect(asked).toHaveLength(1)
  })

  it('does not take an example in prose for a value that could be anything', async () => {
    const { outcome } = await solved([returns('Write {"a": 1} into the file.'), { text: 'done' }], {
      type: 'object',
    })
    expect(outcome.value).toEqual({ text: 'done' })
  })

  it('does not take notes in YAML for the value', async () => {
    const { outcome, asked } = await solved([returns('item: tea\nprice: 5\n'), TEA], OFFER)
    expect(outcome.value).toEqual(TEA)
    expect(asked).toEqual(['minimal/next', 'output/value'])
  })

  it('that fails has no value, and nobody is asked for one', async () => {
    const { outcome, asked } = await solved([{ do: 'return', result: '{}', status: 'failed' }], OFFER)
    expect(outcome.status).toBe('failed')
    expect(outcome).not.toHaveProperty('value')
    expect(asked).toHaveLength(1)
  })

  it('that is partial has a value where its result gives one, and its own reason', async () => {
    const partial = {
      do: 'return',
      status: 'partial',
      result: JSON.stringify(TEA),
      reason: 'one shop was closed',
    }
    const { outcome } = await solved([partial], OFFER)
    expect(outcome).toMatchObject({ status: 'partial', value: TEA, reason: 'one shop was closed' })
  })

  it('is partial if its budget does not allow the last request', async () => {
    const { outcome, asked } = await solved([returns(PROSE)], OFFER, { budget: { calls: 1 } })
    expect(outcome).toMatchObject({ status: 'partial', code: 'LIMIT', limit: 'calls', result: PROSE })
    expect(asked).toEqual(['minimal/next'])
  })

  it('pays the last request from what was kept back for closing', async () => {
    const { outcome } = await solved([returns(PROSE), TEA], OFFER, { budget: { calls: 2 } })
    expect(outcome).toMatchObject({ status: 'completed', value: TEA })
  })

  it('may be a schema of ArkType', async () => {
    const output = type({ item: 'string', price: 'number > 0' })
    const { outcome, model } = await solved([returns('{"item":"tea","price":0}'), TEA], output)
    expect(outcome).toMatchObject({ status: 'completed', value: TEA })
    expect(model.calls[1]?.messages.map(messageText).join('')).toContain('"price": number // more than 0')
  })

  it('keeps the result if it is cancelled while the value is written', async () => {
    const engine = createEngine({
      model: new ScriptedModel({
        'minimal/next': [returns(PROSE)],
        'output/value': () => new Promise(() => {}),
      }),
    })
    const run = await engine.start('Find the best offer', { strategy: 'minimal', output: OFFER })
    for await (const event of run.events)
      if (event.type === 'model-start' && event.request.kind === 'output/value') await run.cancel('enough')
    expect(await run.outcome).toMatchObject({ status: 'cancelled', result: PROSE, reason: 'enough' })
    expect((await engine.replay(run.id)).differences).toEqual([])
    await engine.close()
  })

  it('waits while the model of the last request is out, and gives the value when it is resumed', async () => {
    const store = memoryStore()
    const outage = new ThinkonError('MODEL_OUTAGE', 'no quota')
    const first = createEngine({ model: new ScriptedModel([returns(PROSE), outage]), store })
    const run = await first.start('Find the best offer', { strategy: 'minimal', output: OFFER })
    await expect(run.outcome).rejects.toMatchObject({ code: 'MODEL_OUTAGE' })
    await first.close()
    const output = OFFER.transform(({ item }) => item)
    const second = createEngine({ model: new ScriptedModel([TEA]), store })
    const resumed = await second.resume(run.id, { output })
    expect(await resumed.outcome).toMatchObject({ status: 'completed', value: 'tea', result: PROSE })
    await second.close()
  })

  it('streams the text of the result, and not of the value', async () => {
    const model = new ScriptedModel([returns(PROSE), TEA])
    const engine = createEngine({ model })
    const run = await engine.start('Find the best offer', { strategy: 'minimal', output: OFFER })
    const pieces: string[] = []
    for await (const piece of run.text) pieces.push(piece)
    expect(pieces.join('')).toBe(PROSE)
    expect(await run.outcome).toMatchObject({ status: 'completed', value: TEA, result: PROSE })
    await engine.close()
  })

  it('refuses what is no schema before anything begins', async () => {
    const engine = createEngine({ model: new ScriptedModel([]) })
    const output = { item: z.string() } as never
    await expect(engine.start('goal', { output })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringMatching(/^output must be a Standard Schema/),
    })
    expect(await engine.count()).toBe(0)
    await engine.close()
  })

  it('refuses a JSON Schema with a type that is none, which would check nothing', async () => {
    const engine = createEngine({ model: new ScriptedModel([returns('{"type":"int"}')]) })
    const int = { type: 'int' }
    for (const output of [
      { type: 'objekt' },
      { type: 'object', properties: { n: { anyOf: [{ type: 'array', items: int }] } } },
      { $ref: '#/$defs/n', $defs: { n: { type: ['null', 'int'] } } },
    ])
      await expect(engine.start('goal', { output: output as never })).rejects.toMatchObject({
        code: 'BAD_INPUT',
        message: expect.stringMatching(
          /^output: "(int|objekt)" is no type of JSON Schema; there are: string/,
        ),
      })
    // What only looks like one.
    const output = {
      type: 'object',
      properties: { type: { type: 'string', default: int, examples: [int] } },
      additionalProperties: false,
    } as const
    const run = await engine.start('goal', { strategy: 'minimal', output })
    expect(await run.outcome).toMatchObject({ status: 'completed', value: { type: 'int' } })
    await engine.close()
  })

  it('can be resumed with the schema, or by its JSON Schema alone', async () => {
    const output = OFFER.transform(({ item }) => item)
    const engine = createEngine({ model: new ScriptedModel([returns(JSON.stringify(TEA))]) })
    const { id, outcome } = await engine.start('goal', { strategy: 'minimal', output })
    expect((await outcome).value).toBe('tea')
    expect((await (await engine.resume(id, { output })).outcome).value).toBe('tea')
    expect(await (await engine.resume(id)).outcome).toMatchObject({ value: TEA })
    const other = await engine.resume(id, { output: z.object({ id: z.number() }) })
    await expect(other.outcome).rejects.toMatchObject({ code: 'BAD_INPUT', data: { value: TEA } })
    const broken = await engine.resume(id, {
      output: OFFER.transform(() => {
        throw new TypeError('no database')
      }),
    })
    const message = expect.stringContaining('no database')
    await expect(broken.outcome).rejects.toMatchObject({ code: 'BAD_INPUT', message })
    await engine.close()
  })

  it('can not be given an output later', async () => {
    const engine = createEngine({ model: new ScriptedModel([returns('tea')]) })
    const { id, outcome } = await engine.start('goal', { strategy: 'minimal' })
    await outcome
    await expect(engine.resume(id, { output: OFFER })).rejects.toMatchObject({ code: 'BAD_INPUT' })
    await engine.close()
  })
})

it('solve gives the value', async () => {
  const model = new ScriptedModel([returns(JSON.stringify(TEA))])
  const outcome = await solve('Find the best offer', { model, strategy: 'minimal', output: OFFER })
  if (outcome.status !== 'completed') throw new Error(outcome.reason)
  expect(outcome.value.price.toFixed(2)).toBe('4.00')
})
