/**
 * Processes whose file tools reach the store of their own runs, while others list it and try to take the runs over; then kill -9 and
 * resume. On POSIX, one `close` of a file of the store by code other than SQLite releases the locks of the whole process.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from '../../src/files/sqlite.ts'
import type { Event } from '../../src/protocol/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'

const PROGRAM = join(import.meta.dirname, 'locks-program.ts')
const COMMAND = join(import.meta.dirname, '../../bin/thinkon.js')
const LETTERS = 5

export interface LocksRound {
  /** In the workspace, relative to it. */
  readonly store: string
  readonly writers: number
  /** 0 to 1. */
  random(): number
}

/** What went wrong, as sentences. */
export async function locksRound({ store, writers, random }: LocksRound): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-locks-'))
  const runs = Array.from({ length: writers }, (_, at) => `run-${at + 1}`)
  try {
    mkdirSync(join(folder, '.thinkon'), { mode: 0o700 })
    writeFileSync(join(folder, 'notes.txt'), 'a needle\n')
    symlinkSync(store, join(folder, 'link-to-store'))
    const living = runs.map((run) => new Writer(folder, store, run, LETTERS))
    const found: string[] = []
    for (const writer of living) await writer.hasCommitted(1)
    const [listed, taken] = await Promise.all([
      printed([COMMAND, 'list', '--store', join(folder, store)], folder),
      new Writer(folder, store, runs[0] as string, LETTERS, 'resume').beginning(),
    ])
    if (!listed.includes('run-1')) found.push(`thinkon list printed ${listed}`)
    // It may follow the run. A process that takes it over writes run-resume.
    if (eventsOf(join(folder, store), runs[0] as string).some((event) => event.type === 'run-resume'))
      found.push(`a living run was taken over: ${taken.join(', ')}`)
    linkSync(join(folder, store), join(folder, 'hard-link'))
    writeFileSync(join(folder, 'go'), '')
    for (const writer of living) {
      await writer.hasCommitted(2 + Math.floor(random() * (LETTERS - 2)))
      writer.kill()
    }
    await Promise.all(living.map((writer) => writer.ended))
    // A store with hard links can't be opened.
    rmSync(join(folder, 'hard-link'))
    // Whoever opens the store first after a crash recovers its log.
    await printed([COMMAND, 'list', '--store', join(folder, store)], folder)
    const resumed = await Promise.all(runs.map((run) => new Writer(folder, store, run, LETTERS).ended))
    runs.forEach((run, at) => {
      const before = (living[at] as Writer).lines
      const after = resumed[at] as string[]
      if (before.some((line) => /^(?:refused|ended (?!completed))/.test(line)))
        found.push(`${run} was stopped while its process lived: ${before.join(', ')}`)
      if (!after.includes('ended completed')) found.push(`${run} was not resumed: ${after.join(', ')}`)
      found.push(...letterProblems(folder, store, run, before))
    })
    return [...found, ...damage(join(folder, store))]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function letterProblems(folder: string, store: string, run: string, before: readonly string[]): string[] {
  const found: string[] = []
  const sent = readFileSync(join(folder, `${run}.letters`), 'utf8')
    .trimEnd()
    .split('\n')
  for (let no = 1; no <= LETTERS; no++) {
    const count = sent.filter((line) => line === String(no)).length
    if (count > 1) found.push(`${run}: letter ${no} was sent ${count} times`)
    if (count === 0 && before.includes(`committed ${no}`)) found.push(`${run}: letter ${no} was never sent`)
  }
  const events = eventsOf(join(folder, store), run)
  const starts = events.filter((event) => event.type === 'tool-start')
  for (const line of before.filter((one) => one.startsWith('committed '))) {
    const no = Number(line.split(' ')[1])
    const begun = starts.find(({ name, input }) => name === 'mail' && (input as { no: number }).no === no)
    const end = events.find((event) => event.type === 'tool-end' && event.n === begun?.n)
    if (end === undefined) found.push(`${run}: the committed letter ${no} is not in the journal`)
  }
  if (events.at(-1)?.type !== 'run-end') found.push(`${run}: its journal ends with ${events.at(-1)?.type}`)
  return found
}

function eventsOf(path: string, run: string): Event[] {
  const store = sqliteStore(path)
  try {
    return [...store.read(run)]
  } finally {
    store.close()
  }
}

function damage(path: string): string[] {
  const database = new DatabaseSync(path)
  try {
    const rows = database
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => String(row.integrity_check))
    return rows.join() === 'ok' ? [] : rows.map((row) => `integrity check: ${row}`)
  } catch (thrown) {
    return [String(thrown)]
  } finally {
    database.close()
  }
}

class Writer {
  readonly lines: string[] = []
  /** All that it printed, when its process has ended. */
  readonly ended: Promise<string[]>
  hasEnded = false
  private readonly child: ChildProcess
  private changed = Promise.withResolvers<void>()

  constructor(folder: string, store: string, run: string, letters: number, verb = 'start') {
    const args = [PROGRAM, folder, store, run, String(letters), verb]
    this.child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    const lines = [this.child.stdout, this.child.stderr].map((stream) => createInterface(stream as never))
    for (const reader of lines) reader.on('line', (line) => this.add(line))
    this.ended = once(this.child, 'close').then(([, signal]) => {
      this.hasEnded = true
      this.add(`signal ${signal}`)
      return this.lines
    })
  }

  /** Resolves also when the process has ended before that. */
  async hasCommitted(letters: number): Promise<void> {
    while (!this.hasEnded && !this.lines.includes(`committed ${letters}`)) await this.changed.promise
  }

  /** What it printed when it was about to work on the run, or could not. Then it is killed. */
  async beginning(): Promise<string[]> {
    while (!this.hasEnded && !this.lines.includes('started')) await this.changed.promise
    this.kill()
    return this.ended
  }

  kill(): void {
    this.child.kill('SIGKILL')
  }

  private add(line: string): void {
    this.lines.push(line)
    this.changed.resolve()
    this.changed = Promise.withResolvers()
  }
}

async function printed(args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data))
  await once(child, 'close')
  return text
}

/** `rounds` of two to four processes, in both layouts. */
export async function lockRounds(rounds: number, random: () => number): Promise<string> {
  for (let round = 0; round < rounds; round++) {
    const store = round % 2 === 0 ? 'runs.db' : '.thinkon/runs.db'
    const writers = 1 + Math.floor(random() * 3)
    const found = await locksRound({ store, writers, random })
    if (found.length > 0)
      throw new Error(`round ${round + 1}, ${writers} writers, ${store}: ${found.join('; ')}`)
  }
  return `${rounds} rounds: nothing lost, nothing sent twice, no run taken over, every store whole`
}
