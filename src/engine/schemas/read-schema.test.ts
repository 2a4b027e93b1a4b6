import { toStandardJsonSchema as forModels } from '@valibot/to-json-schema'
import { jsonSchema, zodSchema } from 'ai'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import type { GivenSchema, InferInput, InferOutput } from './given-schema.ts'
import { checkOf, schemaOf } from './read-schema.ts'

const ITEM = { item: 'tea', count: 2 }
const WRONG = { item: 7, count: 'two' }

const JSON_ITEM = {
  type: 'object',
  properties: { item: { type: 'string' }, count: { type: 'number' } },
  required: ['item'],
  additionalProperties: false,
} as const

const MINI = mini.object({ item: mini.string(), count: mini.optional(mini.number()) })

const VENDORS = {
  zod: z.object({ item: z.string(), count: z.number().optional() }),
  'zod/mini': { json: mini.toJSONSchema(MINI), check: (value: unknown) => MINI.parse(value) },
  valibot: forModels(v.object({ item: v.string(), count: v.optional(v.number()) })),
  arktype: type({ item: 'string', 'count?': 'number' }),
  'JSON Schema': JSON_ITEM,
  'jsonSchema() of ai': jsonSchema<{ item: string; count?: number }>(JSON_ITEM),
  'zodSchema() of ai': zodSchema(z.object({ item: z.string(), count: z.number().optional() })),
  'lazy schema of ai': () => zodSchema(z.object({ item: z.string(), count: z.number() })),
} satisfies Record<string, GivenSchema>

describe.each(Object.entries<GivenSchema>(VENDORS))('a schema of %s', (_, given) => {
  it('is told to models as JSON Schema', async () => {
    const { json } = await schemaOf(given, 'it')
    expect(json).toMatchObject({
      type: 'object',
      properties: { item: { type: 'string' }, count: { type: 'number' } },
      required: expect.arrayContaining(['item']),
    })
    expect(json).not.toHaveProperty('$schema')
  })

  it('gives a value that fits, and says what is wrong with each field of another', async () => {
    const { check } = await schemaOf(given, 'it')
    expect(await check(ITEM)).toEqual({ ok: true, value: ITEM })
    expect(await check(WRONG)).toEqual({
      ok: false,
      problems: expect.arrayContaining([
        expect.stringMatching(/^item\b.*string/),
        expect.stringMatching(/^count\b.*number/),
      ]),
    })
  })
})

describe('a schema', () => {
  it('that makes something else of a value is told as what it takes, and gives what it makes', async () => {
    const made = {
      zod: z.object({ at: z.string().transform((text) => text.length) }),
      valibot: forModels(
        v.object({
          at: v.pipe(
            v.string(),
            v.transform((text) => text.length),
          ),
        }),
      ),
      arktype: type({ at: type('string').pipe((text) => text.length) }),
    }
    for (const given of Object.values<GivenSchema>(made)) {
      const { json, check } = await schemaOf(given, 'it')
      expect(json).toMatchObject({ properties: { at: { type: 'string' } }, required: ['at'] })
      expect(await check({ at: 'noon' })).toEqual({ ok: true, value: { at: 4 } })
    }
  })

  it('with a part that JSON Schema has no word for leaves that part open', async () => {
    for (const given of [
      z.object({ a: z.bigint() }),
      forModels(v.object({ a: v.bigint() })),
      type({ a: 'bigint' }),
    ])
      expect((await schemaOf(given as GivenSchema, 'it')).json).toMatchObject({ properties: { a: {} } })
  })

  it('of a library without Standard JSON Schema is refused, and the error names the wrapper', async () => {
    await expect(schemaOf(v.object({}), 'output')).rejects.toThrow(
      'wrap it in toStandardJsonSchema() of the package @valibot/to-json-schema',
    )
    await expect(schemaOf(MINI, 'output')).rejects.toThrow('json: z.toJSONSchema(schema, { io: "input" })')
  })

  it('that can not be told to a model is refused, and says what to do', async () => {
    const standard = { version: 1 as const, vendor: 'own', validate: (value: unknown) => ({ value }) }
    await expect(schemaOf({ '~standard': standard }, 'the input of the tool order')).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringMatching(
        /^the input of the tool order is a schema of own .* give \{ json, check \}$/,
      ),
    })
    const failing = { input: () => { throw new Error('no word for it') } } // biome-ignore format: one line
    const told = schemaOf({ '~standard': { ...standard, jsonSchema: failing } }, 'the output')
    await expect(told).rejects.toThrow("the output can't be written as JSON Schema (no word for it)")
    expect(await checkOf({ '~standard': standard }, 'it')(1)).toEqual({ ok: true, value: 1 })
  })

  it.each([
    ['text', /^it must be a Standard Schema/],
    [null, /^it must be/],
    [[], /^it must be/],
    [{ item: z.string() }, /not a record of schemas: wrap it .* z\.object/],
    [{ title: v.string() }, /not a record of schemas/],
    [class {}, /^it must be .*, not a function$/],
    [() => 7, /not a function$/],
    [Object, /not a function$/],
    [{ item: 'string' }, /item: none of these is a keyword of JSON Schema/],
  ])('is not %j', async (given, message) => {
    await expect(schemaOf(given as never, 'it')).rejects.toThrow(message)
    expect(() => checkOf(given as never, 'it')).toThrow(message)
  })

  it('of ours may wait, and may throw whatever it wants', async () => {
    const throwing = (thrown: unknown) => ({ json: {}, check: async () => Promise.reject(thrown) })
    const problemsOf = async (thrown: unknown) => {
      const checked = await checkOf(throwing(thrown), 'it', 'the answer')(1)
      return checked.ok ? null : checked.problems
    }
    expect(await problemsOf(new Error('no'))).toEqual(['no'])
    expect(await problemsOf('no')).toEqual(['no'])
    expect(await problemsOf(undefined)).toEqual(['undefined'])
    expect(await problemsOf({ issues: [{ message: 'bad', path: [{ key: 'a' }, 0] }] })).toEqual(['a.0: bad'])
    expect(await problemsOf({ issues: [] })).toEqual(['the answer does not fit'])
    expect(await problemsOf(z.string().safeParse(1).error)).toEqual([
      expect.stringMatching(/^the answer: .*string/),
    ])
  })

  it('gives the types of what it takes and of what it returns', () => {
    type Item = { item: string; count?: number | undefined }
    expectTypeOf<InferOutput<typeof VENDORS.zod>>().toEqualTypeOf<Item>()
    expectTypeOf<InferOutput<typeof VENDORS.valibot>>().toEqualTypeOf<Item>()
    expectTypeOf<InferOutput<typeof VENDORS.arktype>>().toEqualTypeOf<{ item: string; count?: number }>()
    expectTypeOf<InferOutput<(typeof VENDORS)['JSON Schema']>>().toEqualTypeOf<{
      item: string
      count?: number
    }>()
    expectTypeOf<InferOutput<(typeof VENDORS)['jsonSchema() of ai']>>().toEqualTypeOf<{
      item: string
      count?: number
    }>()
    expectTypeOf<InferOutput<(typeof VENDORS)['lazy schema of ai']>>().toEqualTypeOf<{
      item: string
      count: number
    }>()
    const made = z.object({ at: z.string().transform(Number), note: z.string().default('') })
    expectTypeOf<InferInput<typeof made>>().toEqualTypeOf<{ at: string; note?: string | undefined }>()
    expectTypeOf<InferOutput<typeof made>>().toEqualTypeOf<{ at: number; note: string }>()
    const ours = { json: {}, check: (value: unknown) => String(value) }
    expectTypeOf<InferOutput<typeof ours>>().toEqualTypeOf<string>()
    expectTypeOf<InferOutput<Record<string, unknown>>>().toEqualTypeOf<unknown>()
  })
})
