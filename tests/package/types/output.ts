// What an `output` makes of the outcome's type. Compiled in a project that has installed the tarball, and here; never run.
import { toStandardJsonSchema as forModels } from '@valibot/to-json-schema'
import { type } from 'arktype'

import { createEngine, type Run, type RunOutcome, solve } from 'thinkon'
import * as v from 'valibot'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'

interface Offer {
  shop: string
  price: number
}

const engine = createEngine()

export async function typed() {
  const byZod = await solve('goal', { output: z.object({ shop: z.string(), price: z.number() }) })
  if (byZod.status === 'completed') expectTypeOf(byZod.value).toEqualTypeOf<Offer>()
  else expectTypeOf(byZod.value).toEqualTypeOf<Offer | undefined>()
  expectTypeOf(byZod).toEqualTypeOf<RunOutcome<Offer>>()
  expectTypeOf(byZod.result).toBeString()
  // @ts-expect-error it may have no value
  byZod.value.shop

  const byValibot = await solve('goal', {
    output: forModels(v.object({ shop: v.string(), price: v.number() })),
  })
  if (byValibot.status === 'completed') expectTypeOf(byValibot.value).toEqualTypeOf<Offer>()

  const byArktype = await solve('goal', { output: type({ shop: 'string', price: 'number' }) })
  if (byArktype.status === 'completed') expectTypeOf(byArktype.value).toEqualTypeOf<Offer>()

  const ours = { json: { type: 'object' }, check: (value: unknown) => value as Offer }
  const byOurs = await solve('goal', { output: ours })
  if (byOurs.status === 'completed') expectTypeOf(byOurs.value).toEqualTypeOf<Offer>()

  const properties = { shop: { type: 'string' }, price: { type: 'number' } }
  const byLiteral = await solve('goal', {
    output: {
      type: 'object',
      properties: { shop: { type: 'string' }, price: { type: 'number' } },
      required: ['shop', 'price'],
    },
  })
  if (byLiteral.status === 'completed') expectTypeOf(byLiteral.value).toEqualTypeOf<Offer>()

  const json: Record<string, unknown> = { type: 'object', properties }
  const byJson = await solve('goal', { output: json })
  if (byJson.status === 'completed') expectTypeOf(byJson.value).toBeUnknown()

  // The type is what the schema returns, not what it takes.
  const dates = z.object({
    day: z.iso.date().transform((day) => new Date(day)),
    note: z.string().default(''),
  })
  const transformed = await solve('goal', { output: dates })
  if (transformed.status === 'completed')
    expectTypeOf(transformed.value).toEqualTypeOf<{ day: Date; note: string }>()
  // @ts-expect-error it is a Date
  if (transformed.status === 'completed') transformed.value.day.length
}

export async function without() {
  const outcome = await solve('goal')
  expectTypeOf(outcome).toEqualTypeOf<RunOutcome>()
  // @ts-expect-error without an output there is no value
  outcome.value
  const run = await engine.start('goal', { strategy: 'fractal' })
  expectTypeOf(run).toEqualTypeOf<Run>()
  // @ts-expect-error without an output there is no value
  void (await run.outcome).value
}

export async function ofAnEngine() {
  const output = z.object({ shop: z.string(), price: z.number() })
  const run = await engine.start('goal', { output })
  expectTypeOf(run).toEqualTypeOf<Run<Offer>>()
  const resumed = await engine.resume(run.id, { output })
  expectTypeOf(resumed).toEqualTypeOf<Run<Offer>>()
  expectTypeOf(await engine.resume(run.id)).toEqualTypeOf<Run>()
}

/** A wrapper of one's own keeps the type. */
export async function wrapped<T>(output: z.ZodType<T>): Promise<T> {
  const outcome = await solve('goal', { output })
  if (outcome.status === 'completed') return outcome.value
  const run = await engine.start('goal', { output })
  const ended = await run.outcome
  if (ended.status === 'completed') return ended.value
  throw new Error(ended.reason)
}

export async function refused() {
  // @ts-expect-error a record of schemas is no schema
  await solve('goal', { output: { shop: z.string() } })
  // @ts-expect-error nor is a name
  await solve('goal', { output: 'offer' })
}
