import { type Dirent, lstatSync, readlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { entriesOf } from '../files/look.ts'
import { gitFolders, IN_GIT, POINTERS, subfolders } from './git-folders.ts'
import { isPlaceholder } from './placeholders.ts'
import { isTrustedName } from './trusted-files.ts'

const MAX_FOLDERS = 400
const MAX_DEPTH = 5
const SKIPPED = ['node_modules', 'objects', '.cache', '.venv', 'target']
/** A folder with these is a repository, whatever its name. */
const BARE = ['HEAD', 'objects', 'refs']

/** Trusted files below the workspace, each with what tells whether it was changed. */
export function findTrusted(workspace: string): Map<string, string> {
  const found: string[] = []
  const isTrusted = (entry: Dirent, folder: string) => isTrustedName(entry.name, basename(folder))
  for (const { folder, entries } of boundedFolders(workspace, isTrusted)) {
    const trusted = entries.filter((entry) => isTrusted(entry, folder))
    found.push(...trustedIn(folder, entries, trusted))
  }
  const states = found.map((path) => [path, stateOf(path)] as const)
  return new Map(states.filter((entry): entry is [string, string] => entry[1] !== null))
}

/** The workspace and folders in it, breadth first, within limits; not those that are to be left alone. */
export function* boundedFolders(
  workspace: string,
  isLeft: (entry: Dirent, folder: string) => boolean,
): Generator<{ folder: string; entries: readonly Dirent[] }> {
  const open = [{ folder: workspace, depth: 1 }]
  for (let i = 0; i < open.length && i < MAX_FOLDERS; i++) {
    const { folder, depth } = open[i] as (typeof open)[number]
    const entries = entriesOf(folder)
    yield { folder, entries }
    if (depth === MAX_DEPTH) continue
    const below = entries.filter((entry) => entry.isDirectory() && !SKIPPED.includes(entry.name))
    for (const entry of below) {
      if (!isLeft(entry, folder)) open.push({ folder: join(folder, entry.name), depth: depth + 1 })
    }
  }
}

function trustedIn(folder: string, entries: readonly Dirent[], trusted: readonly Dirent[]): string[] {
  const isBare = BARE.every((name) => entries.some((entry) => entry.name === name))
  return [
    ...trusted.map(({ name }) => join(folder, name)),
    ...(trusted.some((entry) => entry.name === '.git' && entry.isDirectory())
      ? trustedInGit(join(folder, '.git'))
      : []),
    ...(isBare ? trustedInGit(folder) : []),
  ]
}

/** It is looked at again after the command, because something may have been put in its place. */
function trustedInGit(folder: string): string[] {
  const repositories = [folder, ...gitFolders(join(folder, 'modules'))]
  return [
    ...repositories.flatMap((one) => IN_GIT.map((name) => join(one, name))),
    ...subfolders(join(folder, 'worktrees')).flatMap((one) => POINTERS.map((name) => join(one, name))),
  ]
}

/** Null if there is nothing, or only a placeholder. */
function stateOf(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || isPlaceholder(path)) return null
  if (stats.isSymbolicLink()) return `link ${readlinkSync(path)}`
  // Unlike the time of modification, that of the last change can't be set.
  return stats.isFile() ? `file ${stats.ino} ${stats.size} ${stats.ctimeMs}` : `folder ${stats.ino}`
}
