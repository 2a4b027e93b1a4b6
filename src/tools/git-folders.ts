/** Where git's settings are: what a repository's own files say of other folders. */
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { entriesOf, lstatOf, realPathOf, textOf } from '../files/look.ts'

/** What leads from a worktree to its repository. */
export const POINTERS: readonly string[] = ['commondir', 'gitdir', 'config.worktree']

/** Folders of hooks and further configurations that a .git/config names. */
export function namedByGit(folder: string): string[] {
  const config = textOf(join(folder, 'config'))
  const named = [...config.matchAll(/^\s*(hookspath|path)\s*=\s*"?([^"\n]+?)"?\s*$/gim)]
  return named.map(([, key, path]) => {
    const expanded = (path as string).replace(/^~(?=\/)/, homedir())
    if (isAbsolute(expanded)) return resolve(expanded)
    return resolve(key?.toLowerCase() === 'path' ? folder : dirname(folder), expanded)
  })
}

/** Where the `.git` file of a worktree or a submodule leads to: `gitdir: <path>`. */
export function gitFolderOf(gitFile: string): string | null {
  const named = /^gitdir: (.+)$/m.exec(textOf(gitFile))?.[1]
  return named === undefined ? null : realPathOf(resolve(dirname(gitFile), named.trim()))
}

/** Repositories of submodules, whose names may contain slashes. */
export function gitFolders(folder: string, depth = 0): string[] {
  if (depth > 3) return []
  return subfolders(folder).flatMap((path) =>
    lstatOf(join(path, 'HEAD')) === null ? gitFolders(path, depth + 1) : [path],
  )
}

export function subfolders(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
}
