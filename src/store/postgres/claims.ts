/**
 * The workers of a cluster, and what they claim (kernel/claims.ts).
 *
 * 1. A worker holds a session lock on its key (session.ts): PostgreSQL releases it when the process dies. And it says every few seconds
 *    that it lives: when that has run out it hangs, whatever its lock says.
 * 2. A worker whose session is lost is dead to the others, and must end: `onLost`.
 * 3. Claims are not flushed: a crash of the server ends all sessions with their locks, and who writes has recorded that (K2).
 */
import { hostname } from 'node:os'
import type { Claim, ClaimedStep, Claims } from '../../kernel/claims.ts'
import { unknownRun } from '../../kernel/store.ts'
import { ThinkonError } from '../../protocol/index.ts'
import type { Database } from './connect.ts'
import { isDead, LIVING } from './ownership.ts'
import { openSession } from './session.ts'

export interface WorkerOptions {
  /** What the worker offers; see `thinkon worker`. */
  readonly class?: string
  readonly version?: string
  /** A worker that has said nothing for so long hangs. Default: 15,000. All workers should have the same. */
  readonly ttlMs?: number
  /** Called once, when others may have taken this worker for dead: it must end, and be started again. */
  readonly onLost: (error: ThinkonError) => void
}

export interface Worker {
  readonly claims: Claims
  /** Gives back what is held; `onLost` is not called. */
  leave(): Promise<void>
}

const TTL_MS = 15_000
const BEATS_PER_TTL = 3
/** Claims are given back so much later, many at once. */
const RELEASE_MS = 50

/** The worker of this key is dead, or it hangs: it has said nothing for `$ttl` milliseconds. */
const isGone = (key: string, ttl: string) => `(
  ${isDead(key)} OR NOT EXISTS (
    SELECT 1 FROM thinkon.workers WHERE workers.key = ${key} AND beat > now() - ${ttl} * interval '1 ms'
  )
)`

const TAKE = `
WITH run AS (
  SELECT no FROM thinkon.runs WHERE id = $1
), claimed AS (
  INSERT INTO thinkon.claims AS claim (run, path, n, owner) SELECT no, $2, $3, $4 FROM run
  ON CONFLICT (run, path, n) DO UPDATE
  SET owner = excluded.owner, at = now(), takes = claim.takes + (claim.owner <> excluded.owner)::int
  WHERE claim.owner = excluded.owner OR ${isGone('claim.owner', '$5')}
  RETURNING takes
)
SELECT (SELECT takes FROM claimed) AS takes, set_config('synchronous_commit', 'off', true) FROM run`

const RELEASE = `
WITH released AS (
  DELETE FROM thinkon.claims USING thinkon.runs, json_to_recordset($1) AS step (run text, path text, n integer)
  WHERE runs.id = step.run AND claims.run = runs.no AND claims.path = step.path AND claims.n = step.n AND claims.owner = $2
)
SELECT set_config('synchronous_commit', 'off', true)`

const BEAT = `
WITH beaten AS (
  INSERT INTO thinkon.workers (key, name, class, version) VALUES ($1, $2, $3, $4)
  ON CONFLICT (key) DO UPDATE SET beat = now()
)
SELECT set_config('synchronous_commit', 'off', true)`

/** Those that are gone for long; their claims stay as long as their runs. */
const FORGET = `DELETE FROM thinkon.workers WHERE beat < now() - interval '1 day'`

/** Makes this process a worker. */
export async function join(database: Database, options: WorkerOptions): Promise<Worker> {
  const { ttlMs = TTL_MS, onLost } = options
  const session = await openSession(database, () => {})
  const { key } = session
  const name = `process ${process.pid} on ${hostname()}`
  const beating = setInterval(() => void beat().catch(lost), ttlMs / BEATS_PER_TTL).unref()
  let isOver = false

  async function end(): Promise<void> {
    isOver = true
    clearInterval(beating)
    await session.close().catch(() => {})
  }

  function lost(cause?: unknown): void {
    if (isOver) return
    void end()
    onLost(lostConnection(database.name, cause))
  }

  /** An answer that does not come in time is as good as none: others take this worker over. */
  async function beat(): Promise<void> {
    const late = setTimeout(lost, ttlMs)
    const values = [key, name, options.class ?? '', options.version ?? '']
    await database.query(BEAT, values, 'beat').finally(() => clearTimeout(late))
  }

  void session.ended.then(() => lost())
  try {
    await database.query(FORGET)
    await beat()
  } catch (thrown) {
    await end()
    throw thrown
  }
  const releases = new Releases(database, key)
  return {
    claims: {
      worker: String(key),
      async take(step) {
        await releases.withdraw(step)
        if (isOver) throw lostConnection(database.name)
        const { run, path, n } = step
        const rows = await database.query<{ takes: number | null }>(TAKE, [run, path, n, key, ttlMs], 'take')
        return claimOf(run, rows[0])
      },
      release: (step) => releases.add(step),
    },
    async leave() {
      await releases.flush()
      await end()
    },
  }
}

/** Claims that are to be given back, many at once. One that is not does no harm: its effect has an end, or its worker is gone. */
class Releases {
  private readonly database: Database
  private readonly owner: number
  private readonly steps = new Map<string, ClaimedStep>()
  private timer: NodeJS.Timeout | undefined
  private underWay: Promise<unknown> = Promise.resolve()

  constructor(database: Database, owner: number) {
    this.database = database
    this.owner = owner
  }

  add(step: ClaimedStep): void {
    this.steps.set(stepKey(step), step)
    this.timer ??= setTimeout(() => void this.flush(), RELEASE_MS).unref()
  }

  /** The step is claimed again. */
  async withdraw(step: ClaimedStep): Promise<void> {
    this.steps.delete(stepKey(step))
    await this.underWay
  }

  flush(): Promise<unknown> {
    clearTimeout(this.timer)
    this.timer = undefined
    const steps = [...this.steps.values()]
    this.steps.clear()
    if (steps.length > 0) {
      const release = this.database.query(RELEASE, [JSON.stringify(steps), this.owner], 'release')
      this.underWay = Promise.all([this.underWay, release.catch(() => {})])
    }
    return this.underWay
  }
}

function stepKey({ run, path, n }: ClaimedStep): string {
  return `${run} ${path} ${n}`
}

function claimOf(run: string, row: { takes: number | null } | undefined): Claim {
  if (row === undefined) throw unknownRun(run)
  if (row.takes === null) return 'busy'
  return row.takes === 1 ? 'taken' : 'taken-over'
}

function lostConnection(name: string, cause?: unknown): ThinkonError {
  const message = `this worker has lost its connection to ${name}: others take it for dead, so that it ends; start it again`
  return new ThinkonError('OWNERSHIP_LOST', message, { cause, data: { store: name } })
}

/** The classes of the workers that live. */
export async function workerClasses(database: Database): Promise<ReadonlySet<string>> {
  const rows = await database.read<{ class: string }>(CLASSES, [TTL_MS])
  return new Set(rows.map((row) => row.class))
}

const CLASSES = `
SELECT DISTINCT class FROM thinkon.workers
WHERE beat > now() - $1 * interval '1 ms' AND key IN ${LIVING}`
