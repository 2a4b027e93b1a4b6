// Readers that are cut off again and again, while a run writes: no gap, none twice.
import { afterEach, expect, it } from 'vitest'
import type { Strategy } from '../../src/index.ts'
import { seededRandom } from '../../src/kernel/random.ts'
import { endAll, type Served, sentEvents, serveHere } from './serve-here.ts'

afterEach(endAll)

const EVENTS = 10_000
const CUTS = 50
const READERS = 3

it(`${EVENTS} events, ${CUTS} random disconnects, ${READERS} readers: no gap, none twice`, async () => {
  const random = seededRandom(process.env.THINKON_PROPERTY_SEED ?? '19')
  const served = await serveHere({
    script: (_, io) => {
      io.onDelta('a text ')
      return { do: 'return', result: 'done' }
    },
    engine: { strategies: [writer] },
    service: {
      strategies: [writer],
      defaults: { strategy: 'writer', budget: { calls: 100_000, tokens: 1e9 } },
    },
  })
  const { run } = (await (await served.post('/api/runs', { goal: 'write' })).json()) as { run: string }
  const readers = await Promise.all(
    Array.from({ length: READERS }, (_, i) => readAll(served, run, { cuts: CUTS, random, deltas: i === 0 })),
  )
  const { seq } = await served.service.engine.row(run)
  expect(seq).toBeGreaterThanOrEqual(EVENTS)
  for (const { seqs, cuts } of readers) {
    expect(cuts).toBe(CUTS)
    expect(seqs.length).toBe(seq)
    expect(seqs.findIndex((one, i) => one !== i + 1)).toBe(-1)
  }
  // Nothing is left of those that were cut off.
  const streams = Array.from({ length: 4 }, () => served.fetch(`/api/runs/${run}/events`, STREAM))
  for (const one of await Promise.all(streams)) expect((await one.text()).includes('"run-end"')).toBe(true)
})

/** Calls its model, and writes what comes to its mind. */
const writer: Strategy = {
  name: 'writer',
  version: 1,
  options: (given) => given,
  async solve(context) {
    for (let i = 0; i < EVENTS / 20; i++) {
      const messages = [{ role: 'user', content: `part ${i}` }] as const
      await context.all([context.model({ kind: 'writer/next', version: 1, role: 'plan', messages })])
      for (let j = 0; j < 18; j++) context.emit('thought', { i, j })
    }
    return 'written'
  },
}

const STREAM = { headers: { accept: 'text/event-stream' } }

interface Reader {
  readonly cuts: number
  readonly random: () => number
  readonly deltas: boolean
}

/** As a browser does it: what was read whole counts, the rest comes again after `Last-Event-ID`. */
async function readAll({ fetch }: Served, run: string, { cuts, random, deltas }: Reader) {
  const seqs: number[] = []
  for (let cut = 0; ; cut++) {
    const gone = new AbortController()
    const most = cut < cuts ? Math.floor((random() * 2 * EVENTS) / cuts) : Number.POSITIVE_INFINITY
    const last = seqs.at(-1)
    const headers = { ...STREAM.headers, ...(last !== undefined && { 'last-event-id': String(last) }) }
    const response = await fetch(`/api/runs/${run}/events${deltas ? '?deltas' : ''}`, {
      headers,
      signal: gone.signal,
    })
    // All was read before the last cut: the rest of the cuts are of an answer that has nothing more.
    if (response.status === 204) {
      if (cut >= cuts) return { seqs, cuts: cut }
      continue
    }
    let read = 0
    try {
      for await (const { id, event } of sentEvents(response)) {
        if (id !== undefined) seqs.push(Number(id))
        if (event === 'end' && cut >= cuts) return { seqs, cuts: cut }
        if (++read > most) gone.abort()
      }
    } catch (thrown) {
      if (!gone.signal.aborted) throw thrown
    }
  }
}
