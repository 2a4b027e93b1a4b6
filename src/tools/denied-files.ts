/**
 * Files of the workspace that the rules forbid to read: a command in the sandbox can't open them, even if it does not name them, as
 * `grep -r` does. They are looked for within the limits of find-trusted.ts.
 */
import type { Dirent } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { readCommand } from './approval/command.ts'
import { boundedFolders } from './find-trusted.ts'

/** Each is a mount, which makes the start of a command slower. */
const MAX_FILES = 200

export interface DeniedFiles {
  readonly folders: readonly string[]
  readonly files: readonly string[]
}

/** `isDenied` gets paths relative to the workspace. */
export function deniedFiles(workspace: string, isDenied: (path: string) => boolean): DeniedFiles {
  const folders: string[] = []
  const files: string[] = []
  const isHere = (entry: Dirent, folder: string) =>
    isDenied(relative(workspace, join(folder, entry.name)).replaceAll(sep, '/'))
  for (const { folder, entries } of boundedFolders(workspace, isHere)) {
    // What a link leads to is found where it is.
    const denied = entries.filter((entry) => (entry.isFile() || entry.isDirectory()) && isHere(entry, folder))
    for (const entry of denied) (entry.isFile() ? files : folders).push(join(folder, entry.name))
    if (files.length + folders.length >= MAX_FILES) break
  }
  return { folders, files }
}

/** Whether a command names a file: then the rules have decided about that, and this very command is allowed. */
export function commandNames(command: string, folder: string): (path: string) => boolean {
  const words = new Set(
    readCommand(command)
      .parts.flat()
      .map((word) => resolve(folder, word)),
  )
  return (path) => words.has(path)
}
