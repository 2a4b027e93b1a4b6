/**
 * Thinkon's own files: journals and memories in `.thinkon`, and the state folder. They contain other runs, and state that grants rights, so
 * they are hidden from tools and from commands in the sandbox. What people write into `.thinkon` can be read.
 */
import { basename, dirname, join, relative, sep } from 'node:path'
import { entriesOf, isAtOrWithin, isWithin, lstatOf, realPathOf } from '../files/look.ts'
import { openDatabasePaths } from '../files/open-databases.ts'
import { stateFolder } from '../files/state-folder.ts'
import { plain } from './trusted-files.ts'

export const OWN_FOLDER = '.thinkon'
/** In `.thinkon`. */
const AUTHORED = /^(?:executors(?:\..*)?|blueprints)$/

/** Which paths of a workspace are hidden. All are real paths; a `.thinkon` itself can be listed. */
export function ownStateIn(workspace: string): (path: string) => boolean {
  const state = stateFolderPath()
  const linked = realPathOf(join(workspace, OWN_FOLDER))
  return (path) =>
    isAtOrWithin(state, path) ||
    (linked !== null && isHiddenBelow(linked, path)) ||
    isHiddenBelow(ownFolderOf(workspace, path), path)
}

/** The state folder by its real path, also if it does not exist yet. */
export function stateFolderPath(): string {
  const path = stateFolder()
  return realPathOf(path) ?? join(realPathOf(dirname(path)) ?? dirname(path), basename(path))
}

/** The first `.thinkon` on the way to a path; the path itself if there is none. */
function ownFolderOf(workspace: string, path: string): string {
  const parts = relative(workspace, path).split(sep)
  const at = parts.findIndex((part) => plain(part) === OWN_FOLDER)
  return at === -1 ? path : join(workspace, ...parts.slice(0, at + 1))
}

function isHiddenBelow(own: string, path: string): boolean {
  if (!isWithin(own, path)) return false
  const [name = ''] = relative(own, path).split(sep)
  return !AUTHORED.test(plain(name))
}

/** Files and folders of a `.thinkon` that people write. Links are left out: they may lead anywhere. */
export function authoredIn(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => AUTHORED.test(plain(entry.name)) && (entry.isDirectory() || entry.isFile()))
    .map(({ name }) => join(folder, name))
}

/** Files in the workspace of databases that this process has open, outside `.thinkon` too. */
export function databaseFilesIn(workspace: string): string[] {
  const isOwnState = ownStateIn(workspace)
  return openDatabasePaths()
    .filter((path) => isWithin(workspace, path) && !isOwnState(path))
    .flatMap((path) => ['', '-wal', '-shm'].map((end) => path + end))
    .filter((path) => lstatOf(path)?.isFile())
}
