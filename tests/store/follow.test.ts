import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEngine, type Engine, type Model, ThinkonError } from '../../src/index.ts'
import type { Event } from '../../src/protocol/index.ts'

const HOLDER = join(import.meta.dirname, 'holder.ts')
const STARTER = join(import.meta.dirname, 'starter.ts')

describe('a run of another process', () => {
  let folder: string
  let store: string
  const children: ChildProcess[] = []
  const engines: Engine[] = []

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'thinkon-follow-'))
    store = join(folder, 'runs.db')
  })

  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close()
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  })

  it('that several processes start with one id is one run, and all see how it ends', {
    timeout: 300_000,
  }, async () => {
    const starters = [1, 2, 3].map(() =>
      fork(STARTER, [store], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    )
    children.push(...starters)
    await Promise.all(starters.map((starter) => once(starter, 'message')))
    for (let round = 0; round < 30; round++) {
      const answers = starters.map((starter) => once(starter, 'message'))
      for (const starter of starters) starter.send(`run-${round}`)
      const ended = (await Promise.all(answers)).map(([answer]) => answer)
      const [{ count }] = ended
      for (const one of ended)
        expect(one).toMatchObject({ status: 'completed', calls: 1, last: 'run-end', count })
    }
  })

  it('is followed by start and by resume, with its events, signals and outcome', async () => {
    const there = open(answering('never'))
    const run = await there.start('held', { id: 'one', strategy: 'minimal' })
    const here = open(answering('never'))
    const seen: Event[] = []
    const onEvent = (event: unknown) => void ('seq' in (event as Event) && seen.push(event as Event))
    const followed = await here.start('held', { id: 'one', strategy: 'minimal', onEvent })
    const again = await here.resume('one')
    expect([run, followed, again].map(({ isFollowed }) => isFollowed)).toEqual([false, true, true])
    const events: number[] = []
    const reading = (async () => {
      for await (const event of followed.events) if ('seq' in event) events.push(event.seq)
    })()
    await followed.cancel('enough')
    const outcomes = await Promise.all([run, followed, again].map(({ outcome }) => outcome))
    for (const outcome of outcomes) expect(outcome).toEqual({ ...outcomes[0], roles: outcome.roles })
    expect(outcomes[1]).toMatchObject({ status: 'cancelled', reason: 'enough', run: 'one' })
    expect(outcomes[1]?.roles).toEqual(outcomes[0]?.roles)
    await reading
    expect(events).toEqual(events.map((_, i) => i + 1))
    expect(seen.at(-1)?.type).toBe('run-end')
    expect(followed.isFollowed).toBe(false)
  })

  it('continues here when the other process dies', async () => {
    const child = spawn(process.execPath, [HOLDER, store, 'start', 'held'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    await once(child.stdout, 'data')
    const here = open(answering('never'))
    const run = await here.resume('held')
    expect(run.isFollowed).toBe(true)
    child.kill('SIGKILL')
    await expect.poll(() => run.isFollowed).toBe(false)
    await expect.poll(async () => (await here.row('held')).owned).toBe(true)
    await run.cancel()
    expect(await run.outcome).toMatchObject({ status: 'cancelled' })
    const seqs: number[] = []
    for await (const event of run.events) if ('seq' in event) seqs.push(event.seq)
    expect(seqs).toEqual(seqs.map((_, i) => i + 1))
  })

  it('is left alone by strict, budget and follow: false, and when the follower is closed', async () => {
    const there = open(answering('never'))
    await there.start('held', { id: 'one', strategy: 'minimal' })
    const here = open(answering('never'))
    for (const options of [{ strict: true }, { budget: { calls: 9_999 } }, { follow: false }])
      await expect(here.resume('one', options)).rejects.toMatchObject({ code: 'RUN_LOCKED' })
    const followed = await here.resume('one')
    await here.close()
    await expect(followed.outcome).rejects.toMatchObject({ code: 'INTERRUPTED' })
    expect((await there.row('one')).owned).toBe(true)
  })

  it('that waits for its model rejects here as there', async () => {
    let fail = (_: unknown) => {}
    const failing: Model = { id: 'm', call: () => new Promise((_, reject) => (fail = reject)) }
    const there = open(failing)
    const run = await there.start('held', { id: 'one', strategy: 'minimal' })
    const here = open(answering('never'))
    const followed = await here.resume('one')
    fail(new ThinkonError('MODEL_OUTAGE', 'no quota'))
    const codes = [run, followed].map(({ outcome }) => outcome.then(String, ({ code }) => code))
    expect(await Promise.all(codes)).toEqual(['MODEL_OUTAGE', 'MODEL_OUTAGE'])
  })

  function open(model: Model): Engine {
    const engine = createEngine({ model, store })
    engines.push(engine)
    return engine
  }

  /** Never answers. */
  function answering(id: string): Model {
    return { id, call: () => new Promise<never>(() => {}) }
  }
})
