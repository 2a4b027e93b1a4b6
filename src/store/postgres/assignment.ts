/** Which runs no process owns, when they are due, and what they need: see kernel/run-assignment.ts. */
import type { AssignableStore, DueRun, Standing, WorkerOffer } from '../../kernel/run-assignment.ts'
import { type Draft, type NewRun, unknownRun } from '../../kernel/store.ts'
import type { ErrorData } from '../../protocol/index.ts'
import type { Signer } from '../signatures.ts'
import { type Database, repeated } from './connect.ts'
import { EventEncoder, signed } from './encode.ts'
import { needsOf } from './needs.ts'
import type { OwnedRuns } from './owned-runs.ts'
import { FRESH, forgetOwners, LIVING_OWNERS, ownerIsDead, SUSPECT, suspectOwners } from './owners.ts'
import { NOTIFY_WORKER, type Ownership } from './ownership.ts'
import { searchText } from './runs.ts'
import { WORKERS_LOCK } from './schema.ts'
import { OFFER, type Written, written } from './statements.ts'

const LOCK_AGAIN_MS = 100
/** After this time without an owner, workers are notified of a due run again. */
const TELL_AGAIN_MS = 5_000

export type Assignment = Pick<
  AssignableStore,
  | 'offer'
  | 'wake'
  | 'rest'
  | 'handOver'
  | 'problem'
  | 'standing'
  | 'serve'
  | 'retire'
  | 'claimDue'
  | 'reclaim'
  | 'alone'
  | 'onDue'
>

interface AssignmentParts {
  readonly database: Database
  readonly owner: Ownership
  readonly owned: OwnedRuns
  readonly signer: Signer | null
  /** Notifies watchers. */
  readonly tell: (run: string) => void
}

export function assignment({ database, owner, owned, signer, tell }: AssignmentParts): Assignment {
  /** True if the run was given up. */
  async function giveUp(text: string, run: string, values: readonly unknown[]): Promise<boolean> {
    const [given] = await repeated(() => database.query(text, [run, ...values]))
    if (given === undefined) return false
    owned.forget(run)
    tell(run)
    return true
  }

  return {
    async offer({ id, goal, strategy }: NewRun, first: Draft, wakeMs: number) {
      const { rows } = signed(new EventEncoder().encode(1, [first]), signer, signer?.root(id) ?? null)
      const made = [id, first.atMs, wakeMs, needsOf([first])]
      const texts = [JSON.stringify(goal), strategy, searchText({ id, goal })]
      const values = [...made, ...texts, ...written(rows, [first], 1)]
      const [answer] = await repeated(() => database.query<Written>(OFFER, values, 'offer run'))
      return (answer as Written).no !== null
    },
    async wake(run) {
      const [found] = await database.query(WAKE, [run])
      if (found === undefined) throw unknownRun(run)
    },
    rest: (run, epoch, wakeMs, needs) =>
      giveUp(REST, run, [epoch, wakeMs, owned.signalsSeen(run), [...needs]]),
    async handOver(run, epoch, wakeMs, problem) {
      await giveUp(HAND_OVER, run, [epoch, wakeMs, problem === undefined ? null : JSON.stringify(problem)])
    },
    async problem(run) {
      const [found] = await database.read<{ problem: string | null }>(PROBLEM, [run])
      if (found === undefined) throw unknownRun(run)
      return found.problem === null ? null : (JSON.parse(found.problem) as ErrorData)
    },
    async standing(run) {
      const [found] = await database.read<{ standing: Standing; owner: number }>(STANDING, [run], 'standing')
      if (found === undefined) throw unknownRun(run)
      if (found.standing === 'owned') await database.query(SUSPECT, [found.owner], 'suspect')
      return found.standing
    },
    async serve({ has, kind, version }: WorkerOffer) {
      owner.version = version
      await owner.hold()
      await forgetOwners(database)
      await database.query(SERVE, [owner.key, [...has], kind])
      return workerName(owner.key)
    },
    async retire() {
      await database.query(SERVE, [owner.key, null, null])
    },
    claimDue: (limit) => database.query<DueRun>(CLAIM_DUE, [Date.now(), limit], 'claim due runs'),
    async reclaim() {
      await suspectOwners(database)
      const gone = await database.query<{ key: number }>(RECLAIM, [], 'reclaim')
      return gone.map(({ key }) => workerName(key))
    },
    alone: (action) => holding(database, WORKERS_LOCK, action),
    onDue: owner.onDue,
  }
}

/** Asks again and again: a session that waits for a lock is in a transaction, and would hold up `CREATE INDEX CONCURRENTLY`. */
async function holding<T>(database: Database, lock: number, action: () => Promise<T>): Promise<T> {
  const client = await database.dedicated()
  client.on('error', () => {})
  try {
    for (;;) {
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS held', [lock])
      if (rows[0]?.held) return await action()
      await new Promise((resolve) => setTimeout(resolve, LOCK_AGAIN_MS))
    }
  } finally {
    await client.end().catch(() => {})
  }
}

function workerName(key: number): string {
  return `worker-${key}`
}

const WAKE = `
WITH woken AS (
  UPDATE thinkon.runs SET host = 'cluster', wake = 0, told = NULL, problem = NULL, version = version + 1,
    owner = NULL, owner_name = NULL, epoch = epoch + (owner IS NOT NULL)::integer
  WHERE id = $1 AND status IN ('running', 'waiting')
    AND (owner IS NULL OR ${ownerIsDead('owner')})
)
SELECT no, ${NOTIFY_WORKER} FROM thinkon.runs WHERE id = $1`

const REST = `
UPDATE thinkon.runs SET owner = NULL, owner_name = NULL, wake = $3, told = NULL, needs = $5, problem = NULL, version = version + 1
WHERE id = $1 AND epoch = $2 AND owner IS NOT NULL AND signals = $4 RETURNING no`

const HAND_OVER = `
WITH given AS (
  UPDATE thinkon.runs SET owner = NULL, owner_name = NULL, wake = $3, told = NULL, problem = $4, version = version + 1
  WHERE id = $1 AND epoch = $2 AND owner IS NOT NULL RETURNING no
)
SELECT no, ${NOTIFY_WORKER} FROM given`

const PROBLEM = 'SELECT problem FROM thinkon.runs WHERE id = $1'

const STANDING = `
SELECT CASE
  WHEN status NOT IN ('running', 'waiting') THEN 'ended'
  WHEN owner IS NOT NULL AND NOT ${ownerIsDead('owner')} THEN 'owned'
  WHEN owner IS NOT NULL OR wake <= extract(epoch FROM now()) * 1000 THEN 'due'
  WHEN status = 'waiting' THEN 'waits-for-model'
  ELSE 'rests'
END AS standing, owner FROM thinkon.runs WHERE id = $1`

const SERVE = 'UPDATE thinkon.owners SET has = $2, kind = $3 WHERE key = $1'

/** Those who look at once pass each other by. */
const CLAIM_DUE = `
WITH due AS (
  SELECT no FROM thinkon.runs
  WHERE wake <= $1 AND owner IS NULL AND (told IS NULL OR told < now() - interval '${TELL_AGAIN_MS} ms')
  ORDER BY wake LIMIT $2 FOR UPDATE SKIP LOCKED
)
UPDATE thinkon.runs SET told = now() FROM due WHERE runs.no = due.no
RETURNING id, needs, (
  SELECT kind FROM thinkon.owners WHERE needs <@ has AND ${FRESH} ORDER BY random() LIMIT 1
) AS kind`

/** A process without runs that died is no longer a worker. */
const RECLAIM = `
WITH gone AS (
  SELECT key FROM thinkon.owners AS process WHERE key NOT IN ${LIVING_OWNERS} AND ${ownerIsDead('process.key')}
),
due AS (
  UPDATE thinkon.runs SET owner = NULL, owner_name = NULL, epoch = epoch + 1, told = NULL, version = version + 1,
    wake = CASE WHEN status = 'running' THEN 0 END
  FROM gone WHERE owner = gone.key AND host = 'cluster'
),
retired AS (UPDATE thinkon.owners SET has = NULL, kind = NULL FROM gone WHERE owners.key = gone.key AND has IS NOT NULL RETURNING owners.key)
SELECT key FROM retired`
