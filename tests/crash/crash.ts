/** Killing a program, resuming its run, and what must be true then. Shared by the gate and the soak. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Event, foldEvents, type Outcome } from '../../src/protocol/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'

const PROGRAM = 'program.ts'

export interface Crash {
  outcome: Outcome
  events: Event[]
  /** How many events were there when it was killed. */
  eventsBefore: number
  /** Steps that were performed again although their end was recorded, or that write and were performed twice. */
  twice: string[]
}

/**
 * Runs the program in a process of its own until it is killed (at an event, or so many milliseconds after it began), then
 * resumes its run in this process, to its end. `args` come before the folder.
 */
export async function crashAndResume(
  kill: { atEvent: number } | { afterMs: number },
  program = PROGRAM,
  args: readonly string[] = [],
): Promise<Crash> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-crash-'))
  try {
    if ('atEvent' in kill) await execute(program, [...args, folder, String(kill.atEvent)])
    else await execute(program, [...args, folder], kill.afterMs)
    const before = journal(folder)
    const outcome = await solveHere(program, [...args, folder])
    return {
      outcome,
      events: journal(folder),
      eventsBefore: before.length,
      twice: performedTwice(before, readFileSync(join(folder, 'effects.log'), 'utf8')),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The outcome and events of a run that nobody kills. */
export async function undisturbed(program = PROGRAM): Promise<Pick<Crash, 'outcome' | 'events'>> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-crash-'))
  try {
    // In a process of its own, which ends by itself and so leaves the compile cache that the killed ones start from.
    const { stdout, stderr, code } = await execute(program, [folder])
    if (code !== 0) throw new Error(stderr)
    return { outcome: JSON.parse(stdout), events: journal(folder) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What must be true of every run that was killed and resumed; the sentences that are not. */
export function violations(crash: Crash, whole: Pick<Crash, 'outcome'>): string[] {
  const found = crash.twice.map((step) => `performed twice: ${step}`)
  if (crash.outcome.result !== whole.outcome.result || crash.outcome.status !== whole.outcome.status) {
    found.push(`another outcome: ${JSON.stringify(crash.outcome)}`)
  }
  crash.events.forEach((event, index) => {
    if (event.seq !== index + 1) found.push(`a gap before event ${event.seq}`)
  })
  const state = foldEvents(crash.events)
  if (state.openSteps !== 0 || state.openQuestions !== 0) found.push('starts and ends do not balance')
  for (const block of state.blocks.values()) {
    if (block.outcome === null) found.push(`block ${block.path} never ended`)
    if (block.done.length !== block.children.length)
      found.push(`block ${block.path}: done and children differ (K1)`)
  }
  return found
}

export function performedTwice(before: readonly Event[], log: string): string[] {
  const [, first = '', second = ''] = log.split('--- process\n')
  const again = new Set(second.trim().split('\n'))
  const repeated = first
    .trim()
    .split('\n')
    .filter((line) => line !== '' && again.has(line))
  const ended = new Set<string>()
  for (const event of before) {
    if (event.type === 'model-end' || event.type === 'tool-end') ended.add(`${event.path} ${event.n}`)
  }
  return repeated.filter((line) => line.startsWith('write ') || ended.has(line.slice(line.indexOf(' ') + 1)))
}

/** The events of the run that is killed. */
export function journal(folder: string): Event[] {
  const store = sqliteStore(join(folder, 'runs.db'))
  try {
    return store.has('crash') ? [...store.read('crash')] : []
  } finally {
    store.close()
  }
}

/** Runs the program in this process: no start of a process to pay for. */
export async function solveHere(program: string, args: readonly string[]): Promise<Outcome> {
  const { solve } = await import(join(import.meta.dirname, program))
  return solve(args)
}

interface Printed {
  stdout: string
  stderr: string
  code: number | null
}

export function execute(program: string, args: readonly string[], killAfterMs?: number): Promise<Printed> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, program), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (data) => (stdout += data))
    child.stderr.on('data', (data) => {
      if (stderr === '' && killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs)
      stderr += data
    })
    child.on('close', (code) => resolve({ stdout, stderr, code }))
  })
}
