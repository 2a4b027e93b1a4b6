import { expect, test } from 'vitest'
import { isReadable, isUnread, loadSecondCorpus } from '../../bench/repair.ts'
import { generate } from '../../bench/repair-grammar.ts'
import { checkSchema } from '../../src/schema/check-schema.ts'

// Only ids are compared, so that a failure does not print what is in the unread third. No reply is read here.
const [read, unread] = [loadSecondCorpus('read'), loadSecondCorpus('unread')]
const all = [...read, ...unread]

test('the second corpus has 300 broken replies, each once, about a third of them unread', () => {
  expect(all).toHaveLength(300)
  expect(new Set(all.map(({ id }) => id)).size).toBe(300)
  expect(new Set(all.map(({ text, schema }) => JSON.stringify([text, schema]))).size).toBe(300)
  expect(unread.length).toBeGreaterThan(90)
  expect(read.filter(({ id }) => isUnread(id)).map(({ id }) => id)).toEqual([])
  expect(unread.filter(({ id }) => !isUnread(id)).map(({ id }) => id)).toEqual([])
})

test('half of it is what the grammar of breaks makes, the same each time', () => {
  const stored = new Map(all.map((reply) => [reply.id, JSON.stringify([reply.text, reply.expect])]))
  const generated = generate()
  expect(generated).toHaveLength(150)
  const others = generated.filter(({ id, text, expect }) => stored.get(id) !== JSON.stringify([text, expect]))
  expect(others.map(({ id }) => id)).toEqual([])
})

test('every reading that is expected fits its schema', () => {
  const misfits = all.filter(
    (reply) => isReadable(reply) && checkSchema(reply.expect, reply.schema).length > 0,
  )
  expect(misfits.map(({ id }) => id)).toEqual([])
})
