import type { AssignableStore } from '../../kernel/run-assignment.ts'
import { type AsyncStore, unknownRun } from '../../kernel/store.ts'
import { type Signal, ThinkonError } from '../../protocol/index.ts'
import { type Signer, unsealed } from '../signatures.ts'
import { signalOf } from '../stored-run.ts'
import { assignment } from './assignment.ts'
import { sharedLimits } from './call-limits.ts'
import type { Database } from './connect.ts'
import { withReadErrors } from './errors.ts'
import { forkRun } from './fork.ts'
import { importRun } from './import.ts'
import { journals, numberOf } from './journal.ts'
import { originOf } from './origin.ts'
import { ownedRuns } from './owned-runs.ts'
import { NOTIFY_OWNER, ownership, SIGNAL_RUN } from './ownership.ts'
import { questions } from './questions.ts'
import { runLists } from './runs.ts'
import { saying } from './saying.ts'
import { sweepStore } from './sweep.ts'
import { watching } from './watch.ts'

export interface StoreOnOptions {
  readonly synchronous?: 'full' | 'normal' | undefined
  readonly signer?: Signer | null
}

/** The store on tables that are up to date. Closing it closes the database. */
export function storeOn(database: Database, options: StoreOnOptions = {}): AssignableStore {
  const { synchronous = 'full', signer = null } = options
  const owner = ownership(database)
  const limits = sharedLimits(database)
  const { watch, tell, close } = watching(database)
  const { close: stopSaying, ...said } = saying(database)
  const { signalsSeen, noteSignals, forget, ...writes } = ownedRuns(
    database,
    owner,
    synchronous === 'full',
    signer,
  )
  const owned = { signalsSeen, forget }
  let closed: Promise<void> | null = null

  async function closeAll(): Promise<void> {
    await limits.close()
    await close()
    await stopSaying()
    await owner.close()
    await database.close()
  }

  const store: AsyncStore = {
    instant: false,
    later: true,
    ...writes,
    ...journals(database),
    ...runLists(database),
    ...inboxes(database, signer, noteSignals),
    ...questions(database, signer),
    ...outlines(database, signer),
    fork: (id, at, newId, edit) => forkRun({ database, signer }, id, at, newId, edit),
    sweep: () => sweepStore(database),
    compact: () => compact(database),
    async backup() {
      throw new ThinkonError('BAD_INPUT', 'a store in PostgreSQL is backed up with pg_dump --schema thinkon')
    },
    import: (run) => importRun({ database, signer, owner }, run),
    origin: (id) => withReadErrors(database, () => originOf(database.read, signer, id)),
    async version() {
      const [now] = await database.read<{ version: number }>(VERSION)
      return now?.version ?? 0
    },
    limiterFor: limits.limiterFor,
    listen: owner.listen,
    close: () => {
      closed ??= closeAll()
      return closed
    },
  }
  return {
    ...{ ...store, ...telling(store, tell), watch, ...said },
    ...assignment({ database, owner, owned, signer, tell }),
  }
}

/** What those who watch are told of. What is not among it they find by looking. */
function telling({ create, append, send, answer }: AsyncStore, tell: (run: string) => void) {
  const told = async <T>(run: string, written: Promise<T>): Promise<T> => {
    const answer = await written
    tell(run)
    return answer
  }
  return {
    create: (run, first) => told(run.id, create(run, first)),
    append: (run, epoch, drafts, flush) => told(run, append(run, epoch, drafts, flush)),
    send: (run, path, name, value) => told(run, send(run, path, name, value)),
    answer: (run, question, value) => told(run, answer(run, question, value)),
  } satisfies Partial<AsyncStore>
}

/** A snapshot names the transactions whose writes it has: it is another one as soon as any transaction that writes has ended. */
const VERSION = `SELECT ('x' || left(md5(pg_current_snapshot()::text), 13))::bit(52)::bigint AS version`

/** `send` and `pending` of the store. */
function inboxes(
  database: Database,
  signer: Signer | null,
  noteSignals: (run: string, count: number) => void,
) {
  return {
    async send(id: string, path: string, name: string, value: unknown): Promise<Signal> {
      const json = JSON.stringify(value ?? null)
      for (;;) {
        const number = signer && (await nextNumber([id, path, name]))
        const signature = number && signer.signal(id, { path, name, number, value: json })
        const sent = await sendOnce([id, path, name, json, Date.now(), number, signature])
        if (sent === undefined) throw unknownRun(id)
        if (sent !== null) return { path, name, number: sent, value: value ?? null }
      }
    },
    pending: (id: string) =>
      withReadErrors(database, async () => {
        const rows = await database.read<SignalRow>(PENDING, [id])
        const [first] = rows
        if (first === undefined) throw unknownRun(id)
        noteSignals(id, first.signals)
        return rows.flatMap(({ path, ...row }) => (path === null ? [] : signalOf({ ...row, path })))
      }),
  }

  /** A signature covers the number, which another sender may have taken when the signal is inserted. */
  async function nextNumber(values: readonly unknown[]): Promise<number | null> {
    const [next] = await database.query<{ number: number }>(NEXT_NUMBER, values)
    return next?.number ?? null
  }

  /** The signal's number; null if another one was sent at the same time. */
  async function sendOnce(values: readonly unknown[]): Promise<number | null | undefined> {
    const [sent] = await database.query<{ number: number | null }>(SEND, values)
    return sent?.number
  }
}

interface SignalRow {
  readonly path: string | null
  readonly name: string
  readonly number: number
  readonly value: string
  /** Of the run, so far. */
  readonly signals: number
}

/** Of two that are sent at once, the second has waited for the run's row but does not see the first: its number is taken. */
const SEND = `
WITH run AS (UPDATE thinkon.runs SET ${SIGNAL_RUN} WHERE id = $1 RETURNING no, version, owner, wake),
sent AS (
  INSERT INTO thinkon.inbox (run, path, name, number, value, at, version, signature)
  SELECT no, $2, $3, coalesce($6::integer, (
    SELECT coalesce(max(number), 0) + 1 FROM thinkon.inbox WHERE inbox.run = no AND path = $2 AND name = $3
  )), $4, $5, version, $7 FROM run
  ON CONFLICT DO NOTHING RETURNING number
)
SELECT (SELECT number FROM sent) AS number, ${NOTIFY_OWNER} FROM run`

const NEXT_NUMBER = `
SELECT coalesce(max(number), 0) + 1 AS number FROM thinkon.runs LEFT JOIN thinkon.inbox ON run = no AND path = $2 AND name = $3
WHERE runs.id = $1`

/** One row with nulls, if nothing is pending. */
const PENDING = `
SELECT path, name, number, value, signals FROM thinkon.runs LEFT JOIN thinkon.inbox ON run = no AND NOT taken
WHERE runs.id = $1 ORDER BY inbox.id`

/** `outline` and `keepOutline` of the store. */
function outlines(database: Database, signer: Signer | null) {
  return {
    async outline(id: string): Promise<string | null> {
      const [found] = await database.read<{ outline: string | null }>(
        'SELECT outline FROM thinkon.runs LEFT JOIN thinkon.outlines ON run = no WHERE id = $1',
        [id],
      )
      if (found === undefined) throw unknownRun(id)
      if (found.outline === null) return null
      return signer === null ? unsealed(found.outline) : signer.unseal(id, found.outline)
    },
    async keepOutline(id: string, outline: string): Promise<void> {
      await database.query(KEEP_OUTLINE, [
        await numberOf(database.read, id),
        signer === null ? outline : signer.seal(id, outline),
      ])
    },
  }
}

const KEEP_OUTLINE = `
INSERT INTO thinkon.outlines (run, outline) VALUES ($1, $2) ON CONFLICT (run) DO UPDATE SET outline = excluded.outline`

/** Blocks nobody. PostgreSQL keeps most of what is free for what is written next. */
async function compact(database: Database): Promise<number> {
  const size = async () => {
    const [sum] = await database.read<{ bytes: number }>(SIZE)
    return sum?.bytes ?? 0
  }
  const before = await size()
  await database.query('VACUUM (ANALYZE) thinkon.events, thinkon.blobs, thinkon.runs, thinkon.inbox')
  return Math.max(0, before - (await size()))
}

const SIZE = `
SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
WHERE relnamespace = 'thinkon'::regnamespace AND relkind = 'r'`
