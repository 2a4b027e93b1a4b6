/**
 * Which processes that own runs are alive.
 *
 * 1. Each holds a session lock on its key and renews its row (`beat`) every few seconds, from the thread that executes its runs.
 * 2. A process is dead if its heartbeat is older than `VALID_MS`: it hangs, or its network is cut. Its lock may still be held.
 * 3. It is also dead if its lock is free for `SUSPECT_MS`. A process that only lost its session locks its key again within that time, and a
 *    server that has just started gives all processes `GRACE_MS` to come back.
 *
 * Whether the judgement was right does not affect the journal: the epoch fences a process that was taken for dead (owned-runs.ts).
 */
import type { Database, Query } from './connect.ts'

export const BEAT_MS = 5_000
const VALID_MS = 15_000
const SUSPECT_MS = 500
const GRACE_MS = 3_000
const RETRY_MS = 100

export const OWNERS = `
-- A process that owns runs. suspected: since when its lock has been free.
CREATE TABLE thinkon.owners (
  key bigint PRIMARY KEY, name text NOT NULL, beat timestamptz NOT NULL DEFAULT now(), suspected timestamptz
);
`

/** Of a process whose heartbeat is valid. */
export const FRESH = `beat >= now() - interval '${VALID_MS} ms'`
const IS_STALE = `beat < now() - interval '${VALID_MS} ms'`

/** The keys of processes that own runs and are alive, for lists. */
export const LIVING_OWNERS = `(
  SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1 AND mode = 'ExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  EXCEPT SELECT key FROM thinkon.owners WHERE ${IS_STALE}
)`

/** Whether the process with this key, which is not named `owners`, is dead. One without a row never renewed its heartbeat: its lock alone counts. */
export const ownerIsDead = (key: string) => `(
  SELECT CASE
    WHEN count(*) = 0 THEN pg_try_advisory_xact_lock_shared(${key})
    WHEN pg_postmaster_start_time() > now() - interval '${GRACE_MS} ms' THEN false
    WHEN bool_or(${IS_STALE}) THEN true
    WHEN bool_or(suspected < now() - interval '${SUSPECT_MS} ms') THEN pg_try_advisory_xact_lock_shared(${key})
    ELSE false
  END FROM thinkon.owners WHERE owners.key = ${key}
)`

/** Renews the heartbeat of $1, named $2; the lock is held. */
export const BEAT = `
INSERT INTO thinkon.owners (key, name) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET beat = now(), suspected = NULL`

export const SUSPECT = `
UPDATE thinkon.owners SET suspected = coalesce(suspected, now())
WHERE key = $1 AND pg_try_advisory_xact_lock_shared(key) RETURNING key`

/** Notes all processes whose lock is free, unless they are noted already. */
const SUSPECT_ALL = `
UPDATE thinkon.owners SET suspected = now()
WHERE suspected IS NULL AND key NOT IN ${LIVING_OWNERS} AND NOT ${IS_STALE}`

/** A process that ends in order need not be suspected first: it is dead when its lock is free. */
export const END_OWNER = `UPDATE thinkon.owners SET suspected = '-infinity' WHERE key = $1`

const FORGET = `
DELETE FROM thinkon.owners WHERE beat < now() - interval '1 day' AND NOT EXISTS (SELECT FROM thinkon.runs WHERE owner = key)`

/**
 * Repeats `action`, which finds null while the run's owner is alive, for as long as the owner is suspected to be dead. `ownerOf` is the key of
 * the run's owner.
 */
export async function untilCertain<T>(
  query: Query,
  action: () => Promise<T | null>,
  ownerOf: () => Promise<number | null>,
): Promise<T | null> {
  for (;;) {
    const found = await action()
    if (found !== null) return found
    const owner = await ownerOf()
    if (owner === null) return action()
    const suspected = await query(SUSPECT, [owner])
    if (suspected.length === 0) return null
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

/** Notes processes whose lock is free, so that they count as dead soon. */
export async function suspectOwners(database: Database): Promise<void> {
  await database.query(SUSPECT_ALL, [], 'suspect owners')
}

/** Removes the rows of processes that ended long ago. */
export async function forgetOwners(database: Database): Promise<void> {
  await database.query(FORGET)
}
