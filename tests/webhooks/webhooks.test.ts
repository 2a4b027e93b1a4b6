// Webhooks as their receivers meet them: real receivers on the loopback, verified by the real package.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { ThinkonError } from '../../src/protocol/index.ts'
import { checkSchema, type JsonSchema } from '../../src/schema/check-schema.ts'
import { ROUTES } from '../../src/server/http/routes/index.ts'
import { createWebhooks, type WebhookDelivery, type WebhooksOptions } from '../../src/server.ts'
import { DONE, endAll, type Script, serveHere, storeFile } from '../server/serve-here.ts'
import { OTHER_SECRET, type Receiver, receiver, SECRET } from './receiver.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  await endAll()
  for (const end of ends.splice(0)) await end()
})

async function listening(...given: Parameters<typeof receiver>): Promise<Receiver> {
  const made = await receiver(...given)
  ends.push(made.close)
  return made
}

interface Telling extends Partial<WebhooksOptions> {
  script?: Script
  store?: string
  retryMs?: number
}

/** A service that tells these receivers; pauses are short. */
async function telling(receivers: WebhooksOptions['receivers'], options: Telling = {}) {
  const { script = DONE, store = storeFile(), retryMs, ...others } = options
  const problems: string[] = []
  const webhooks = createWebhooks({
    receivers,
    record: `${store}.webhooks`,
    pausesMs: [5, 5, 5, 5],
    lookMs: 50,
    onProblem: (message) => problems.push(message),
    ...others,
  })
  const served = await serveHere({
    script,
    store,
    service: { webhooks, ...(retryMs !== undefined && { retryMs }) },
  })
  await served.service.open()
  const deliveries = async () => {
    const answer = (await served.json('/api/webhooks')) as { deliveries: WebhookDelivery[] }
    const schema = ROUTES.find(({ name }) => name === 'listWebhooks')?.answers[200]?.schema as JsonSchema
    expect(checkSchema(answer, schema)).toEqual([])
    return answer.deliveries
  }
  const settled = async (count: number) => {
    for (;;) {
      const all = await deliveries()
      if (all.length === count && all.every(({ state }) => state !== 'pending')) return all
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  return { ...served, deliveries, settled, problems }
}

it('tells of a run that has ended, signed; with its result only where that is asked for', async () => {
  const [brief, full, deaf] = [await listening(), await listening(), await listening()]
  const { service, settled } = await telling([
    { url: brief.url, secret: SECRET },
    { url: full.url, secret: SECRET, content: true },
    { url: deaf.url, secret: SECRET, events: ['run.waiting'] },
  ])
  const run = await service.start('a goal')
  await run.outcome
  await Promise.all([brief.until(1), full.until(1)])
  const [short] = brief.taken
  expect(short?.payload).toEqual({
    type: 'run.ended',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: {
      run: run.id,
      strategy: expect.stringMatching(/^minimal@/),
      status: 'completed',
      usage: expect.objectContaining({ calls: 1 }),
      activeMs: expect.any(Number),
      startedAt: expect.stringMatching(/Z$/),
    },
  })
  expect(full.taken[0]?.payload.data).toMatchObject({ goal: 'a goal', result: 'done' })
  expect(full.taken[0]?.id).toBe(short?.id)
  const done = await settled(2)
  expect(done).toMatchObject([
    { state: 'delivered', attempts: 1, lastStatus: 204, run: run.id },
    { state: 'delivered' },
  ])
  expect(JSON.stringify(done)).not.toMatch(/in-the-query|hook\?|whsec/)
  expect(deaf.received).toEqual([])
})

it('several secrets sign: receivers with either accept it, one with another refuses', async () => {
  const third = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
  const [old, young, foreign] = [
    await listening(),
    await listening(undefined, { secret: OTHER_SECRET }),
    await listening(undefined, { secret: third }),
  ]
  const { service, settled, problems } = await telling(
    [old, young, foreign].map(({ url }) => ({ url, secret: [SECRET, OTHER_SECRET] })),
    { pausesMs: [1] },
  )
  await (await service.start('a')).outcome
  await settled(3)
  expect([old.taken.length, young.taken.length, foreign.taken.length]).toEqual([1, 1, 0])
  expect(foreign.refused).toEqual(['No matching signature found', 'No matching signature found'])
  expect(problems.join('\n')).toContain('it answers 401; given up after 2 attempts')
  expect(problems.join('\n')).not.toMatch(/in-the-query|whsec|BwcH/)
})

it('tries again what was not taken, with the same id and body, until it is', async () => {
  const there = await listening((_, attempt) => (attempt < 4 ? 500 : 200))
  const { service, settled, problems } = await telling([{ url: there.url, secret: SECRET }])
  await (await service.start('a')).outcome
  expect(await settled(1)).toMatchObject([{ state: 'delivered', attempts: 4 }])
  expect(new Set(there.received.map(({ id, body }) => id + body)).size).toBe(1)
  expect(problems).toEqual([expect.stringContaining('it answers 500; it is tried again')])
})

it('a redirect is not followed, a receiver that hangs is given up in time, and none of it delays others', async () => {
  const target = await listening()
  const away = await listening((_, __, response) => {
    response.writeHead(307, { location: target.url }).end()
    return undefined
  })
  const hanging = await listening(() => undefined)
  const closed = await receiver()
  await closed.close()
  const well = await listening()
  const { service, settled } = await telling(
    [away, hanging, closed, well].map(({ url }) => ({ url, secret: SECRET })),
    { timeoutMs: 300, pausesMs: [5], concurrency: 1 },
  )
  const runs = await Promise.all([1, 2, 3].map((n) => service.start(`${n}`)))
  await Promise.all(runs.map(({ outcome }) => outcome))
  await well.until(3)
  const all = await settled(12)
  const errors = all.flatMap(({ lastError }) => lastError ?? [])
  expect(all.filter(({ state }) => state === 'delivered')).toHaveLength(3)
  for (const [error, count] of [
    ['it answers 307', 3],
    ['no answer within 300 ms', 3],
    ['ECONNREFUSED', 3],
  ] as const)
    expect(errors.filter((one) => one.includes(error))).toHaveLength(count)
  expect(target.received).toEqual([])
})

it('waits as long as Retry-After says, and 410 stops all that is told to this receiver', async () => {
  const busy = await listening((_, attempt, response) => {
    if (attempt > 1) return 200
    response.writeHead(429, { 'retry-after': '3600' }).end()
    return undefined
  })
  const gone = await listening(() => 410)
  const { service, deliveries, problems } = await telling(
    [busy, gone].map(({ url }) => ({ url, secret: SECRET })),
    { concurrency: 1 },
  )
  await (await service.start('a')).outcome
  await Promise.all([busy.until(1, 'received'), gone.until(1, 'received')])
  const state = async (lastStatus: number) =>
    (await deliveries()).find((one) => one.lastStatus === lastStatus)
  await expect.poll(() => state(429)).toMatchObject({ state: 'pending', attempts: 1 })
  expect(Date.parse((await state(429))?.nextAt ?? '')).toBeGreaterThan(Date.now() + 3_000_000)
  await expect.poll(() => state(410)).toMatchObject({ state: 'failed', attempts: 1 })
  await (await service.start('b')).outcome
  const failed = async () => (await deliveries()).filter((one) => one.state === 'failed').length
  await expect.poll(failed).toBe(2)
  expect(gone.received).toHaveLength(1)
  expect(problems.filter((one) => one.includes('410'))).toHaveLength(1)
})

it('tells of a run that waits for a person, once, and then how it ended', async () => {
  let isAsked = false
  const ask: Script = () => {
    if (isAsked) return { do: 'return', result: 'thanks' }
    isAsked = true
    return { do: 'ask', question: { text: 'Which?', choices: ['red', 'green'] } }
  }
  const [brief, full] = [await listening(), await listening()]
  const { service, post } = await telling(
    [
      { url: brief.url, secret: SECRET },
      { url: full.url, secret: SECRET, content: true },
    ],
    { script: ask },
  )
  const run = await service.start('a')
  await Promise.all([brief.until(1), full.until(1)])
  const told = { run: run.id, waitsFor: 'person' }
  expect(brief.taken[0]?.payload).toMatchObject({ type: 'run.waiting', data: told })
  expect(brief.taken[0]?.payload.data).toMatchObject({ question: { path: '1', name: 'answer' } })
  expect(brief.taken[0]?.body).not.toMatch(/Which|red/)
  expect(full.taken[0]?.payload.data).toMatchObject({
    question: { text: 'Which?', choices: ['red', 'green'] },
  })
  expect((await post(`/api/runs/${run.id}/answers`, { answer: 'red' })).status).toBe(202)
  await Promise.all([brief.until(2), full.until(2)])
  expect(brief.received.map(({ payload }) => payload.type)).toEqual(['run.waiting', 'run.ended'])
})

it('an outage is told of once, however often the model is asked again', async () => {
  let out = 4
  const there = await listening()
  const { service } = await telling([{ url: there.url, secret: SECRET }], {
    retryMs: 100,
    script: () => {
      if (out-- > 0) throw new ThinkonError('MODEL_OUTAGE', 'no quota for "my secret plan"')
      return { do: 'return', result: 'at last' }
    },
  })
  const run = await service.start('a')
  await expect(run.outcome).rejects.toMatchObject({ code: 'MODEL_OUTAGE' })
  await there.until(2)
  expect(there.received.map(({ payload }) => payload)).toMatchObject([
    { type: 'run.waiting', data: { waitsFor: 'model', steps: [{ path: '1', model: 'fast' }] } },
    { type: 'run.ended', data: { status: 'completed' } },
  ])
  expect(there.received[0]?.body).not.toContain('plan')
})

it('what was not delivered when the service stopped is delivered by the next one, and nothing that was', async () => {
  const store = storeFile()
  let isUp = false
  const there = await listening(() => (isUp ? 200 : 503))
  const first = await telling([{ url: there.url, secret: SECRET }], { store, pausesMs: [200, 200, 200, 200] })
  await (await first.service.start('a')).outcome
  await there.until(1, 'received')
  await first.close()
  expect(statSync(`${store}.webhooks`).mode & 0o077).toBe(0)
  isUp = true
  const second = await telling([{ url: there.url, secret: SECRET }], { store })
  await second.settled(1)
  await second.close()
  const third = await telling([{ url: there.url, secret: SECRET }], { store })
  await (await third.service.start('b')).outcome
  await third.settled(2)
  expect(new Set(there.received.map(({ id }) => id)).size).toBe(2)
  expect(there.taken).toHaveLength(2)
})

it('a run whose end nobody was told of, because the service was killed, is told of by the next one', async () => {
  const store = storeFile()
  const there = await listening()
  const program = join(import.meta.dirname, 'program.ts')
  const { signal, stderr } = spawnSync(process.execPath, [program, store, there.url, SECRET])
  expect([signal, String(stderr)]).toEqual(['SIGKILL', ''])
  expect(there.received).toEqual([])
  const { settled } = await telling([{ url: there.url, secret: SECRET }], { store })
  expect(await settled(1)).toMatchObject([{ state: 'delivered', run: 'killed' }])
  expect(there.taken[0]?.payload).toMatchObject({ type: 'run.ended', data: { status: 'completed' } })
})

it('tells nothing of runs that ended before there was a receiver, nor of those that others have started', async () => {
  const store = storeFile()
  const before = await serveHere({ store })
  await (await before.service.start('old')).outcome
  await before.close()
  const there = await listening()
  const { service, settled } = await telling([{ url: there.url, secret: SECRET }], { store })
  const other = await service.engine.start('of others', { strategy: 'minimal' })
  await other.outcome
  const run = await service.start('new')
  await run.outcome
  expect(await settled(1)).toMatchObject([{ run: run.id }])
})

it('100 runs at once are each told of once, by whichever of two services on the same store', async () => {
  const store = storeFile()
  const there = await listening((_, attempt) => (attempt === 1 && Math.random() < 0.3 ? 500 : 200))
  const receivers = [{ url: there.url, secret: SECRET }]
  const one = await telling(receivers, { store })
  const other = await telling(receivers, { store })
  const runs = await Promise.all(
    Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? one : other).service.start(`${i}`)),
  )
  await Promise.all(runs.map(({ outcome }) => outcome))
  const all = await one.settled(100)
  expect(new Set(all.map(({ state }) => state))).toEqual(new Set(['delivered']))
  expect(there.taken.map(({ payload }) => payload.data.run).sort()).toEqual(runs.map(({ id }) => id).sort())
}, 60_000)

it('refuses receivers without a usable address or secret, without repeating them', () => {
  const bad = (url: string, secret: string) => () => createWebhooks({ receivers: [{ url, secret }] })
  expect(bad('ftp://x', SECRET)).toThrow('must be an address')
  expect(bad('http://x', 'whsec_short')).toThrow(/24 to 64 bytes(?!.*short)/)
})

it('a record that could not be opened is opened by a later request, whose run is told of', async () => {
  const hooks = await listening()
  const store = storeFile()
  // A folder is in its place.
  mkdirSync(`${store}.webhooks`)
  const { service, settled, problems } = await telling([{ url: hooks.url, secret: SECRET }], { store })
  await (await service.start('a', { id: 'early' })).outcome
  expect(problems[0]).toContain('webhooks: nothing is told until the record of deliveries can be opened')
  rmdirSync(`${store}.webhooks`)
  await (await service.start('b', { id: 'late' })).outcome
  await settled(1)
  expect(hooks.taken.map(({ payload }) => payload.data.run)).toContain('late')
})
