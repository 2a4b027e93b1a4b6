/**
 * A process that does not outlive this one.
 *
 * 1. It ends when this process does, however that happens: a shell of its own reads a pipe from us and ends it when the pipe breaks.
 * 2. A Ctrl-C in the terminal does not reach it: whoever started it decides how it ends.
 * 3. Its number is in `process.pid` of its folder while it runs, so that one whose shell was killed as well is found and ended at the
 *    next start.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export interface GuardedOptions {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]]
  /** Where it runs, with `process.pid` and, unless its output is wanted, `server.log`. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly user?: User
  /** How it ends when we do. */
  readonly lastSignal?: Signal
  /** Gets what it prints, instead of the log. */
  readonly onOutput?: (text: string) => void
}

export interface User {
  readonly uid: number
  readonly gid: number
}

export type Signal = 'INT' | 'TERM' | 'QUIT' | 'KILL'

export interface Guarded {
  /** With its exit code; 128 and more for a signal, as a shell says it. */
  readonly ended: Promise<number>
  readonly hasEnded: () => boolean
  /** Of the process itself; undefined before it is started and after it has ended. */
  readonly pid: () => number | undefined
  signal(signal: Signal): void
  /** Returns when it has ended, which is `graceMs` later at the latest. */
  end(signal: Signal, graceMs?: number): Promise<void>
}

const GRACE_MS = 20_000
const PID_FILE = 'process.pid'

const SCRIPT = `
exec 3<&0
"$@" </dev/null 3<&- $REDIRECT &
child=$!
echo $child >process.pid
{ while read -r signal <&3; do kill -"$signal" $child; done; kill -$LAST $child; } 2>/dev/null &
guard=$!
wait $child 2>/dev/null
code=$?
kill -9 $guard 2>/dev/null
[ "$(cat process.pid)" = $child ] && rm -f process.pid
exit $code`

export async function startGuarded(options: GuardedOptions): Promise<Guarded> {
  const { command, folder, env, user, lastSignal = 'KILL', onOutput } = options
  await endLeftover(folder)
  const script = SCRIPT.replace('$REDIRECT', onOutput === undefined ? '>>server.log 2>&1' : '').replace(
    '$LAST',
    lastSignal,
  )
  const shell = spawn('/bin/sh', ['-c', script, 'sh', ...command], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['pipe', onOutput === undefined ? 'ignore' : 'pipe', onOutput === undefined ? 'ignore' : 'pipe'],
    ...user,
  })
  for (const stream of [shell.stdout, shell.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => onOutput?.(text))
  }
  shell.stdin?.on('error', () => {}) // it has ended just now
  let hasEnded = false
  const ended = new Promise<number>((resolve, reject) => {
    shell.once('error', reject)
    shell.once('exit', (code) => {
      hasEnded = true
      shell.stdin?.destroy()
      resolve(code ?? 137)
    })
  })
  ended.catch(() => {})
  const signal = (name: Signal) => {
    if (!hasEnded) shell.stdin?.write(`${name}\n`)
  }
  return {
    ended,
    hasEnded: () => hasEnded,
    pid: () => readPid(folder),
    signal,
    async end(name, graceMs = GRACE_MS) {
      signal(name)
      const late = setTimeout(() => shell.stdin?.end(), graceMs)
      await ended.finally(() => clearTimeout(late))
    },
  }
}

/** One that was left behind in this folder, with the shell that guarded it. */
export async function endLeftover(folder: string): Promise<void> {
  const pid = readPid(folder)
  if (pid !== undefined) await endProcess(pid, folder)
  rmSync(join(folder, PID_FILE), { force: true })
}

/** Ends a process if it runs in the folder: its number may have been given to another since. */
export async function endProcess(pid: number, folder: string): Promise<void> {
  while (isThere(pid) && runsIn(pid, folder)) {
    process.kill(pid, 'SIGKILL')
    await pause(20)
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function runsIn(pid: number, folder: string): boolean {
  try {
    return workingFolder(pid).startsWith(realpathSync(folder))
  } catch {
    return false // it has just ended, or is another user's
  }
}

function workingFolder(pid: number): string {
  if (existsSync('/proc/self/cwd')) return readlinkSync(`/proc/${pid}/cwd`)
  const lines = execFileSync('lsof', ['-a', '-p', String(pid), '-d', 'cwd', '-Fn'], { encoding: 'utf8' })
  return /^n(.*)$/m.exec(lines)?.[1] ?? ''
}

function readPid(folder: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(folder, PID_FILE), 'utf8'), 10)
    return pid > 1 ? pid : undefined
  } catch {
    return undefined
  }
}
