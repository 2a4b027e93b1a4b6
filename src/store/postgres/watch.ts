/**
 * Who watches runs is called when something was written, also by other processes.
 *
 * 1. One connection listens, on one channel for all runs: what is said there is the run's id.
 * 2. What was written is said apart from the commit, for many commits at once: PostgreSQL commits those that notify one after the
 *    other, also of different runs, so that each waits for the other's disk (12 connections: 1,750 commits a second without, 250 to 390 with).
 * 3. What is said may be lost (a process that died before it spoke, a connection that broke). So the versions of the runs that are
 *    watched are looked at every second.
 */
import type { Client } from 'pg'
import type { Database } from './connect.ts'

export interface Watching {
  /** As in AsyncStore. */
  watch(run: string | null, changed: () => void): () => void
  /** This process has written. */
  tell(run: string): void
  close(): Promise<void>
}

const TELL_MS = 20
const POLL_MS = 1_000
const CHANNEL = 'thinkon'

const TELL = `
SELECT pg_notify('${CHANNEL}', run), set_config('synchronous_commit', 'off', true) FROM unnest($1::text[]) AS run`
const VERSIONS = 'SELECT id, version FROM thinkon.runs WHERE id = ANY ($1)'

interface Watcher {
  readonly run: string | null
  readonly changed: () => void
  /** Of the run, when it was last looked at. */
  version?: number | undefined
}

export function watching(database: Database, pollMs = POLL_MS): Watching {
  const watchers = new Set<Watcher>()
  let written = new Set<string>()
  let telling: NodeJS.Timeout | undefined
  let polling: NodeJS.Timeout | undefined
  let listening: Promise<Client | null> | null = null
  let isClosed = false

  /** Whoever watches this run; whoever watches anything, if it is null. */
  function call(run: string | null): void {
    for (const watcher of [...watchers]) {
      if (run === null || watcher.run === null || watcher.run === run) watcher.changed()
    }
  }

  async function listen(): Promise<Client | null> {
    try {
      const client = await database.dedicated()
      const lost = () => {
        listening = null
        void client.end().catch(() => {})
      }
      client.on('error', lost)
      client.on('end', lost)
      client.on('notification', ({ payload }) => call(payload ?? null))
      await client.query(`LISTEN ${CHANNEL}`)
      // Something may have been said before.
      call(null)
      return client
    } catch {
      // The poll tries again.
      listening = null
      return null
    }
  }

  async function poll(): Promise<void> {
    const runs = [...watchers].flatMap(({ run }) => run ?? [])
    try {
      const rows = await database.query<{ id: string; version: number }>(VERSIONS, [runs], 'versions')
      const versions = new Map(rows.map(({ id, version }) => [id, version]))
      for (const watcher of [...watchers]) look(watcher, versions)
    } catch {
      // It can't be reached: nothing was written that could be read.
    }
  }

  function pollLater(): void {
    if (polling !== undefined || isClosed || watchers.size === 0) return
    polling = setTimeout(async () => {
      listening ??= listen()
      await poll()
      polling = undefined
      pollLater()
    }, pollMs)
  }

  async function tellOthers(): Promise<void> {
    telling = undefined
    const runs = [...written]
    written = new Set()
    // What is not said is found by a poll.
    if (runs.length > 0) await database.query(TELL, [runs], 'tell').catch(() => {})
  }

  return {
    watch(run, changed) {
      const watcher: Watcher = { run, changed }
      watchers.add(watcher)
      listening ??= listen()
      pollLater()
      return () => void watchers.delete(watcher)
    },
    tell(run) {
      written.add(run)
      telling ??= setTimeout(() => void tellOthers(), TELL_MS)
    },
    async close() {
      isClosed = true
      watchers.clear()
      clearTimeout(polling)
      clearTimeout(telling)
      await tellOthers()
      const client = await listening
      await client?.end().catch(() => {})
    },
  }
}

/** Whether anything was written of any run is not looked at: who watches all of them is called each time. */
function look(watcher: Watcher, versions: ReadonlyMap<string, number>): void {
  const version = watcher.run === null ? undefined : versions.get(watcher.run)
  if (watcher.run !== null && version === watcher.version) return
  watcher.version = version
  watcher.changed()
}
