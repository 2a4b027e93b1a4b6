/**
 * Counts for each run how often a service's process crashed while it worked on the run, so that a run that crashes every process is set
 * aside instead of resumed again.
 *
 * 1. A crash is an exit without `close`: `process.exit`, an uncaught exception, a rejection that nothing handles. A kill from outside is
 *    none, because the runs did not cause it.
 * 2. The counts are written when the process exits, so that a run costs nothing.
 */
import { readFileSync } from 'node:fs'
import { replaceFile } from '../files/private-files.ts'
import { isObject, parseJson } from '../protocol/json.ts'

export interface CrashRecord {
  crashes(run: string): number
  clear(run: string): void
  /** From now on an exit is no crash. */
  close(): void
}

/** `file`: where the counts are kept. `atWork`: the runs that a crash counts for. */
export function crashRecord(file: string | undefined, atWork: () => Iterable<string>): CrashRecord {
  if (file === undefined) return { crashes: () => 0, clear() {}, close() {} }
  const counts = readCounts(file)
  const save = () => replaceFile(file, JSON.stringify(Object.fromEntries(counts)))
  const onExit = () => {
    const runs = [...atWork()]
    for (const run of runs) counts.set(run, (counts.get(run) ?? 0) + 1)
    if (runs.length > 0) save()
  }
  process.once('exit', onExit)
  return {
    crashes: (run) => counts.get(run) ?? 0,
    clear(run) {
      if (counts.delete(run)) save()
    },
    close: () => void process.off('exit', onExit),
  }
}

function readCounts(file: string): Map<string, number> {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    // There was no crash yet.
  }
  const read = parseJson(text)
  const entries = isObject(read) ? Object.entries(read) : []
  return new Map(entries.filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1])))
}
