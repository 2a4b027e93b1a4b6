/**
 * The workspace: the one folder that file tools reach.
 *
 * 1. No path leads out of it: neither `..`, nor an absolute path, nor a link, even if the file does not exist yet.
 * 2. A path is its real path. One that contains a link or is spelled in another case is refused, and the error names the
 *    real one, so that what a policy decided about is what is touched.
 * 3. `.thinkon` (journals) and `.git` (hooks run as the user) are never written to. Thinkon's own state is neither read nor listed
 *    (own-files.ts).
 * 4. What was checked is what is opened: a link that appears between the check and the use is noticed. On Linux this holds
 *    against any race, because files are opened relative to the folder's open handle; elsewhere paths are checked again.
 * 5. Writing replaces a file and never modifies it, so the other names of a hard-linked file keep the old text. Whether a
 *    file that is read is hard-linked from outside can't be detected.
 * 6. Files of SQLite databases that this process has open are not opened, listed or replaced, whatever their name
 *    (files/open-databases.ts): closing them would release SQLite's locks.
 */

import { randomBytes } from 'node:crypto'
import { constants, type Dirent, existsSync, readlinkSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { isAtOrWithin, lstatOf, realPathOf } from '../files/look.ts'
import { isDatabasePath, isOpenDatabase } from '../files/open-databases.ts'
import { type OpenFile, openFile, readAtMost } from '../files/open-file.ts'
import { shorten } from '../protocol/index.ts'
import { toolError } from './define-tool.ts'
import { ownStateIn } from './own-files.ts'
import { isHeld } from './placeholders.ts'
import { plain } from './trusted-files.ts'
import type { WorkspacePath } from './workspace-path.ts'

export type { WorkspacePath } from './workspace-path.ts'

const PROTECTED = ['.thinkon', '.git']

export async function insideWorkspace(
  workspace: string,
  path: string,
  use: 'read' | 'write' = 'read',
): Promise<WorkspacePath> {
  if (path.includes('\0')) throw toolError('a path must not contain a NUL character')
  const root = await realWorkspace(workspace)
  const target = resolve(root, fromRoot(workspace, root, path))
  if (!isAtOrWithin(root, target)) throw outside(path)
  const real = await realTarget(target, path)
  if (!isAtOrWithin(root, real)) throw outside(path)
  const name = relative(root, real).replaceAll(sep, '/') || '.'
  if (real !== target) throw toolError(`${path} is another name for ${name}: use that path`, { path: name })
  const place: WorkspacePath = { root, real, name }
  if (use === 'write') refuseProtected(place)
  if (ownStateIn(root)(real)) throw ownState(place)
  if (isDatabasePath(real)) throw databaseInUse(place)
  return place
}

/** A whole regular file. Throws for a folder, a pipe or a device, and for more than `maxBytes`. */
export async function readInside(
  place: WorkspacePath,
  maxBytes: number,
): Promise<{ bytes: Buffer; stats: FileVersion }> {
  const file = openVerified(place)
  try {
    const { stats } = file
    if (stats.isDirectory()) throw toolError(`${place.name} is a folder`)
    if (!stats.isFile()) throw toolError(`${place.name} is not a regular file`)
    const size = Number(stats.size)
    if (size > maxBytes) throw tooLarge(place, size, maxBytes)
    // The size may have changed since, and files in /proc have none.
    const bytes = await readAtMost(file, maxBytes + 1)
    if (bytes.length > maxBytes) throw tooLarge(place, bytes.length, maxBytes)
    return { bytes, stats: { ino: stats.ino, mtimeNs: stats.mtimeNs, size: stats.size } }
  } finally {
    file.close()
  }
}

/** Identifies a state of a file: another one means that the file was changed or replaced. */
export interface FileVersion {
  readonly ino: bigint
  readonly mtimeNs: bigint
  readonly size: bigint
}

export async function readFolder(place: WorkspacePath): Promise<Dirent[]> {
  const file = openVerified(place, constants.O_DIRECTORY)
  const isOwnState = ownStateIn(place.root)
  try {
    const entries = await readdir(descriptorPath(file.descriptor, place.real), { withFileTypes: true })
    return entries.filter(({ name }) => {
      const path = join(place.real, name)
      return !isHeld(path) && !isDatabasePath(path) && !isOwnState(path)
    })
  } finally {
    file.close()
  }
}

/**
 * Writes the whole file or nothing, and creates missing folders. With `unchangedSince`, refuses if the file is not the one
 * that was read.
 */
export async function writeInside(
  place: WorkspacePath,
  content: string | Uint8Array,
  unchangedSince?: FileVersion,
): Promise<{ created: boolean }> {
  return inFolder(place, async (path, folder) => {
    const temporary = join(dirname(path), `.tmp-${randomBytes(8).toString('hex')}`)
    try {
      const before = await existing(path)
      if (before !== null && !before.isFile()) throw notWritable(place, before)
      await refuseDatabase(place, path)
      const file = await open(temporary, 'wx', before === null ? 0o666 : before.mode & 0o777)
      try {
        await file.writeFile(content)
        if (before !== null) await keepOwner(file, before)
        await file.sync()
      } finally {
        await file.close()
      }
      if (unchangedSince !== undefined) await refuseChanged(place, path, unchangedSince)
      await rename(temporary, path)
      await folder.sync().catch(() => {}) // not every file system supports it
      return { created: before === null }
    } catch (error) {
      await unlink(temporary).catch(() => {})
      throw error
    }
  })
}

export async function removeInside(place: WorkspacePath, unchangedSince: FileVersion): Promise<void> {
  await inFolder(place, async (path) => {
    await refuseDatabase(place, path)
    await refuseChanged(place, path, unchangedSince)
    await unlink(path)
  })
}

/** `path` leads to the file through the folder's open handle. */
async function inFolder<T>(
  place: WorkspacePath,
  change: (path: string, folder: FileHandle) => Promise<T>,
): Promise<T> {
  refuseProtected(place)
  const folder = await openFolder(place)
  try {
    return await change(join(descriptorPath(folder.fd, dirname(place.real)), basename(place.real)), folder)
  } catch (error) {
    throw failure(error, place)
  } finally {
    await folder.close()
  }
}

const writing = new Map<string, Promise<unknown>>()

/** One writer at a time per workspace: of two concurrent edits of a file, one would be lost. */
export async function oneWriter<T>(workspace: string, write: () => Promise<T>): Promise<T> {
  const before = writing.get(workspace)
  const mine = (before ?? Promise.resolve()).then(write, write)
  writing.set(workspace, mine)
  try {
    return await mine
  } finally {
    if (writing.get(workspace) === mine) writing.delete(workspace)
  }
}

async function realWorkspace(workspace: string): Promise<string> {
  try {
    return await realpath(workspace)
  } catch (error) {
    throw toolError(`the workspace ${workspace} can't be used: ${codeOf(error)}`)
  }
}

/** An absolute path that begins with the workspace's given name, which may contain a link, relative to its root. */
function fromRoot(workspace: string, root: string, path: string): string {
  const given = resolve(workspace)
  const target = resolve(given, path)
  return isAtOrWithin(given, target) ? join(root, relative(given, target)) : target
}

/** The real path; of what does not exist, the real path of the closest folder that does, plus the rest. */
async function realTarget(target: string, path: string): Promise<string> {
  const rest: string[] = []
  for (let at = target; ; at = dirname(at)) {
    try {
      return join(await realpath(at), ...rest)
    } catch (error) {
      const code = codeOf(error)
      if (code !== 'ENOENT') throw toolError(unreachable(path, code))
      // A dangling link: writing to it would create its target, wherever that is.
      if ((await existing(at))?.isSymbolicLink())
        throw toolError(`${path} is a link to something that does not exist`)
    }
    rest.unshift(basename(at))
  }
}

function unreachable(path: string, code: string | undefined): string {
  if (code === 'ELOOP') return `${path} is a loop of links`
  if (code === 'ENAMETOOLONG') return `${shorten(path, 80)} is too long`
  if (code === 'ENOTDIR') return `${path}: one of its folders is a file`
  return `${path} can't be reached: ${code}`
}

function refuseProtected({ name }: WorkspacePath): void {
  const found = name.split('/').find((part) => PROTECTED.includes(plain(part)))
  if (found !== undefined) throw toolError(`${found}/ is not writable by tools`, { protected: PROTECTED })
}

function openVerified(place: WorkspacePath, flags = 0): OpenFile {
  let file: OpenFile
  try {
    file = openFile(place.real, flags | constants.O_NOFOLLOW)
  } catch (error) {
    throw failure(error, place)
  }
  if (isStill(place, file)) return file
  file.close()
  throw toolError(`${place.name} was replaced by a link while it was opened`)
}

function isStill({ real }: WorkspacePath, { descriptor, stats }: OpenFile): boolean {
  if (HAS_DESCRIPTOR_PATHS) return readlinkSync(`/proc/self/fd/${descriptor}`) === real
  const now = lstatOf(real)
  return Number(stats.ino) === now?.ino && Number(stats.dev) === now.dev && realPathOf(real) === real
}

/** Opens the folder of a file, created if necessary, from the root down over open handles. */
async function openFolder(place: WorkspacePath): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  let path = place.root
  let folder = await open(path, flags)
  try {
    for (const part of relative(place.root, dirname(place.real)).split(sep).filter(Boolean)) {
      const at = join(descriptorPath(folder.fd, path), part)
      await mkdir(at).catch((error) => {
        if (codeOf(error) !== 'EEXIST') throw error
      })
      const next = await open(at, flags)
      await folder.close()
      folder = next
      path = join(path, part)
    }
    if (!HAS_DESCRIPTOR_PATHS && (await realpath(path)) !== path)
      throw toolError(`${place.name} was replaced by a link`)
    return folder
  } catch (error) {
    await folder.close()
    throw failure(error, place)
  }
}

const HAS_DESCRIPTOR_PATHS = process.platform === 'linux' && existsSync('/proc/self/fd')

/** A path to the open folder itself, wherever it was moved and whatever is in its place now. */
function descriptorPath(descriptor: number, path: string): string {
  return HAS_DESCRIPTOR_PATHS ? `/proc/self/fd/${descriptor}` : path
}

async function existing(path: string): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null
    throw error
  }
}

async function refuseChanged(place: WorkspacePath, path: string, since: FileVersion): Promise<void> {
  const now = await lstat(path, { bigint: true }).catch(() => null)
  if (now?.ino === since.ino && now.mtimeNs === since.mtimeNs && now.size === since.size) return
  throw toolError(`${place.name} was changed by someone else in the meantime: read it again`)
}

/** A hard link to a file of an open database: replacing it would not harm the database, but is never intended. */
async function refuseDatabase(place: WorkspacePath, path: string): Promise<void> {
  const now = await lstat(path, { bigint: true }).catch(() => null)
  if (isDatabasePath(place.real) || (now !== null && isOpenDatabase(now))) throw databaseInUse(place)
}

/** If we run as root, a new file would belong to root. */
async function keepOwner(file: FileHandle, before: Stats): Promise<void> {
  await file.chmod(before.mode & 0o777)
  if (before.uid !== process.getuid?.()) await file.chown(before.uid, before.gid).catch(() => {})
}

function notWritable(place: WorkspacePath, stats: Stats): Error {
  if (isHeld(place.real))
    return toolError(`${place.name} can't be created while a command runs in the sandbox: try again later`)
  if (stats.isDirectory()) return toolError(`${place.name} is a folder`)
  if (stats.isSymbolicLink()) return toolError(`${place.name} was replaced by a link`)
  return toolError(`${place.name} is not a regular file`)
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: "can't be accessed: permission denied",
  EPERM: "can't be accessed: permission denied",
  ELOOP: 'was replaced by a link',
  ENOTDIR: 'is not in a folder, or is not one',
  EISDIR: 'is a folder',
  ENOSPC: "can't be written: the disk is full",
  EROFS: 'is on a read-only disk',
  EBUSY: 'is a file of a database that Thinkon has open: tools can not use it',
  ENXIO: 'is not a regular file',
  ENAMETOOLONG: 'is too long',
}

/** A system error as a tool error that names the path as the model knows it. */
function failure(error: unknown, place: WorkspacePath): unknown {
  const code = codeOf(error)
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return error
  return toolError(`${place.name} ${REASONS[code] ?? `failed with ${code}`}`, { errno: code })
}

function ownState({ name }: WorkspacePath): Error {
  const message = `${name} belongs to Thinkon itself: tools can't use it; in .thinkon they can read executors and blueprints`
  return toolError(message, { path: name })
}

function databaseInUse(place: WorkspacePath): Error {
  return failure({ code: 'EBUSY' }, place) as Error
}

function tooLarge(place: WorkspacePath, size: number, maxBytes: number): Error {
  return toolError(`${place.name} has ${size} bytes, more than the limit of ${maxBytes}`, { size, maxBytes })
}

function outside(path: string): Error {
  return toolError(`${path} is outside the workspace`, { path })
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
