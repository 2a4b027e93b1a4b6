/**
 * Finds the run that crashes a service's process, so that it is set aside instead of resumed again. A file counts for each run how often a
 * process ended without `close` because of it:
 *
 * 1. `process.exit`, an uncaught exception, a rejection that nothing handles: the exit counts for all runs under way. It is written then.
 * 2. An end without an exit, such as out-of-memory or SIGKILL, leaves marks: each run that the service resumes is marked with its `seq`.
 *    At the next start, a marked run whose journal shows no progress since is stuck. If it is the only one, the end counts for it; if there
 *    are several, any may be the cause or a kill from outside, so all become suspects and none is counted.
 * 3. Suspects are resumed one after another, the last one that was resumed before first, each alone for a probation that doubles with each
 *    such end. So the cause is the only stuck run at some point, however late it crashes the process.
 * 4. Progress, or a deliberate resume, clears a run.
 */
import { readFileSync } from 'node:fs'
import { replaceFile } from '../files/private-files.ts'
import { isObject, parseJson } from '../protocol/json.ts'

export interface CrashRecord {
  crashes(run: string): number
  /** In how many ends of a process it was one of several stuck runs. */
  suspicions(run: string): number
  /** Counts how the last process ended. Resolves to the suspects in the order in which they should be resumed. */
  assess(standing: (run: string, seq: number | undefined) => Promise<MarkStanding>): Promise<string[]>
  /** The service resumes the run, whose last event is `seq`. */
  mark(run: string, seq: number): void
  /** The run is not under way any more. */
  unmark(run: string): void
  /** It has worked alone through its probation: earlier crashes are not counted. */
  pass(run: string): void
  /** It is not resumed; later progress, made by another process, clears it. */
  setAside(run: string, seq: number): void
  clear(run: string): void
  /** From now on an end is no crash. */
  close(): void
}

/** `waits`: for an answer or its model. `gone`: ended, deleted, or another process works on it. */
export type MarkStanding = 'stuck' | 'progressed' | 'waits' | 'gone'

interface Entry {
  crashes: number
  suspicions: number
  seq?: number
  isMarked: boolean
}

/** `atWork`: the runs that an exit counts for. */
export function crashRecord(file: string | undefined, atWork: () => Iterable<string>): CrashRecord {
  if (file === undefined) return NO_RECORD
  /** In the order in which the runs were resumed. */
  const entries = readEntries(file)
  const save = () => replaceFile(file, JSON.stringify([...entries]))
  const entryOf = (run: string) => entries.get(run) ?? { crashes: 0, suspicions: 0, isMarked: false }
  const put = (run: string, change: Partial<Entry>) => entries.set(run, { ...entryOf(run), ...change })
  /** Without a count there is nothing to remember of a run. */
  const withoutMarks = () => {
    for (const [run, entry] of entries) {
      entry.isMarked = false
      if (!isSuspect(entry)) entries.delete(run)
    }
  }
  const onExit = () => {
    const before = entries.size
    for (const run of atWork()) {
      const { crashes, suspicions } = entryOf(run)
      // Without `seq`, because progress before the exit does not clear it.
      entries.set(run, { crashes: crashes + 1, suspicions, isMarked: false })
    }
    withoutMarks()
    if (before + entries.size > 0) save()
  }
  process.once('exit', onExit)
  return {
    crashes: (run) => entryOf(run).crashes,
    suspicions: (run) => entryOf(run).suspicions,
    async assess(standing) {
      if (entries.size === 0) return []
      const stuck: Entry[] = []
      for (const [run, entry] of [...entries]) {
        const now = await standing(run, entry.seq)
        if (now === 'gone' || now === 'progressed') entries.delete(run)
        else if (now === 'stuck' && entry.isMarked) stuck.push(entry)
      }
      blame(stuck)
      const lastFirst = [...entries].filter(([, entry]) => isSuspect(entry)).reverse()
      const suspects = lastFirst.sort(([, a], [, b]) => Number(b.isMarked) - Number(a.isMarked))
      withoutMarks()
      save()
      return suspects.map(([run]) => run)
    },
    mark(run, seq) {
      const entry = { ...entryOf(run), seq, isMarked: true }
      entries.delete(run)
      entries.set(run, entry)
      save()
    },
    unmark(run) {
      const entry = entries.get(run)
      if (entry?.isMarked !== true) return
      entry.isMarked = false
      if (!isSuspect(entry)) entries.delete(run)
      save()
    },
    pass(run) {
      if (entryOf(run).crashes === 0) return
      put(run, { crashes: 0 })
      save()
    },
    setAside(run, seq) {
      put(run, { seq })
      save()
    },
    clear(run) {
      if (entries.delete(run)) save()
    },
    close() {
      process.off('exit', onExit)
      if (![...entries.values()].some(({ isMarked }) => isMarked)) return
      withoutMarks()
      save()
    },
  }
}

/** Of the runs that were stuck when a process ended, one is the cause, or none. */
function blame(stuck: readonly Entry[]): void {
  const [only] = stuck
  if (stuck.length === 1 && only !== undefined) only.crashes++
  else for (const entry of stuck) entry.suspicions++
}

function isSuspect({ crashes, suspicions }: Entry): boolean {
  return crashes + suspicions > 0
}

const NO_RECORD: CrashRecord = {
  crashes: () => 0,
  suspicions: () => 0,
  assess: async () => [],
  mark() {},
  unmark() {},
  pass() {},
  setAside() {},
  clear() {},
  close() {},
}

function readEntries(file: string): Map<string, Entry> {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    // There was no crash yet.
  }
  const read = parseJson(text)
  return new Map(Array.isArray(read) ? read.filter(isEntry) : [])
}

function isEntry(read: unknown): read is [string, Entry] {
  const [run, entry] = Array.isArray(read) ? read : []
  if (typeof run !== 'string' || !isObject(entry)) return false
  const { crashes, suspicions, seq, isMarked } = entry
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
  return (
    isCount(crashes) &&
    isCount(suspicions) &&
    (seq === undefined || isCount(seq)) &&
    typeof isMarked === 'boolean'
  )
}
