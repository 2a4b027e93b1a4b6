// Forks and imports go on where they are resumed first: here on a cluster, from every event of a run.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RestateServer, startRestateServer } from '../../src/cluster/restate-server.ts'
import { createEngine, type Engine, tool } from '../../src/index.ts'
import type { Context } from '../../src/kernel/strategy.ts'
import { type Event, type EventOf, foldEvents } from '../../src/protocol/index.ts'
import { restate, restateWorker } from '../../src/restate.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { violations } from '../conformance/invariants.ts'
import { request, strategyOf } from '../conformance/kernel/lab.ts'
import { freshDatabase } from '../postgres.ts'

let server: RestateServer
let postgres: string
let cluster: Engine
let closeWorker: () => Promise<void>
const folder = mkdtempSync(join(tmpdir(), 'thinkon-forks-'))

/** What was performed, as `<kind or tool> <input>`. */
const performed: string[] = []
/** Replies that never come. */
let isHeld = false

const model = new ScriptedModel(({ kind, input }) => {
  performed.push(`${kind} ${input}`)
  if (isHeld) return new Promise<never>(() => {})
  return `said ${input}`
})
const pay = tool({
  name: 'pay',
  description: 'pays',
  access: 'write',
  run: () => {
    performed.push('pay')
    return 'paid'
  },
})

/** Everything that a block can do. */
const own = strategyOf('own', async (context: Context<never>) => {
  const model = async (input: string) =>
    (await context.one(context.model({ ...request('own/say'), input }))).text
  if (context.level > 0) {
    const told = /better/.exec(context.timeline(2_000))?.[0] ?? ''
    return `${await model(context.path)}${told && ` ${told}`}`
  }
  const slow = context.ask({ text: 'Slow?' })
  const first = context.call('first')
  await context.first([slow, first])
  await context.cancel(slow, 'too slow')
  context.plan('the rest')
  const ends = await context.all([first, context.call('second')])
  const [paid] = await context.all([context.tool('pay', {})])
  const answer = await context.one(context.ask({ text: 'What?' }))
  const children = ends.map((end) => (end.ok ? end.value.result : end.error.code))
  return [...children, paid?.ok ? 'paid' : paid?.error.code, answer, await model('last')].join(', ')
})
const WHOLE = 'said 1-1, said 1-2, paid, tea, said last'

beforeAll(async () => {
  server = await startRestateServer()
  postgres = await freshDatabase()
  const { admin, ingress } = server
  const parts = { model, tools: [pay], strategies: [own] }
  const worker = await restateWorker({ ...parts, postgres, admin, ingress })
  closeWorker = () => worker.close()
  cluster = createEngine({ ...parts, host: restate({ postgres, ingress }) })
})

afterAll(async () => {
  await cluster?.close()
  await closeWorker?.()
  await server?.end()
  rmSync(folder, { recursive: true, force: true })
})

const eventsOf = async (id: string): Promise<Event[]> => [...(await cluster.events(id))]

function onlyNotOpen(error: unknown): void {
  if ((error as { code?: string }).code !== 'QUESTION_NOT_OPEN') throw error
}

/** Answers what is asked, and checks what is left in the end. */
async function ended(id: string): Promise<string> {
  const run = await cluster.resume(id)
  for await (const _ of run.events) {
    const open = (await cluster.questions({ run: id })).find(({ text }) => text === 'What?')
    // Another event may have come first, and with it the same answer.
    if (open !== undefined) await cluster.answer(id, 'tea', { question: open.id }).catch(onlyNotOpen)
  }
  const { status, result } = await run.outcome
  const events = await eventsOf(id)
  expect(violations(events)).toEqual([])
  expect((await cluster.replay(id)).differences).toEqual([])
  return `${status} ${result}`
}

it('a fork at each event of a run goes on as the run did, and pays for nothing that was finished before', async () => {
  const run = await cluster.start('all of it', { strategy: 'own' })
  await cluster.signal(run.id, '1', 'message', 'hurry')
  expect(await ended(run.id)).toBe(`completed ${WHOLE}`)
  const events = await eventsOf(run.id)
  expect(events.some(({ type }) => type === 'signal-taken')).toBe(true)
  const last = events.findIndex((event) => event.type === 'block-end' && event.path === '1')
  for (const { seq, type } of events.slice(0, last)) {
    performed.splice(0)
    const kept = events.slice(0, seq).filter(({ type }) => type === 'model-end' || type === 'tool-end').length
    const outcome = await ended(await cluster.fork(run.id, seq))
    const isPaying = type === 'tool-start'
    expect([seq, outcome]).toEqual([
      seq,
      `completed ${isPaying ? WHOLE.replace('paid', 'INTERRUPTED') : WHOLE}`,
    ])
    expect([seq, kept + performed.length]).toEqual([seq, isPaying ? 3 : 4])
  }
})

it('a block of a run that has ended is done again on the cluster', async () => {
  const run = await cluster.start('once more', { strategy: 'own' })
  await ended(run.id)
  performed.splice(0)
  const redone = await cluster.redo(run.id, '1-2', 'better', { toResume: true, strict: true })
  expect(await ended(redone)).toBe('completed said 1-1, said 1-2#2 better, paid, tea, said last')
  expect(performed).toEqual(['own/say 1-2#2', 'pay', 'own/say last'])
  const edited = await cluster.fork(run.id, 1)
  await expect(cluster.resume(edited, { budget: { calls: 1 } })).rejects.toMatchObject({ code: 'BAD_INPUT' })
  expect(await ended(edited)).toContain('completed')
})

it('a prompt that is edited in a fork is what the model is asked on the cluster, and reserves for itself', async () => {
  const run = await cluster.start('edit me', { strategy: 'own', budget: { tokens: 200_000 } })
  await ended(run.id)
  const asked = (await eventsOf(run.id)).find((event) => event.type === 'model-start' && event.path === '1-2')
  const { seq, reserve } = asked as EventOf<'model-start'>
  const content = 'word '.repeat(100)
  const fork = await cluster.fork(run.id, seq, { request: { messages: [{ role: 'user', content }] } })
  performed.splice(0)
  model.calls.splice(0)
  expect(await ended(fork)).toBe('completed said 1-1, said undefined, paid, tea, said last')
  expect(performed).toEqual(['own/say undefined', 'pay', 'own/say last'])
  expect(model.calls[0]?.messages).toEqual([{ role: 'user', content }])
  const events = await eventsOf(fork)
  expect(events.find((event) => event.seq === seq)).toMatchObject({
    edited: true,
    request: { messages: [{ content }] },
  })
  const held = events.find((event) => event.type === 'part-start')
  expect(held).toMatchObject({ path: '1-2', part: 1 })
  expect((held as EventOf<'part-start'>).reserve.tokens).toBeGreaterThan(reserve.tokens)
  const tooLong = await cluster.fork(run.id, seq, {
    request: { messages: [{ role: 'user', content: 'word '.repeat(200_000) }] },
  })
  performed.splice(0)
  await ended(tooLong)
  expect(performed).toEqual(['pay', 'own/say last'])
  const refused = (await eventsOf(tooLong)).find(
    (event) => event.type === 'model-end' && event.path === '1-2',
  )
  expect(refused).toMatchObject({ result: { ok: false, error: { code: 'LIMIT' } } })
})

it('a run that a local engine has left in the middle is imported, and goes on; what was lost is charged once', async () => {
  const options = { model, tools: [pay], strategies: [own] }
  const local = createEngine({ ...options, store: join(folder, 'runs.db') })
  isHeld = true
  const { id } = await local.start('from elsewhere', { strategy: 'own' })
  while (!performed.some((what) => what.startsWith('own/say'))) await pause(5)
  await local.signal(id, '1', 'message', 'sent before')
  await local.close()
  isHeld = false
  const again = createEngine({ ...options, store: join(folder, 'runs.db') })
  await cluster.import(await again.export(id))
  await again.close()
  expect(await ended(id)).toBe(`completed ${WHOLE}`)
  const { usage, blocks } = foldEvents(await eventsOf(id))
  expect(usage.lostTokens).toBeGreaterThan(0)
  expect(blocks.get('1')?.outcome?.usage).toEqual(usage)
  await cluster.import(await cluster.export(id), { as: 'copy' })
  expect(await (await cluster.resume('copy')).outcome).toMatchObject({ status: 'completed', result: WHOLE })
})

it('a run belongs to whoever has worked on it', async () => {
  const local = createEngine({ model, tools: [pay], strategies: [own], store: postgres })
  const run = await local.start('here', { strategy: 'own' })
  await run.signal('1', 'cancel', 'enough')
  await run.outcome
  const [mine, theirs] = [await local.fork(run.id, 1), await local.fork(run.id, 1)]
  await local.signal(mine, '1', 'cancel', 'not at all')
  await (await local.resume(mine)).outcome
  const stopped = await local.start('stopped', { strategy: 'own' })
  await local.close()
  await expect(cluster.resume(stopped.id)).rejects.toThrow('lives with no cluster')
  expect(await ended(theirs)).toContain('completed')
  const other = createEngine({ model, tools: [pay], strategies: [own], store: postgres })
  const fork = await other.fork(theirs, 5)
  await Promise.all([cluster.resume(fork), cluster.resume(fork)])
  await expect(other.resume(fork)).rejects.toThrow('lives in a cluster')
  await other.close()
  expect(await ended(fork)).toContain('completed')
})
