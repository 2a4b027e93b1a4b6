/** Replies that lost a bracket, or have one too many: read as they are meant, or asked for again. */
import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../schema/check-schema.ts'
import { readReply } from './read-reply.ts'

const TAGS: JsonSchema = { type: 'array', items: { type: 'string' } }
const NUMBERS: JsonSchema = { type: 'array', items: { type: 'number' } }

async function expectRefused(text: string, schema: JsonSchema): Promise<void> {
  expect(await readReply(text, schema)).toHaveProperty('error')
}

async function expectRead(text: string, schema: JsonSchema, value: unknown): Promise<void> {
  expect(await readReply(text, schema)).toMatchObject({ value })
}

describe('what lost a bracket is not put together in another way', () => {
  const PLAN = {
    type: 'object',
    properties: {
      block: { type: 'object', properties: { goal: { type: 'string' }, done: { type: 'array' } } },
      items: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
      note: { type: 'string' },
    },
    required: ['block'],
  }
  test.each([
    '{"block": {"goal": "g", "done": [], "note": "n"}',
    '{"block": {"goal": "g", "done": []], "note": "n"}',
    '{"block": {}, "items": [{"name": "a"}, "name": "b"}, "note": "n"}',
  ])('%s', async (text) => expectRefused(text, PLAN))

  test('one at the end is added', async () => {
    const value = { block: { goal: 'g', done: [] }, note: 'n' }
    await expectRead(JSON.stringify(value).slice(0, -1), PLAN, value)
    await expectRead('{"block": {"goal": "g", "done": []}', PLAN, { block: value.block })
    await expectRead('{"block": {"goal": "g", "other": 1}', PLAN, { block: { goal: 'g', other: 1 } })
  })

  test.each([
    '{"thoughts": ["a", "b"\'\n"c"]}',
    '{"thoughts": ["a", "say {"\'"): b"]}',
    '{"thoughts": ["a"], "scores": [1}\n2, 3]}',
  ])('lists: %j', async (text) => expectRefused(text, { properties: { thoughts: TAGS, scores: NUMBERS } }))

  test('a list that is closed too early', async () => {
    await expectRefused('[{"name": "a"},\n]\n"name": "b"\n}\n]', PLAN.properties.items)
    await expectRefused('[{"name": "a"},\n]{\n"name": "b"\n}\n]', PLAN.properties.items)
    await expectRefused('{"block": {"goal": "g"},}note": "n"}', PLAN)
    await expectRead('[{"name": "a"}]}}', PLAN.properties.items, [{ name: 'a' }])
  })
})

test('a text that lost its first quote is no comment', async () => {
  await expectRefused('["a",\n# b"\n]', TAGS)
  await expectRead('["a", # not "b"\n"c"]', TAGS, ['a', 'c'])
})
