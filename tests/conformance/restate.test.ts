// The Restate host keeps the port's promises, against a real Restate server.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePorts } from '../../src/cluster/free-ports.ts'
import { type RestateServer, startRestateServer } from '../../src/cluster/restate-server.ts'
import { localHost } from '../../src/hosts/local/host.ts'
import { loadJournal } from '../../src/hosts/local/load.ts'
import { replayRun } from '../../src/hosts/local/replay.ts'
import { adoptionOf } from '../../src/hosts/restate/adopt.ts'
import { restateHost } from '../../src/hosts/restate/host.ts'
import { registerVersion } from '../../src/hosts/restate/register.ts'
import { SignalJournal } from '../../src/hosts/restate/signals.ts'
import { startWorker, type Worker } from '../../src/hosts/restate/worker.ts'
import type { Host, Kernel } from '../../src/kernel/durable.ts'
import { foldEvents } from '../../src/protocol/index.ts'
import { join } from '../../src/store/postgres/claims.ts'
import { connect } from '../../src/store/postgres/connect.ts'
import { storeOn } from '../../src/store/postgres/store-on.ts'
import { freshDatabase } from '../postgres.ts'
import { type Cluster, openCluster, repeated } from '../restate/cluster.ts'
import { programs } from '../restate/programs.ts'
import { inTime, pause, until } from './async.ts'
import { violations } from './invariants.ts'
import { type PortSetup, portConformance, type World } from './port.ts'
import { portTurns } from './port-turns.ts'

/** The answers of the strategy `asks`, by the names of its questions. */
const NAMED = [
  ['answer', 'one'],
  ['answer-2', 'two'],
  ['answer-3', 'three'],
] as const

let server: RestateServer
let port: number

beforeAll(async () => {
  server = await startRestateServer()
  port = (await freePorts(1))[0] as number
})

afterAll(() => server?.end())

let registered = false

/** A worker in this process, on the port that the server knows. It is down until the run is started or gone on with. */
async function openWorld(postgres: string, kernel: Kernel): Promise<World> {
  const database = await connect(postgres)
  const store = storeOn(database, { synchronous: 'normal' })
  const client = restateHost({ store, kernel, ingress: server.ingress })
  const member = await join(database, { onLost: () => {} })
  let worker: Promise<Worker> | null = null
  let closed = false

  async function work(): Promise<void> {
    // Each block that waits is put aside at once and executed again: the strictest way.
    const { claims } = member
    worker ??= startWorker({ store, claims, kernel, admin: server.admin, port, inactivityMs: 0 })
    const { address } = await worker
    if (registered) return
    await registerVersion(server.admin, address)
    registered = true
  }

  async function close() {
    if (closed) return
    closed = true
    await client.close()
    await (await worker)?.close()
    await member.leave()
    await store.close()
  }

  const host: Host = {
    ...client,
    async start(spec, listener) {
      await work()
      return client.start(spec, listener)
    },
    async resume(run, listener, options) {
      const handle = await client.resume(run, listener, options)
      await work()
      return handle
    },
  }
  return {
    host,
    store,
    async crash(next) {
      await close()
      return openWorld(postgres, next)
    },
    close,
  }
}

const setup: PortSetup = {
  open: async (kernel) => openWorld(await freshDatabase(), kernel),
  foreignAwaits:
    'the engine is told of operations, and tells of a cancel, when the block awaits one of its own',
}

portConformance('Restate host', setup)
portTurns('Restate host', setup)

describe('Restate host, with a worker in a process of its own', () => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await openCluster(server)
  })

  afterAll(() => cluster?.end())

  /** What holds for the journal of every run that has ended, whatever was killed: it is whole, and it can be replayed. */
  async function checkJournal(id: string) {
    const events = await cluster.events(id)
    expect(violations(events)).toEqual([])
    expect(repeated(events, cluster.log())).toEqual([])
    const replayed = await replayRun(events, programs(null))
    expect(replayed.differences).toEqual([])
    return events
  }

  const begun = (id: string) =>
    cluster.log().filter(({ what, step }) => what === 'begin' && step.startsWith(`${id}/`)).length

  const asked = async (id: string) =>
    (await cluster.events(id)).filter(({ type }) => type === 'signal-asked').length

  it('solves a tree of 3 levels with 3 children each', async () => {
    const run = await cluster.start('tree', 'tree', { depth: 3, width: 3 })
    expect((await inTime(run.outcome, 'the tree is solved')).result).toBe('40')
    const events = await checkJournal('tree')
    const state = foldEvents(events)
    expect(state).toMatchObject({ status: 'completed', usage: { calls: 40 } })
    expect(state.blocks.size).toBe(40)
  })

  it('goes on after kill -9 of the worker, again and again, and runs no finished step twice (K2)', async () => {
    const run = await cluster.start('killed', 'mixed', { rounds: 12, ms: 20 })
    for (let kill = 0; kill < 5; kill++) {
      await pause(150 + 50 * kill)
      await cluster.killWorker()
      await cluster.startWorker()
    }
    expect((await cluster.events('killed')).at(-1)?.type).not.toBe('run-end')
    expect(await inTime(run.outcome, 'the run ends')).toMatchObject({ status: 'completed', result: '24' })
    await checkJournal('killed')
  })

  it('does not run an interrupted write again, and tells the block; reads it runs again (K2)', async () => {
    const run = await cluster.start('pays', 'pays', { ms: 400 })
    await until(() => begun('pays') === 1, 'it is paying')
    await cluster.killWorker()
    await cluster.startWorker()
    await until(() => begun('pays') === 2, 'it is looking')
    await cluster.killWorker()
    await cluster.startWorker()
    expect((await inTime(run.outcome, 'the run ends')).result).toBe('INTERRUPTED ok')
    const steps = cluster.log().filter(({ what, step }) => what === 'begin' && step.startsWith('pays/'))
    expect(steps.map(({ step }) => step)).toEqual(['pays/1/1', 'pays/1/2', 'pays/1/2'])
    await checkJournal('pays')
  })

  it('takes signals that were sent early, and while the worker was down, each once and in order', async () => {
    await cluster.killWorker()
    const run = await cluster.start('asks', 'asks')
    await cluster.host.signal('asks', '1', 'answer', 'early')
    await cluster.startWorker()
    await until(async () => (await asked('asks')) === 2, 'it asks')
    await cluster.killWorker()
    await cluster.host.signal('asks', '1', 'answer-2', 'down')
    await cluster.startWorker()
    await until(async () => (await asked('asks')) === 3, 'it asks again')
    await cluster.host.signal('asks', '1', 'answer-3', 'last')
    expect((await inTime(run.outcome, 'the run ends')).result).toBe('early down last')
    await checkJournal('asks')
  })

  it('wakes for a signal that was sent while the server was down, by a process that is gone', async () => {
    const run = await cluster.start('left', 'asks')
    await until(async () => (await asked('left')) === 2, 'it asks')
    await server.kill()
    for (const [name, answer] of NAMED) await cluster.store.send('left', '1', name, answer)
    await server.restart()
    expect((await inTime(run.outcome, 'the run ends')).result).toBe('one two three')
    await checkJournal('left')
    expect(await cluster.store.unrung(Date.now())).toEqual([])
  })

  it('tells of text while a worker in another process gets it: after the start of its step, before its end', async () => {
    const told: string[] = []
    const run = await cluster.start('writes', 'writes', {}, {}, ({ type }) => {
      told.push(type)
      if (type === 'text-delta') cluster.setRead()
    })
    expect((await inTime(run.outcome, 'the run ends')).result).toBe('written')
    const places = told.flatMap((type, i) => (type === 'text-delta' ? [i] : []))
    expect(places.length).toBeGreaterThan(0)
    expect(places[0]).toBeGreaterThan(told.indexOf('model-start'))
    expect(places.at(-1)).toBeLessThan(told.indexOf('model-end'))
    await checkJournal('writes')
  })

  it('asks an edited prompt again after kill -9 of the worker, with what was lost charged once (K2)', async () => {
    cluster.setRead(false)
    const source = await cluster.start('to-edit', 'writes')
    const types = async (id: string) => (await cluster.events(id)).map(({ type }) => type)
    await until(async () => (await types('to-edit')).includes('model-start'), 'the model is asked')
    const { seq } = (await cluster.events('to-edit')).find(({ type }) => type === 'model-start')!
    const edit = { request: { messages: [{ role: 'user', content: 'another' }] } }
    await cluster.store.fork('to-edit', seq, 'edited', edit)
    await cluster.store.adopt('edited', async () => adoptionOf(await loadJournal(cluster.store, 'edited')))
    const fork = await cluster.host.resume('edited')
    const held = async () => (await types('edited')).filter((type) => type === 'part-start').length
    await until(async () => (await held()) === 1, 'the edited prompt is asked')
    await cluster.killWorker()
    await cluster.startWorker()
    await until(async () => (await held()) === 2, 'it is asked again')
    cluster.setRead()
    for (const run of [source, fork]) expect((await inTime(run.outcome, 'it ends')).result).toBe('written')
    const events = await checkJournal('edited')
    expect(events.find(({ type }) => type === 'model-end')).toMatchObject({
      result: { value: { value: { asked: 'another' } } },
    })
    expect(events.filter((event) => event.type === 'run-resume' && event.lost !== undefined)).toHaveLength(1)
    await checkJournal('to-edit')
  })

  const stopped = (id: string) =>
    cluster.log().filter(({ what, step }) => what === 'stopped' && step.startsWith(`${id}/`))

  it('stops effects that hang for minutes below its children when the run is cancelled (K7)', async () => {
    const run = await cluster.start('hangs', 'deep', { depth: 2, width: 2, ms: 600_000 })
    await until(() => begun('hangs') === 4, 'the effects hang')
    await cluster.host.cancel('hangs', 'enough')
    expect(await inTime(run.outcome, 'the run is cancelled')).toMatchObject({
      status: 'cancelled',
      reason: 'enough',
    })
    await until(() => stopped('hangs').length === 4, 'the effects are stopped')
    const statuses = [...foldEvents(await checkJournal('hangs')).blocks.values()].map(({ status }) => status)
    expect(statuses).toEqual(Array(7).fill('cancelled'))
  })

  it('ends as cancelled though the worker is killed while the cancel is on its way', async () => {
    const run = await cluster.start('gone', 'deep', { depth: 2, width: 2, ms: 60_000 })
    await until(() => begun('gone') === 4, 'the effects hang')
    await cluster.host.cancel('gone', 'enough')
    await cluster.killWorker()
    await cluster.startWorker()
    expect((await inTime(run.outcome, 'the run is cancelled')).status).toBe('cancelled')
    expect(begun('gone')).toBe(4)
    await checkJournal('gone')
  })

  it('has a running child solved again, as its second attempt, when a redo comes', async () => {
    const run = await cluster.start('redo', 'deep', { depth: 1, width: 2, ms: 300 })
    await until(() => begun('redo') === 2, 'the children are busy')
    await cluster.host.signal('redo', '1-2', 'redo', 'with more care')
    expect((await inTime(run.outcome, 'the run ends')).result).toBe('1-1 1-2#2')
    const { blocks } = foldEvents(await checkJournal('redo'))
    expect([...blocks.keys()]).toEqual(['1', '1-1', '1-2', '1-2#2'])
  })

  it('has one attempt at a time when a redo comes twice, and the latest message counts', async () => {
    const run = await cluster.start('twice', 'deep', { depth: 1, width: 2, ms: 300 })
    await until(() => begun('twice') === 2, 'the children are busy')
    await cluster.host.signal('twice', '1-2', 'redo', 'in blue')
    await until(() => begun('twice') === 3, 'the second attempt is busy')
    await cluster.host.signal('twice', '1-2', 'redo', 'in green')
    expect((await inTime(run.outcome, 'the run ends')).result).toBe('1-1 1-2#3')
    const events = await checkJournal('twice')
    const ends = events.filter((event) => event.type === 'block-end').filter(({ redo }) => redo !== undefined)
    expect(ends.map(({ path, redo }) => [path, redo?.message])).toEqual([
      ['1-2', 'in blue'],
      ['1-2#2', 'in green'],
    ])
  })

  it('keeps the budget over all processes, and stops what runs when the time is up (K3)', async () => {
    const few = await cluster.start('calls', 'tree', { depth: 3, width: 3 }, { calls: 20 })
    const short = await cluster.start('time', 'deep', { depth: 1, width: 2, ms: 60_000 }, { timeMs: 3_000 })
    // Each block that waits for room is served when the run has been quiet for half a second.
    const spent = await inTime(few.outcome, 'the calls are used up')
    expect(spent.usage.calls).toBeLessThanOrEqual(20)
    await inTime(short.outcome, 'the time is up')
    for (const id of ['calls', 'time']) {
      const ends = (await checkJournal(id)).filter((event) => event.type === 'block-end')
      expect(ends.map(({ outcome }) => outcome.code)).toContain('LIMIT')
    }
    await until(() => stopped('time').length === 2, 'the effects are stopped')
  })

  it('goes on in a server that has forgotten the run, and runs no finished step twice (K2)', async () => {
    const run = await cluster.start('forgot', 'asks')
    await until(async () => (await asked('forgot')) === 2, 'it asks')
    await cluster.host.signal('forgot', '1', 'answer', 'one')
    await cluster.host.signal('forgot', '1', 'answer-2', 'two')
    await until(async () => (await asked('forgot')) === 3, 'it asks again')
    const id = await new SignalJournal(cluster.store, 'forgot').note<string>('invocation 1')
    await fetch(`${server.admin}/invocations/${id}/kill`, { method: 'PATCH' })
    await expect(inTime(run.outcome, 'the caller is told')).rejects.toMatchObject({ code: 'INTERNAL' })
    const again = await cluster.host.resume('forgot')
    await cluster.host.signal('forgot', '1', 'answer-3', 'three')
    expect((await inTime(again.outcome, 'the run ends')).result).toBe('one two three')
    await checkJournal('forgot')
  })

  it('is not taken away by a local host', async () => {
    const run = await cluster.start('taken', 'asks')
    await until(async () => (await asked('taken')) === 2, 'it asks')
    const local = localHost(cluster.store, programs(null))
    await expect(local.resume('taken')).rejects.toThrow('lives in a cluster')
    await local.close()
    for (const [name, answer] of NAMED) await cluster.host.signal('taken', '1', name, answer)
    expect((await inTime(run.outcome, 'the run ends')).result).toBe('one two three')
    await checkJournal('taken')
  })
})
