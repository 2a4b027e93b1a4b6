import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { type FakeProvider, startFakeProvider } from './fake-provider.ts'

let fake: FakeProvider | undefined
afterEach(() => fake?.close())

async function notesOf(texts: readonly string[]) {
  fake = await startFakeProvider(texts.map((text) => ({ text })))
  const engine = createEngine({ model: `${fake.url}#fake` })
  const run = await engine.start('a goal', { strategy: 'minimal' })
  const outcome = await run.outcome
  const journal = [...(await engine.events(run.id))]
  const replayed = await engine.replay(run.id)
  await engine.close()
  expect(replayed.differences).toEqual([])
  const notes = journal.filter((event) => event.type === 'note').map(({ name, data }) => ({ name, data }))
  return { outcome, journal, notes }
}

it('a reply that was mended is an event of its own, right after the reply', async () => {
  const { outcome, journal, notes } = await notesOf([
    'Sure!\n```json\n{"do":"plan","todo":["one",],}\n```',
    '{"do":"return","result":"ok"}',
  ])
  expect(outcome.result).toBe('ok')
  expect(notes).toEqual([{ name: 'reply-repaired', data: { n: 1, repairs: expect.any(Array), asks: 1 } }])
  expect(notes[0]).toMatchObject({ data: { repairs: expect.arrayContaining(['fence-removed']) } })
  const at = journal.findIndex(({ type }) => type === 'note')
  expect(journal.slice(at - 1, at + 2).map(({ type }) => type)).toEqual(['model-end', 'note', 'todo-set'])
})

it('a reply that was asked for again is one, too', async () => {
  const { outcome, notes } = await notesOf(['I would rather not.', '{"do":"return","result":"ok"}'])
  expect(outcome).toMatchObject({ status: 'completed', result: 'ok', usage: { calls: 2 } })
  expect(notes).toEqual([{ name: 'reply-repaired', data: { n: 1, repairs: [], asks: 2 } }])
})

it('a reply that needed nothing is not', async () => {
  expect((await notesOf(['{"do":"return","result":"ok"}'])).notes).toEqual([])
})
