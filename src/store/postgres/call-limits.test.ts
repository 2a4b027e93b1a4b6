import { connect as connectSocket, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { freshDatabase, queryDatabase } from '../../../tests/postgres.ts'
import type { CallLimiter, ReleaseSlot } from '../../kernel/call-limiter.ts'
import { type CallLimits, ThinkonError } from '../../protocol/index.ts'
import { type SharedLimits, type SharedLimitsOptions, sharedLimits } from './call-limits.ts'
import { connect, type Database } from './connect.ts'

const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const STAYING = new AbortController().signal

/** A process of its own, as far as the database can tell. */
async function member(
  url: string,
  options: SharedLimitsOptions = {},
): Promise<SharedLimits & { database: Database }> {
  const database = await connect(url)
  const limits = sharedLimits(database, { looksMs: 300, ...options })
  closers.push(async () => {
    await limits.close()
    await database.close()
  })
  return { ...limits, database }
}

async function setUp(limits: CallLimits, count = 1, options: SharedLimitsOptions = {}) {
  const url = await freshDatabase()
  const members = await Promise.all(Array.from({ length: count }, () => member(url, options)))
  const limiters = members.map(({ limiterFor }) => limiterFor('openai', limits))
  return { url, members, limiters: limiters as [CallLimiter, ...CallLimiter[]] }
}

interface Row {
  readonly ticket: number
  readonly owner: number
  readonly given: number | null
}

/** Who waits and who has a slot, in the order of asking. */
const rowsOf = async (url: string): Promise<Row[]> => {
  const rows = await queryDatabase<Record<keyof Row, string | null>>(
    url,
    'SELECT ticket, owner, given FROM thinkon.slots ORDER BY id',
  )
  const number = (value: string | null) => (value === null ? null : Number(value))
  return rows.map((row) => ({
    ticket: Number(row.ticket),
    owner: Number(row.owner),
    given: number(row.given),
  }))
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await delay(10)
}

it('never gives more slots than there are, over all processes, and gives them in turn', async () => {
  const { url, limiters } = await setUp({ maxConcurrent: 2 }, 3)
  const order: number[] = []
  let active = 0
  let most = 0
  const held = [await limiters[0].acquire(STAYING, 0), await limiters[0].acquire(STAYING, 0)]
  const calls: Promise<void>[] = []
  for (let i = 0; i < 12; i++) {
    const limiter = limiters[i % 3] as CallLimiter
    calls.push(
      limiter.acquire(STAYING, 0).then(async (release) => {
        order.push(i)
        most = Math.max(most, ++active)
        await delay(2)
        active--
        release()
      }),
    )
    // Asked for one after the other, so that the order is known.
    await until(async () => (await rowsOf(url)).length === i + 3)
  }
  expect(order).toEqual([])
  held[0]?.()
  await until(() => order.length >= 12)
  expect(order).toEqual([...order].sort((a, b) => a - b))
  expect(most).toBe(1)
  await Promise.all(calls)
  held[1]?.()
  await until(async () => (await rowsOf(url)).length === 0)
})

it('begins no more requests than allowed within any minute, over all processes', async () => {
  const minuteMs = 600
  const { url, limiters } = await setUp({ requestsPerMinute: 3 }, 2, { minuteMs })
  await Promise.all(Array.from({ length: 9 }, (_, i) => limiters[i % 2]?.acquire(STAYING, 0)))
  const given = (await rowsOf(url)).map((row) => row.given as number)
  expect(given).toHaveLength(9)
  for (const [i, atMs] of given.slice(3).entries())
    expect(atMs - (given[i] as number)).toBeGreaterThanOrEqual(minuteMs)
})

it('counts tokens by what was reserved, and by what was taken from then on', async () => {
  const { url, limiters } = await setUp({ tokensPerMinute: 1_000 }, 2)
  const [a, b] = limiters as [CallLimiter, CallLimiter]
  const release = await a.acquire(STAYING, 800)
  const waiting = b.acquire(STAYING, 800)
  await until(async () => (await rowsOf(url)).length === 2)
  expect((await rowsOf(url))[1]?.given).toBeNull()
  release(150)
  await waiting
  // A larger one than a minute allows waits for the minute, not for ever.
  void b.acquire(STAYING, 5_000).catch(() => {})
  await until(async () => (await rowsOf(url)).length === 2)
  expect((await rowsOf(url))[1]?.given).toBeNull()
})

it('lets a request begin alone that is larger than the tokens of a minute', async () => {
  const { limiters } = await setUp({ tokensPerMinute: 100 }, 1, { minuteMs: 300 })
  const release = await limiters[0].acquire(STAYING, 50)
  release()
  await limiters[0].acquire(STAYING, 5_000)
})

it('gives nobody a slot before a pause has passed that one of them was asked for', async () => {
  const { url, limiters } = await setUp({ maxConcurrent: 4 }, 2)
  const [a, b] = limiters as [CallLimiter, CallLimiter]
  a.pause(400)
  await until(async () => (await queryDatabase(url, 'SELECT FROM thinkon.pauses')).length === 1)
  await b.acquire(STAYING, 0)
  const [pause] = await queryDatabase<{ until: string }>(url, 'SELECT until FROM thinkon.pauses')
  expect((await rowsOf(url))[0]?.given).toBeGreaterThanOrEqual(Number(pause?.until))
})

it('ends the wait for a slot at once, and lets the next one have it', async () => {
  const { url, limiters } = await setUp({ maxConcurrent: 1 }, 2)
  const [a, b] = limiters as [CallLimiter, CallLimiter]
  const release = await a.acquire(STAYING, 0)
  const leaving = new AbortController()
  const left = a.acquire(leaving.signal, 0)
  await until(async () => (await rowsOf(url)).length === 2)
  const next = b.acquire(STAYING, 0)
  leaving.abort(new Error('stop'))
  await expect(left).rejects.toThrow('stop')
  await expect(a.acquire(leaving.signal, 0)).rejects.toThrow('stop')
  release()
  ;(await next)()
  await until(async () => (await rowsOf(url)).length === 0)
})

it('takes the slots of a process away that is gone, and of those who waited in it', async () => {
  const { url, members, limiters } = await setUp({ maxConcurrent: 1 }, 2)
  const [a, b] = limiters as [CallLimiter, CallLimiter]
  await a.acquire(STAYING, 0)
  void a.acquire(STAYING, 0).catch(() => {})
  await until(async () => (await rowsOf(url)).length === 2)
  const next = b.acquire(STAYING, 0)
  await until(async () => (await rowsOf(url)).length === 3)
  // As when its machine has lost its power: nothing is given back.
  await members[0]?.database.close()
  await queryDatabase(url, endSession((await rowsOf(url))[0]?.owner ?? 0))
  await next
})

const endSession = (key: number) => `
SELECT pg_terminate_backend(pid) FROM pg_locks
WHERE locktype = 'advisory' AND (classid::bigint << 32) | objid::bigint = ${key}`

it('takes the slots of a process away that has not said for a while that it lives', async () => {
  const { url, limiters } = await setUp({ maxConcurrent: 1 }, 2)
  const [hanging, other] = limiters as [CallLimiter, CallLimiter]
  const release = await hanging.acquire(STAYING, 0)
  let isGiven = false
  const next = other.acquire(STAYING, 0).then(() => {
    isGiven = true
  })
  await until(async () => (await rowsOf(url)).length === 2)
  const owner = (await rowsOf(url))[0]?.owner
  const past = `UPDATE thinkon.sessions SET beat = now() - interval '16 s' WHERE key = $1`
  await until(async () => (await queryDatabase(url, past, [owner])) && isGiven)
  await next
  // What it gives back late changes nothing.
  release()
  await hanging.acquire(AbortSignal.timeout(100), 0).catch(() => {})
  expect((await rowsOf(url)).filter(({ given }) => given !== null)).toHaveLength(1)
})

it('has one session at a time, also if its calls could not be counted in a new one at once', async () => {
  const url = await freshDatabase()
  const database = await connect(url)
  let fails = 1
  const failing: Database = {
    ...database,
    query: (text, values, name) =>
      text.includes('json_to_recordset') && fails-- > 0
        ? Promise.reject(new ThinkonError('STORE_BUSY', 'not now'))
        : database.query(text, values, name),
  }
  const limits = sharedLimits(failing, { looksMs: 300 })
  closers.push(async () => {
    await limits.close()
    await database.close()
  })
  const limiter = limits.limiterFor('openai', { maxConcurrent: 2 })
  await limiter.acquire(STAYING, 0)
  await queryDatabase(url, endSession((await rowsOf(url))[0]?.owner ?? 0))
  await until(async () => (await queryDatabase(url, SESSIONS)).length === 0)
  await limiter.acquire(STAYING, 0)
  expect(fails).toBeLessThan(1)
  await until(async () => (await queryDatabase(url, SESSIONS)).length === 1)
})

const SESSIONS = `
SELECT FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

it('goes on counting the calls of a process that has lost its session and got another', async () => {
  const { url, limiters } = await setUp({ maxConcurrent: 1 }, 2)
  const [a, b] = limiters as [CallLimiter, CallLimiter]
  const release = await a.acquire(STAYING, 0)
  const again = a.acquire(STAYING, 0)
  await until(async () => (await rowsOf(url)).length === 2)
  const before = (await rowsOf(url))[0]?.owner ?? 0
  await queryDatabase(url, endSession(before))
  await until(async () => (await rowsOf(url)).some(({ owner, given }) => owner !== before && given !== null))
  let isOver = false
  const other = b.acquire(STAYING, 0).then((free) => {
    isOver = true
    free()
  })
  // What the lost session had is gone, what the new one holds is not.
  await until(async () => (await rowsOf(url)).every(({ owner }) => owner !== before))
  expect(isOver).toBe(false)
  release()
  ;(await again)()
  await other
})

it('waits for a database that does not answer, and gives back what was given back meanwhile', async () => {
  const url = await freshDatabase()
  const proxy = await openProxy(url)
  const far = await member(proxy.url)
  const near = await member(url)
  const [a, b] = [far, near].map(({ limiterFor }) => limiterFor('openai', { maxConcurrent: 1 })) as [
    CallLimiter,
    CallLimiter,
  ]
  const release = await a.acquire(STAYING, 0)
  proxy.close()
  const leaving = new AbortController()
  const left = a.acquire(leaving.signal, 0)
  const stayed = a.acquire(STAYING, 0)
  leaving.abort(new Error('stop'))
  await expect(left).rejects.toThrow('stop')
  release()
  // The process can't be reached, but is alive: nobody knows, and its slot is taken away.
  const taken: ReleaseSlot = await b.acquire(STAYING, 0)
  proxy.open()
  await until(async () => (await rowsOf(url)).length === 2)
  taken()
  ;(await stayed)()
  await until(async () => (await rowsOf(url)).length === 0)
})

/** Between a process and the database; closed, it refuses connections and breaks those that are there. */
async function openProxy(url: string) {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer((near) => {
    if (!isOpen) return void near.destroy()
    const far = connectSocket(Number(target.port), target.hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.unshift(() => void server.close())
  const through = new URL(url)
  through.port = String((server.address() as { port: number }).port)
  return {
    url: through.href,
    open() {
      isOpen = true
    },
    close() {
      isOpen = false
      for (const socket of sockets) socket.destroy()
    },
  }
}
