/** The log of a run, opened when a view shows it, and closed a while after the last one does. */
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { createRunLog, type RunLog, type RunLogWriter } from './run-log.ts'
import { type Source, useSource } from './source.ts'

interface Opened {
  readonly log: RunLogWriter
  readonly stop: AbortController
  users: number
}

/** Whoever goes back to a run finds it as it was. */
const KEPT_MS = 60_000

const opened = new Map<Source, Map<string, Opened>>()

export function useRunLog(run: string): RunLog {
  const source = useSource()
  const log = useMemo(() => openLog(source, run).log, [source, run])
  useEffect(() => {
    const entry = openLog(source, run)
    entry.users++
    return () => {
      entry.users--
      setTimeout(() => {
        if (entry.users > 0) return
        entry.stop.abort()
        opened.get(source)?.delete(run)
      }, KEPT_MS)
    }
  }, [source, run])
  useSyncExternalStore(log.subscribe, () => log.version)
  return log
}

function openLog(source: Source, run: string): Opened {
  const logs = opened.get(source) ?? new Map<string, Opened>()
  opened.set(source, logs)
  const known = logs.get(run)
  if (known !== undefined) return known
  const entry: Opened = { log: createRunLog(run), stop: new AbortController(), users: 0 }
  logs.set(run, entry)
  void read(source, entry)
  return entry
}

async function read(source: Source, { log, stop }: Opened): Promise<void> {
  try {
    const { signal } = stop
    const options = { signal, onConnection: log.connect, onCount: log.expect }
    for await (const item of source.follow(log.run, options)) log.add(item)
    if (!signal.aborted) log.connect('ended')
  } catch (error) {
    if (stop.signal.aborted) return
    const { code, message = String(error) } = error as { code?: string; message?: string }
    log.connect(code === 'UNKNOWN_RUN' ? 'missing' : 'failed', message)
  }
}
