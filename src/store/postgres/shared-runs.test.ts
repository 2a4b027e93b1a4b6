import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Draft, SharedTransaction } from '../../kernel/store.ts'
import { type Changes, LARGE_NOTE, type Mirror } from './mirror.ts'
import { type RunTable, sharedRuns } from './shared-runs.ts'

const RUN = 'run-1'
const NEW = { id: RUN, goal: 'why', strategy: 'minimal' }
const LARGE = 'x'.repeat(2 * LARGE_NOTE)

function progress(detail: string): Draft {
  return { type: 'progress', path: '1', atMs: 1_000, n: 1, detail } as unknown as Draft
}

/** A run in memory, which answers later: what a database server would do, and how often it was asked. */
class FakeTable implements RunTable {
  readonly asked = { refresh: 0, load: 0, commit: 0, locked: 0 }
  /** What is to happen before the next commit. */
  before: (() => Promise<unknown>) | null = null
  private readonly log: { changes: Changes; flush: boolean }[] = []

  get flushes(): boolean[] {
    return this.log.map(({ flush }) => flush)
  }

  async refresh(mirror: Mirror): Promise<boolean> {
    this.asked.refresh++
    await turn()
    const since = mirror.version
    for (const { changes } of this.log.slice(since)) {
      for (const { record } of changes.events) if (record !== null) mirror.setRecord(record)
      for (const [key, value] of changes.notes) mirror.setNote(key, value.length > LARGE_NOTE ? null : value)
      mirror.seq = changes.seq
    }
    mirror.no = this.log.length === 0 ? 0 : 7
    mirror.version = this.log.length
    return mirror.version !== since
  }

  async load(mirror: Mirror): Promise<boolean> {
    this.asked.load++
    const { events, notes } = mirror.missing
    await turn()
    for (const { changes } of this.log.slice(0, mirror.version)) {
      for (const { event } of changes.events) if (events.has(event.seq)) mirror.keep(event.seq, event)
      for (const [key, value] of changes.notes) if (notes.has(key)) mirror.keep(key, value)
    }
    return true
  }

  async commit(mirror: Mirror, changes: Changes, flush: boolean): Promise<boolean> {
    this.asked.commit++
    await turn()
    const { before } = this
    this.before = null
    await before?.()
    if (mirror.version !== this.log.length) return false
    this.log.push({ changes, flush })
    mirror.absorb(changes, 7, this.log.length)
    return true
  }

  async locked<T>(_run: string, action: (table: RunTable) => Promise<T>): Promise<T> {
    this.asked.locked++
    return action(this)
  }
}

function count(transaction: SharedTransaction): number {
  const next = (transaction.note<number>('count') ?? 0) + 1
  transaction.setNote('count', next)
  return next
}

async function made() {
  const table = new FakeTable()
  const runs = sharedRuns(table)
  await runs.transact(NEW, (tx) => tx.append(progress('first'), { path: '1', n: 1, kind: 'start' }))
  Object.assign(table.asked, { refresh: 0, load: 0, commit: 0, locked: 0 })
  return { table, runs, other: sharedRuns(table) }
}

describe('runs that processes share', () => {
  it('commits what nobody else has touched with one question to the database', async () => {
    const { table, runs } = await made()
    expect(await runs.transact(RUN, count)).toBe(1)
    expect(await runs.transact(RUN, count)).toBe(2)
    expect(table.asked).toEqual({ refresh: 0, load: 0, commit: 2, locked: 0 })
  })

  it('creates a run with its first events, and only once', async () => {
    const { table, other } = await made()
    const create = (tx: SharedTransaction) => (tx.seq > 0 ? 'there' : tx.append(progress('again')))
    expect(await other.transact(NEW, create)).toBe('there')
    expect(table.asked.commit).toBe(1)
    expect(await other.peek(RUN, ({ seq }) => seq)).toBe(1)
  })

  it('says that there is no such run', async () => {
    const runs = sharedRuns(new FakeTable())
    await expect(runs.transact(RUN, count)).rejects.toMatchObject({ code: 'UNKNOWN_RUN' })
    await expect(runs.peek(RUN, ({ seq }) => seq)).rejects.toMatchObject({ code: 'UNKNOWN_RUN' })
    const failing = runs.transact(NEW, () => {
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await expect(runs.peek(RUN, ({ seq }) => seq)).rejects.toMatchObject({ code: 'UNKNOWN_RUN' })
  })

  it('executes an action again when another process was faster', async () => {
    const { table, runs, other } = await made()
    table.before = () => other.transact(RUN, count)
    expect(await runs.transact(RUN, count)).toBe(2)
    expect(table.asked).toMatchObject({ commit: 3, locked: 0 })
  })

  it('locks the run after a few conflicts', async () => {
    const { table, runs, other } = await made()
    const again = async () => {
      await other.transact(RUN, count)
      if (table.asked.locked === 0) table.before = again
    }
    table.before = again
    const value = await runs.transact(RUN, count)
    expect(table.asked.locked).toBeGreaterThan(0)
    expect(await other.peek(RUN, (reader) => reader.note('count'))).toBe(value)
  })

  it('gives no answer from a mirror that is out of date, though nothing was written', async () => {
    const { runs, other } = await made()
    expect(await runs.transact(RUN, (tx) => tx.note('count'))).toBe(null)
    await other.transact(RUN, count)
    expect(await runs.transact(RUN, (tx) => tx.note('count'))).toBe(1)
    await other.transact(RUN, count)
    expect(await runs.peek(RUN, (reader) => reader.note('count'))).toBe(2)
    const refused = (tx: SharedTransaction) => {
      throw new Error(`there are ${tx.note('count')}`)
    }
    await other.transact(RUN, count)
    await expect(runs.transact(RUN, refused)).rejects.toThrow('there are 3')
  })

  it('loads events and large notes when they are asked for, all records of a block in one go', async () => {
    const { table, runs, other } = await made()
    await runs.transact(RUN, (tx) => {
      for (let n = 2; n < 30; n++) tx.append(progress(`op ${n}`), { path: '1', n, kind: 'start' })
      tx.setNote('large', LARGE)
    })
    const all = await other.peek(RUN, (reader) => reader.records('1').map(({ n, event }) => [n, event.seq]))
    expect(all).toEqual(Array.from({ length: 29 }, (_, i) => [i + 1, i + 1]))
    expect(table.asked.load).toBe(1)
    expect(await other.peek(RUN, (reader) => reader.note('large'))).toBe(LARGE)
    expect(await other.peek(RUN, (reader) => reader.note('large'))).toBe(LARGE)
    expect(table.asked.load).toBe(2)
  })

  it('commits together what waits, each all or nothing', async () => {
    const { table, runs } = await made()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) =>
        runs.transact(RUN, (tx) => {
          const value = count(tx)
          tx.append(progress(`count ${value}`), { path: '1', n: 1 + value, kind: 'start' })
          if (i % 5 === 0) throw new Error('no')
          return [value, tx.seq]
        }),
      ),
    )
    expect(table.asked.commit).toBe(1)
    const values = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(values).toEqual(Array.from({ length: 40 }, (_, i) => [i + 1, i + 2]))
    expect(await sharedRuns(table).peek(RUN, ({ seq }) => seq)).toBe(41)
  })

  it('flushes unless all who write do without', async () => {
    const { table, runs } = await made()
    await runs.transact(RUN, count, false)
    await Promise.all([runs.transact(RUN, count, false), runs.transact(RUN, count)])
    expect(table.flushes).toEqual([true, false, true])
  })

  it('says which runs it has written to, and no others', async () => {
    const { table, other } = await made()
    const written: string[] = []
    const runs = sharedRuns(table, (run) => written.push(run))
    await runs.peek(RUN, ({ seq }) => seq)
    await other.transact(RUN, count)
    await runs.transact(RUN, (tx) => tx.note('count'))
    expect(written).toEqual([])
    await runs.transact(RUN, count)
    expect(written).toEqual([RUN])
  })

  it('refuses a second record of the same operation', async () => {
    const { runs } = await made()
    const twice = runs.transact(RUN, (tx) => tx.append(progress('again'), { path: '1', n: 1, kind: 'start' }))
    await expect(twice).rejects.toMatchObject({ code: 'INTERNAL' })
  })

  it('forgets the mirror when the database fails, and goes on with what is there', async () => {
    const { table, runs } = await made()
    table.before = () => Promise.reject(new Error('the connection broke'))
    await expect(runs.transact(RUN, count)).rejects.toThrow('the connection broke')
    expect(await runs.transact(RUN, count)).toBe(1)
    expect(table.asked).toMatchObject({ refresh: 1, commit: 2 })
  })

  it('drops mirrors that take too much memory, and loads them again', async () => {
    const table = new FakeTable()
    const runs = sharedRuns(table, () => {}, 100)
    await runs.transact(NEW, (tx) => tx.setNote('large', LARGE))
    expect(await runs.peek(RUN, (reader) => reader.note('large'))).toBe(LARGE)
    expect(table.asked).toMatchObject({ refresh: 1, load: 1 })
  })

  it('loses no update of many writers', async () => {
    const { table } = await made()
    const writers = Array.from({ length: 4 }, () => sharedRuns(table))
    const values = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        for (let wait = 0; wait < i % 7; wait++) await turn()
        return (writers[i % 4] as ReturnType<typeof sharedRuns>).transact(RUN, count)
      }),
    )
    expect(values.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
  })
})
