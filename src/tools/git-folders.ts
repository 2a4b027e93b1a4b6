/** Where git's settings are: what a repository's own files say of other folders. */
import { dirname, join, resolve } from 'node:path'
import { entriesOf, homeFolder, lstatOf, realPathOf, textOf } from '../files/look.ts'

/** What leads from a worktree to its repository. */
export const POINTERS: readonly string[] = ['commondir', 'gitdir', 'config.worktree']

/** What is executed or trusted in a repository's folder. */
export const IN_GIT: readonly string[] = ['config', 'hooks', 'commondir', 'config.worktree']

const MAX_CONFIGS = 20

/** Folders of hooks and further configurations that a repository's configuration names, and those that these name. */
export function namedByGit(folder: string): string[] {
  const named = new Set<string>()
  const configs = ['config', 'config.worktree'].map((name) => join(folder, name))
  const ofUser = ['.gitconfig', '.config/git/config'].map((name) => join(homeFolder(), name))
  for (const config of [...configs, ...ofUser]) readConfig(config)
  return [...named]

  function readConfig(config: string): void {
    for (const [, key = '', value = ''] of textOf(config).matchAll(NAMES_A_PATH)) {
      const isInclude = key.toLowerCase() === 'path'
      const path = resolve(isInclude ? dirname(config) : dirname(folder), expanded(value))
      if (named.has(path) || named.size >= MAX_CONFIGS) continue
      named.add(path)
      if (isInclude) readConfig(path)
    }
  }
}

function expanded(value: string): string {
  const path = value.trim().replace(/^"|"$/g, '')
  return path.replace(/^~(?=\/)/, homeFolder())
}

/** core.hooksPath, include.path and includeIf.*.path, also in the line of their section, with a comment after them. */
const NAMES_A_PATH = /(?:^|\])[ \t]*(hookspath|path)[ \t]*=[ \t]*("[^"\n]+"|[^\s#;"][^\n#;]*)/gim

/** Whether its config.worktree counts. */
export function hasWorktreeConfig(folder: string): boolean {
  return /(?:^|\])[ \t]*worktreeconfig[ \t]*(?:$|[#;]|=[ \t]*"?(?:true|yes|on|[1-9]))/im.test(
    textOf(join(folder, 'config')),
  )
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
