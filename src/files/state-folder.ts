/**
 * The folder for state that grants rights: trust records, keys, tokens, webhook deliveries, cluster addresses. It belongs to the user and is
 * never part of a workspace, because models read workspaces and repositories bring files into them.
 *
 * 1. Folders have mode 0700, files 0600.
 * 2. A folder or file that is a link, belongs to another user, or can be written by others is refused: its content may be another user's.
 */
import { createHash } from 'node:crypto'
import { chmodSync, closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { errorText, ThinkonError } from '../protocol/errors.ts'
import { homeFolder, lstatOf, realPathOf } from './look.ts'
import { createFile, makeFolders } from './private-files.ts'

const WORKSPACES = 'workspaces'
const STORES = 'stores'
const WRITABLE_BY_OTHERS = 0o022
const OPEN_TO_OTHERS = 0o077
const PRIVATE_FOLDER = 0o700

/**
 * `$THINKON_STATE`, or `$XDG_STATE_HOME/thinkon`, or `~/.local/state/thinkon` (on Windows `%LOCALAPPDATA%\thinkon`). Relative paths are
 * ignored, as the XDG specification requires: they would depend on the current folder.
 */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { THINKON_STATE: own = '', XDG_STATE_HOME: shared = '', LOCALAPPDATA: local = '' } = env
  if (isAbsolute(own)) return own
  if (isAbsolute(shared)) return join(shared, 'thinkon')
  if (process.platform === 'win32' && isAbsolute(local)) return join(local, 'thinkon')
  return join(homeFolder(), '.local', 'state', 'thinkon')
}

/** The state of one workspace, named after the hash of its real path, so that moved or linked folders don't share state by name. */
export function workspaceState(workspace: string): string {
  return join(stateFolder(), WORKSPACES, hashOf(realPathOf(workspace) ?? workspace))
}

/** The state of one store as it is used in one workspace. `store` is a file, or the name of a store that is not a file. */
export function storeState(workspace: string, store: string): string {
  return join(workspaceState(workspace), STORES, hashOf(realFileOf(store)))
}

/**
 * Makes a folder at or below the state folder, and checks each level. Returns it. Throws STORE_IO, with the reason and what to set, if it
 * cannot be made or is not the user's alone.
 */
export function openState(folder: string = stateFolder()): string {
  for (const level of levelsTo(folder)) {
    try {
      makeFolders(level)
    } catch (cause) {
      throw unwritable(level, cause)
    }
    if (!isUsable(level)) throw refused(level, 'does not exist')
  }
  return folder
}

/** The text of a file below the state folder; null if there is none. Throws STORE_IO if it, or a folder of its path, is not the user's alone. */
export function readState(file: string): string | null {
  if (!levelsTo(dirname(file)).every(isUsable)) return null
  const fd = openForReading(file)
  if (fd === null) return null
  try {
    const stats = fstatSync(fd)
    const problem = stats.isFile() ? problemOf(stats) : 'is not a file'
    if (problem !== null) throw refused(file, problem)
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

/** The text of a file that is made once, in a folder that `openState` has returned. If several processes make it at the same time, the first one wins. */
export function onceInState(file: string, make: () => string): string {
  const found = readState(file)
  if (found !== null) return found
  try {
    createFile(file, make())
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(file, cause)
  }
  return readState(file) ?? ''
}

/** The state folder and the folders below it that lead to this one. */
function levelsTo(folder: string): string[] {
  const root = stateFolder()
  const names = relative(root, folder).split(sep).filter(Boolean)
  return [root, ...names.map((_, at) => join(root, ...names.slice(0, at + 1)))]
}

/** False if the folder does not exist. Tightens one that others can read; throws STORE_IO if it is not the user's alone. */
function isUsable(folder: string): boolean {
  const stats = lstatOf(folder)
  if (stats === null) return false
  const problem = folderProblem(stats)
  if (problem !== null) throw refused(folder, problem)
  if (hasModes() && (stats.mode & OPEN_TO_OTHERS) !== 0) chmodSync(folder, PRIVATE_FOLDER)
  return true
}

function folderProblem(stats: Stats): string | null {
  if (stats.isSymbolicLink()) return 'is a link'
  if (!stats.isDirectory()) return 'is not a folder'
  return problemOf(stats)
}

function problemOf({ uid, mode }: Stats): string | null {
  if (!hasModes()) return null
  if (uid !== process.getuid?.()) return 'belongs to another user'
  return (mode & WRITABLE_BY_OTHERS) === 0 ? null : 'can be written by others'
}

/** Windows has neither user ids nor modes. */
function hasModes(): boolean {
  return process.getuid !== undefined
}

/** Links are not followed. */
function openForReading(file: string): number | null {
  try {
    return openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code === 'ELOOP') throw refused(file, 'is a link')
    throw unusable(`${file} can't be read: ${errorText(cause)}`, file, cause)
  }
}

function refused(path: string, problem: string): ThinkonError {
  return unusable(`${path} ${problem}`, path)
}

function unwritable(path: string, cause: unknown): ThinkonError {
  return unusable(`${path} can't be made: ${errorText(cause)}`, path, cause)
}

function unusable(why: string, path: string, cause?: unknown): ThinkonError {
  return new ThinkonError(
    'STORE_IO',
    `the folder for keys and tokens can't be used: ${why}. Set THINKON_STATE to a folder that only you can write`,
    { cause, data: { path } },
  )
}

/** Of a file that may not exist yet. Names of stores that are not files stay as they are. */
function realFileOf(file: string): string {
  if (!isAbsolute(file)) return file
  return realPathOf(file) ?? join(realPathOf(dirname(file)) ?? dirname(file), basename(file))
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
