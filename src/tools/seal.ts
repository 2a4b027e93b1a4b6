/**
 * Makes the trusted files of a workspace read-only for a command in the sandbox.
 *
 * 1. What is at the top of the workspace can't be changed, replaced or created, nor the folders on the way to it moved:
 *    each of them is a mount, and a mount can't be renamed or removed.
 * 2. In folders below, what exists (within the limits of the search) can't be changed. Folders there can be moved and
 *    created, and what a command brings about in this way is reported when it has ended, and so is a change behind a link.
 * 3. A .thinkon folder is empty, except for what people write in it, which is read-only (own-files.ts).
 * 4. In a .git folder, the configuration, the hooks and what can lead git to others are read-only; the rest is writable, so
 *    that git works.
 */
import { basename, dirname, join, relative } from 'node:path'
import { homeFolder, isAtOrWithin, isWithin, lstatOf, realPathOf } from '../files/look.ts'
import { toolError } from './define-tool.ts'
import { findTrusted } from './find-trusted.ts'
import {
  gitFolderOf,
  gitFolders,
  hasWorktreeConfig,
  IN_GIT,
  namedByGit,
  POINTERS,
  subfolders,
} from './git-folders.ts'
import { authoredIn, OWN_FOLDER, stateFolderPath } from './own-files.ts'
import { holdPlaceholder, isHeld, isPlaceholder, mountPoint, releasePlaceholders } from './placeholders.ts'
import { isTrustedName, TRUSTED_FILES, TRUSTED_IN_HOME } from './trusted-files.ts'

export interface Seal {
  /** Arguments of bubblewrap, to follow the one that binds the workspace. */
  readonly mounts: readonly string[]
  /** Names at the top of the workspace that are seen inside although there is no such file. */
  readonly placeholders: readonly string[]
  /**
   * Throws if something else is mounted than was meant: another command in the workspace may have put a link in the place of
   * a folder in the meantime, and what it leads to must not be reached by way of a mount. `mounts` as in /proc/self/mountinfo.
   */
  verify(mounts: string): void
  /** To be called when the command has ended; gives the trusted files that appeared or changed, relative to the workspace. */
  release(): Promise<string[]>
}

/** Mounts below the top of the workspace: each makes the start of a command slower. */
const MAX_NESTED = 60

/** `workspace` is a real path. `kept`: further files whose folders must not be moved. */
export function sealTrusted(workspace: string, kept: readonly string[] = []): Seal {
  const before = findTrusted(workspace)
  const sealing = new Sealing(workspace)
  try {
    for (const name of topNames(workspace)) sealing.add(join(workspace, name), workspace)
    for (const path of [...before.keys()].slice(0, MAX_NESTED)) sealing.add(path, baseOf(path, workspace))
    for (const path of kept) sealing.keep(path)
    sealing.addState(stateFolderPath())
  } catch (error) {
    void releasePlaceholders(sealing.held)
    throw error
  }
  return {
    mounts: sealing.mounts(),
    placeholders: sealing.held.filter((path) => dirname(path) === workspace).map((path) => basename(path)),
    verify: (mounts) => sealing.verify(mounts),
    async release() {
      await releasePlaceholders(sealing.held)
      const changed = [...findTrusted(workspace)].filter(([path, state]) => before.get(path) !== state)
      return changed.map(([path]) => relative(workspace, path))
    },
  }
}

/** Removes what a Thinkon that was killed has left in a workspace, unless a command is still running there. */
export async function removeLeftPlaceholders(folder: string): Promise<void> {
  const workspace = realPathOf(folder)
  if (workspace === null) return
  const names = [...topNames(workspace), ...IN_GIT.map((name) => `.git/${name}`)]
  const paths = names.map((name) => join(workspace, name))
  await releasePlaceholders(paths.filter((path) => isPlaceholder(path) && !isHeld(path)))
}

/** `.github/workflows` can't be replaced by moving `.github`, nor a repository's `config` by moving the repository. */
function baseOf(path: string, workspace: string): string {
  const folder = dirname(path)
  return folder === workspace || isTrustedName(basename(path)) ? folder : dirname(folder)
}

function topNames(workspace: string): string[] {
  const always = TRUSTED_FILES.filter(({ evenMissing }) => evenMissing).map(({ name }) => name)
  return workspace === realHome() ? [...always, ...TRUSTED_IN_HOME] : always
}

function realHome(): string | null {
  return realPathOf(process.env.HOME ?? homeFolder())
}

class Sealing {
  /** Placeholders that are to be released. */
  readonly held: string[] = []
  /** Folders that must not be moved, but stay writable. */
  private readonly anchored = new Set<string>()
  private readonly readOnly = new Set<string>()
  /** Folders of which only files in `readOnly` are seen. */
  private readonly hidden = new Set<string>()
  private readonly workspace: string

  constructor(workspace: string) {
    this.workspace = workspace
  }

  /** No folder between `base` and the path can be moved. */
  add(path: string, base: string): void {
    if (this.isSealed(path)) return
    const stats = lstatOf(path)
    if (stats === null) this.addMissing(path, base)
    else if (isPlaceholder(path)) this.hold(path)
    else if (stats.isSymbolicLink()) this.addTarget(path)
    else if (path.endsWith('/.git') && stats.isDirectory()) this.addGit(path, base)
    else if (path.endsWith(`/${OWN_FOLDER}`) && stats.isDirectory()) this.addOwn(path, base)
    else this.addExisting(path, base)
    if (path.endsWith('/.git') && stats?.isFile()) this.addGitFile(path)
  }

  /** It stays where it is: in a moved folder, no rule would know it any more. */
  keep(path: string): void {
    for (let at = dirname(path); isWithin(this.workspace, at); at = dirname(at))
      if (!this.isSealed(at)) this.anchored.add(at)
  }

  mounts(): string[] {
    const all = [
      ...[...this.anchored].map((path) => ({ path, args: ['--bind', path, path] })),
      ...[...this.readOnly].map((path) => ({ path, args: ['--ro-bind', path, path] })),
      ...[...this.hidden].map((path) => ({ path, args: ['--tmpfs', path] })),
      // Not the placeholder itself: another process may remove it before it is mounted, and then bubblewrap creates it.
      ...this.held
        .filter((path) => !this.readOnly.has(path))
        .map((path) => ({ path, args: ['--tmpfs', path, '--remount-ro', path] })),
    ]
    // A folder before what is in it; otherwise it would cover that.
    const sorted = all.sort((a, b) => (a.path < b.path ? -1 : 1)).flatMap(({ args }) => args)
    // Last: until then, what is seen in them is mounted there.
    return [...sorted, ...[...this.hidden].flatMap((path) => ['--remount-ro', path])]
  }

  verify(mounts: string): void {
    const rows = mounts.split('\n').map((row) => row.split(' '))
    const rootsOf = (path: string) => {
      const point = mountPoint(path).trim()
      return rows.filter((row) => row[4] === point).map((row) => row[3])
    }
    const root = rootsOf(this.workspace).at(-1)
    const isMeant = (path: string) => {
      const below = mountPoint(path.slice(this.workspace.length)).trim()
      return rootsOf(path).includes(`${root === '/' ? '' : root}${below}`)
    }
    const isRight =
      [...this.anchored, ...this.readOnly].every(isMeant) &&
      [...this.held, ...this.hidden].every((path) => rootsOf(path).length > 0)
    if (!isRight) throw toolError('the workspace was changed while the sandbox was set up: try again')
  }

  private isSealed(path: string): boolean {
    return [...this.held, ...this.readOnly, ...this.hidden].some((one) => isAtOrWithin(one, path))
  }

  private addExisting(path: string, base: string): void {
    this.anchor(path, base)
    this.anchored.delete(path)
    this.readOnly.add(path)
  }

  /** The state folder in the workspace can't be created. One that exists is hidden (secret-files.ts), and stays where it is. */
  addState(path: string): void {
    if (!isWithin(this.workspace, path)) return
    if (lstatOf(path) === null) this.add(path, this.workspace)
    else this.keep(path)
  }

  private addOwn(path: string, base: string): void {
    this.anchor(path, base)
    this.anchored.delete(path)
    this.hidden.add(path)
    for (const authored of authoredIn(path)) this.readOnly.add(authored)
  }

  private addMissing(path: string, base: string): void {
    let top = path
    const isMissing = (folder: string) => lstatOf(folder) === null || isPlaceholder(folder)
    while (dirname(top) !== base && isMissing(dirname(top))) top = dirname(top)
    if (lstatOf(dirname(top))?.isDirectory() !== true) return
    this.anchor(top, base)
    this.hold(top)
  }

  private hold(path: string, kind?: 'file'): void {
    if (!this.held.includes(path) && holdPlaceholder(path, kind)) this.held.push(path)
  }

  private holdMissing(file: string): void {
    if (lstatOf(file) === null || isPlaceholder(file)) this.hold(file, 'file')
    if (this.held.includes(file)) this.readOnly.add(file)
  }

  /** A link itself can't be mounted on; what it leads to can, if it is in the workspace. */
  private addTarget(path: string): void {
    const target = realPathOf(path)
    if (target === null || !isWithin(this.workspace, target)) return
    const stats = lstatOf(target)
    if (stats?.isDirectory() && target.endsWith('/.git')) this.addGit(target, dirname(target))
    else if (stats?.isDirectory() && path.endsWith(`/${OWN_FOLDER}`)) this.addOwn(target, dirname(target))
    else this.addExisting(target, dirname(target))
  }

  private anchor(path: string, base: string): void {
    for (let at = dirname(path); at !== base && isWithin(base, at); at = dirname(at)) this.anchored.add(at)
  }

  private addGit(folder: string, base: string): void {
    this.anchor(join(folder, 'x'), base)
    // It leads to another configuration and other hooks. An empty one is an error, `.` the same as none.
    const common = join(folder, 'commondir')
    // Only here is there no way for another command to have a placeholder created elsewhere, behind a link.
    if (folder === join(this.workspace, '.git')) {
      this.holdMissing(common)
      if (hasWorktreeConfig(folder)) this.holdMissing(join(folder, 'config.worktree'))
      this.add(join(folder, 'hooks'), base)
      this.add(join(folder, 'config'), base)
      for (const path of namedByGit(folder))
        if (isWithin(this.workspace, path)) this.add(path, this.workspace)
    }
    if (lstatOf(common) !== null) this.readOnly.add(common)
    this.addSome(folder, ['hooks', 'config', 'config.worktree'], base)
    for (const worktree of subfolders(join(folder, 'worktrees'))) this.addSome(worktree, POINTERS, base)
    for (const module of gitFolders(join(folder, 'modules'))) this.addGit(module, base)
  }

  /** Those that exist. */
  private addSome(folder: string, names: readonly string[], base: string): void {
    for (const name of names) if (lstatOf(join(folder, name)) !== null) this.add(join(folder, name), base)
  }

  /** Of a worktree or a submodule. */
  private addGitFile(path: string): void {
    const folder = gitFolderOf(path)
    if (folder === null || !isWithin(this.workspace, folder)) return
    if (lstatOf(join(folder, 'commondir')) !== null && lstatOf(join(folder, 'config')) === null) {
      this.addSome(folder, POINTERS, this.workspace)
    } else this.addGit(folder, this.workspace)
  }
}
