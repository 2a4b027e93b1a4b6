/**
 * Runs a program until it ends, times out or is aborted, and leaves nothing behind: it runs in its own session, and
 * everything it started is killed with it, even after a normal end. On Linux, processes that left the session are found by
 * their parents and by a mark in their environment; one that cut both ties escapes, unless it is in the sandbox.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type CommandLimits, exceededBy } from './command-limits.ts'
import { aborted, throwIfAborted, toolError } from './define-tool.ts'
import { dropGroup, ownGroup, sendSignal, signalChild } from './process-group.ts'

export interface ProcessSpec {
  /** The program and its arguments, without a shell. */
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  /** The program, and all that it has started, is ended after so long. */
  readonly timeoutMs: number
  /** How much of stdout and of stderr is kept: half from the head, half from the tail. */
  readonly maxOutputBytes: number
  readonly signal: AbortSignal
  /** Written to stdin, which is otherwise empty. */
  readonly stdin?: string
  /** Called when the program writes to its file descriptor 3, which then gets a line. If it throws, the program is killed. */
  ready?(): void
  /** Can be read from file descriptor 4. */
  readonly filter?: Uint8Array
  /** When the program and all that it has started exceed these together, they are killed. */
  readonly limits?: Pick<CommandLimits, 'processes' | 'memoryMb'>
}

export interface ProcessEnd {
  /** Null if a signal ended it. */
  readonly exitCode: number | null
  readonly signalName: string | null
  readonly timedOut: boolean
  /** The limit for which it was killed, such as `more than 1024 processes`. */
  readonly exceeded?: string
  readonly stdout: string
  readonly stderr: string
  /** A part of stdout or stderr was left out; the texts say where. */
  readonly truncated: boolean
}

/** Between asking it to end and killing it. */
const GRACE_MS = 200
/** How long to wait for output that is held open by a process that can't be killed. */
const DRAIN_MS = 500
const MARK = 'THINKON_CALL'
/** Looks at all processes of the machine, which takes milliseconds. */
const WATCH_MS = 400

/** Throws if it can't be started, and if it was aborted: then all its processes are dead. */
export async function runProcess(spec: ProcessSpec): Promise<ProcessEnd> {
  throwIfAborted(spec.signal)
  const mark = randomBytes(8).toString('hex')
  const [file, ...args] = spec.argv
  const child = spawn(file, args, {
    cwd: spec.cwd,
    env: { ...spec.env, [MARK]: mark },
    detached: true,
    stdio: [
      spec.stdin === undefined ? 'ignore' : 'pipe',
      ...(['pipe', 'pipe'] as const),
      ...(spec.ready === undefined && spec.filter === undefined ? [] : (['pipe'] as const)),
      ...(spec.filter === undefined ? [] : (['pipe'] as const)),
    ],
  })
  const stdout = capture(child.stdout, spec.maxOutputBytes)
  const stderr = capture(child.stderr, spec.maxOutputBytes)
  child.stdin?.on('error', () => {}) // the program need not read it
  child.stdin?.end(spec.stdin)
  const filter = child.stdio[4] as Duplex | null | undefined
  filter?.on('error', () => {}) // the program may have failed before it read it
  filter?.end(spec.filter)
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const since = child.pid === undefined ? 0 : (procStat(child.pid)?.started ?? 0)
  const started = { child, mark, since }
  const end = await untilEnd(started, spec)
  // A process it left running may hold its output open.
  killAll(started)
  dropGroup(child)
  await Promise.race([closed, delay(DRAIN_MS, undefined, { ref: false })])
  for (const stream of [child.stdout, child.stderr]) stream?.destroy()
  if (spec.signal.aborted) throw aborted(spec.signal)
  const truncated = stdout.isCut() || stderr.isCut()
  return { ...end, stdout: stdout.text(), stderr: stderr.text(), truncated }
}

type End = Pick<ProcessEnd, 'exitCode' | 'signalName' | 'timedOut' | 'exceeded'>

interface Started {
  readonly child: ChildProcess
  /** In its environment. */
  readonly mark: string
  /** Nothing that it has started is older. */
  readonly since: number
}

function untilEnd(started: Started, spec: ProcessSpec): Promise<End> {
  const { child } = started
  ownGroup(child)
  return new Promise((resolve, reject) => {
    letGo(child, spec, (error) => {
      killAll(started)
      reject(error)
    })
    let timedOut = false
    let killTimer: NodeJS.Timeout | undefined
    const stop = () => {
      signalChild(child, 'SIGTERM')
      killTimer ??= setTimeout(() => killAll(started), GRACE_MS)
    }
    const timer = setTimeout(() => {
      timedOut = true
      stop()
    }, spec.timeoutMs)
    let exceeded: string | null = null
    const watch = setInterval(() => {
      exceeded ??= spec.limits === undefined ? null : exceededBy(offspring(started), spec.limits)
      if (exceeded !== null) killAll(started)
    }, WATCH_MS)
    const done = () => {
      clearInterval(watch)
      clearTimeout(timer)
      clearTimeout(killTimer)
      spec.signal.removeEventListener('abort', stop)
    }
    spec.signal.addEventListener('abort', stop)
    child.on('error', (error) => {
      done()
      const { code = error.message } = error as NodeJS.ErrnoException
      reject(toolError(`${spec.argv[0]} could not be started: ${code}`))
    })
    child.on('exit', (exitCode, signalName) => {
      done()
      resolve({ exitCode, signalName, timedOut, ...(exceeded !== null && { exceeded }) })
    })
  })
}

function letGo(child: ChildProcess, { ready }: ProcessSpec, refuse: (error: unknown) => void): void {
  const waiting = child.stdio[3] as Duplex | null | undefined
  waiting?.on('error', () => {}) // it may be gone
  waiting?.once('data', () => {
    try {
      ready?.()
      waiting.end('go\n')
    } catch (error) {
      refuse(error)
    }
  })
}

/** Several rounds, because a process can start another while it is being killed. */
function killAll(started: Started): void {
  for (let round = 0; round < 10; round++) {
    signalChild(started.child, 'SIGKILL')
    const found = started.child.pid === undefined ? [] : offspring(started)
    if (found.length === 0) return
    for (const pid of found) sendSignal(pid, 'SIGKILL')
  }
}

/** Live processes that are in the session, carry the mark, or descend from one that does. */
function offspring(started: Started): number[] {
  if (process.platform !== 'linux') return []
  const parents = new Map<number, number>()
  const found = new Set<number>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    const stat = Number.isInteger(pid) ? procStat(pid) : null
    if (stat === null) continue
    parents.set(pid, stat.parent)
    if (stat.session === started.child.pid || isMarked(pid, stat, started)) found.add(pid)
  }
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid)
  }
  return [...found]
}

function isMarked(pid: number, stat: ProcStat, { mark, since }: Started): boolean {
  // Looking into the environment of every process of a busy machine takes longer than most commands.
  if (stat.started < since) return false
  return readProc(`/proc/${pid}/environ`).split('\0').includes(`${MARK}=${mark}`)
}

interface ProcStat {
  readonly parent: number
  readonly session: number
  /** In ticks since the machine was started. */
  readonly started: number
}

/** Null if it is gone or dead. */
function procStat(pid: number): ProcStat | null {
  // The name in parentheses may contain anything.
  const fields = readProc(`/proc/${pid}/stat`)
    .replace(/^.*\)\s*/s, '')
    .split(' ')
  if (fields.length < 4 || fields[0] === 'Z' || fields[0] === 'X') return null
  return { parent: Number(fields[1]), session: Number(fields[3]), started: Number(fields[19]) }
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/** Keeps the head and the tail of a stream. */
function capture(stream: NodeJS.ReadableStream | null, maxBytes: number) {
  const half = Math.floor(maxBytes / 2)
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  let dropped = 0
  stream?.on('data', (chunk: Buffer) => {
    const room = half - head.length
    if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)])
    const rest = chunk.subarray(Math.max(0, room))
    if (rest.length === 0) return
    const joined = Buffer.concat([tail, rest])
    const excess = Math.max(0, joined.length - half)
    dropped += excess
    tail = Buffer.from(joined.subarray(excess))
  })
  stream?.on('error', () => {})
  function text(): string {
    if (dropped === 0) return Buffer.concat([head, tail]).toString('utf8')
    // A character that was split is left out.
    const first = head.toString('utf8').replace(/\uFFFD$/, '')
    const last = tail.toString('utf8').replace(/^\uFFFD+/, '')
    return `${first}\n[… ${dropped} bytes left out …]\n${last}`
  }
  return { text, isCut: () => dropped > 0 }
}
