/**
 * What stands on the disk where a protected file does not exist, while a command runs in the sandbox: a mount needs
 * something to be mounted on.
 *
 * 1. A placeholder is an empty folder, so that git neither lists nor adds it, and removing it can't remove anything else.
 *    Exception: a file whose absence can't be imitated by a folder has a text that means the same as no file.
 * 2. It is recognised by its time of modification. So one that was left behind by a process that was killed is used, and
 *    removed, by the next command.
 * 3. It stays while any process has it mounted: removing it would lift the mount in every sandbox, also in that of another
 *    Thinkon, whose last command removes it. The kernel knows what is mounted; nobody else has to keep count.
 */
import { randomBytes } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { rmdir, unlink } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readFileText } from '../files/open-file.ts'
import { toolError } from './define-tool.ts'

/** The text of a file of git that means the same as no such file. */
const SAME_AS_NONE = new Map([
  ['commondir', '.\n'],
  ['config.worktree', '\n'],
])
/** No file was modified at this time: seconds since 1970. */
const MARK_S = 7_777_777
const WAIT_MS = 2_000
const EXIT_WAIT_MS = 300

/** Mounted in the sandboxes of this process, with a number, so that they can be told from others. */
const MARK = `/dev/thinkon-${process.pid}-${randomBytes(4).toString('hex')}`
let sandboxes = 0

export function nextSandboxMark(): string {
  return `${MARK}-${++sandboxes}`
}

/** The mounts of a living sandbox, as in /proc/self/mountinfo; null if there is none. */
export function mountsOfSandbox(mark: string): string | null {
  return otherMounts().find((mounts) => mounts.includes(mountPoint(mark))) ?? null
}

/** A path as it stands in /proc/self/mountinfo, between spaces. */
export function mountPoint(path: string): string {
  return ` ${path.replace(/[ \t\n\\]/g, octal)} `
}

/** How many commands of this process need it. */
const uses = new Map<string, number>()
/** Those that are on the way out: no new command may begin with one of them. */
const removing = new Set<string>()
let removal: Promise<unknown> = Promise.resolve()
let watching = false

/**
 * Creates a placeholder, or shares the one that is there. False if nobody may create anything there: then a command can't
 * either. Throws if it fails otherwise (a full disk), because a command might succeed later.
 */
export function holdPlaceholder(path: string, kind: 'folder' | 'file' = 'folder'): boolean {
  try {
    if (!isPlaceholder(path)) create(path, kind)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['EACCES', 'EPERM', 'EROFS'].includes(code)) return false
    // Another process was faster.
    if (code !== 'EEXIST') throw toolError(`${path} can't be protected from commands: ${code}`)
  }
  uses.set(path, (uses.get(path) ?? 0) + 1)
  removeAtExit()
  return true
}

function create(path: string, kind: 'folder' | 'file'): void {
  if (kind === 'folder') mkdirSync(path, { mode: 0o700 })
  else writeFileSync(path, SAME_AS_NONE.get(basename(path)) ?? '', { flag: 'wx' })
  utimesSync(path, MARK_S, MARK_S)
}

/** Whether a command of this process needs it now, or it is about to be gone. */
export function isHeld(path: string): boolean {
  return uses.has(path) || removing.has(path)
}

/** Whether it is one of ours, of this process or another. What only looks like one holds nothing that could be trusted. */
export function isPlaceholder(path: string): boolean {
  try {
    const stats = lstatSync(path)
    if (stats.mtimeMs !== MARK_S * 1000) return false
    if (stats.isDirectory()) return readdirSync(path).length === 0
    return stats.isFile() && readFileText(path) === SAME_AS_NONE.get(basename(path))
  } catch {
    return false
  }
}

/** Those that nobody uses any more are gone when this ends, unless a sandbox can't be ended. */
export async function releasePlaceholders(paths: readonly string[]): Promise<void> {
  const idle = paths.filter((path) => {
    const left = (uses.get(path) ?? 1) - 1
    if (left > 0) uses.set(path, left)
    else uses.delete(path)
    return left === 0
  })
  const until = performance.now() + WAIT_MS
  let user = mountedBy(idle)
  while (user === 'this process' && performance.now() < until) {
    await delay(5)
    user = mountedBy(idle)
  }
  if (user !== null) return
  const unused = idle.filter((path) => !uses.has(path))
  // All at once: a disk takes milliseconds for each.
  removal = Promise.all([removal, ...unused.map(remove)])
  await removal
}

/** To be awaited before placeholders are held. */
export async function placeholdersSettled(): Promise<void> {
  while (removing.size > 0) await removal
}

async function remove(path: string): Promise<void> {
  removing.add(path)
  try {
    // What was put into it meanwhile stays: then it is not empty.
    if (lstatSync(path).isDirectory()) await rmdir(path)
    else if (isPlaceholder(path)) await unlink(path)
  } catch {
    // It is gone, or in use.
  } finally {
    removing.delete(path)
  }
}

function removeNow(path: string): void {
  try {
    if (lstatSync(path).isDirectory()) rmdirSync(path)
    else if (isPlaceholder(path)) unlinkSync(path)
  } catch {
    // It is gone, or in use.
  }
}

/** Killed sandboxes take a moment to end, and must not see the mounts lifted before. */
function removeAtExit(): void {
  if (watching) return
  watching = true
  process.on('exit', () => {
    const paths = [...uses.keys(), ...removing]
    const until = performance.now() + EXIT_WAIT_MS
    while (mountedBy(paths) === 'this process' && performance.now() < until) sleep(10)
    if (mountedBy(paths) === null) paths.forEach(removeNow)
  })
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Whose sandboxes still have something mounted on one of them. Those of this process are ending. */
function mountedBy(paths: readonly string[]): 'this process' | 'another' | null {
  if (paths.length === 0) return null
  const points = paths.map(mountPoint)
  const all = otherMounts().filter((mounts) => points.some((point) => mounts.includes(point)))
  if (all.length === 0) return null
  return all.some((mounts) => mounts.includes(` ${MARK}-`)) ? 'this process' : 'another'
}

/** The mounts of every namespace but ours. */
function otherMounts(): string[] {
  const seen = new Map([[namespaceOf('self'), '']])
  for (const pid of readdirSync('/proc')) {
    const namespace = /^\d+$/.test(pid) ? namespaceOf(pid) : null
    if (namespace === null || seen.has(namespace)) continue
    const mounts = mountsOf(pid)
    // Null if the process is ending: another one of this namespace may not be.
    if (mounts !== null) seen.set(namespace, mounts)
  }
  return [...seen.values()]
}

function octal(char: string): string {
  return `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`
}

function namespaceOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`)
  } catch {
    return null
  }
}

function mountsOf(pid: string): string | null {
  try {
    return readFileText(`/proc/${pid}/mountinfo`)
  } catch {
    return null
  }
}
