import { posix } from 'node:path'
import type { ToolIo } from '../kernel/tool.ts'
import { readFolder, type WorkspacePath } from './workspace.ts'

/** Left out unless asked for: large, or not written by the user. */
export const IGNORED = ['.git', 'node_modules', '.thinkon']
/** The maximum number of entries in one walk. */
const MAX_WALKED = 200_000

export interface Found {
  readonly place: WorkspacePath
  readonly isFolder: boolean
}

export interface WalkOptions {
  /** 1 means the folder's direct entries. */
  readonly maxDepth: number
  readonly includeIgnored: boolean
  /** What it may not read is neither listed nor entered. */
  readonly permits: ToolIo['permits']
  readonly signal?: AbortSignal
}

/** Files and folders below a folder, sorted by name, each folder before its contents. Links are neither followed nor listed. */
export async function* walk(start: WorkspacePath, options: WalkOptions): AsyncGenerator<Found> {
  const open: (Found & { depth: number })[] = []
  const push = async (folder: WorkspacePath, depth: number) => {
    const found = await visibleEntries(folder, options)
    for (const entry of found.reverse()) open.push({ ...entry, depth }) // the last is taken first
  }
  await push(start, 1)
  let walked = 0
  for (let next = open.pop(); next !== undefined && walked < MAX_WALKED; next = open.pop()) {
    if (options.signal?.aborted) return
    walked++
    yield next
    // A folder that is gone or can't be read is listed without contents.
    if (next.isFolder && next.depth < options.maxDepth) await push(next.place, next.depth + 1).catch(() => {})
  }
}

async function visibleEntries(
  folder: WorkspacePath,
  { includeIgnored, permits }: WalkOptions,
): Promise<Found[]> {
  const found: Found[] = []
  const entries = await readFolder(folder)
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const isFolder = entry.isDirectory()
    if (!isFolder && !entry.isFile()) continue
    if (isFolder && !includeIgnored && IGNORED.includes(entry.name)) continue
    const name = folder.name === '.' ? entry.name : `${folder.name}/${entry.name}`
    if (permits({ does: 'read', path: name }) !== 'allow') continue
    found.push({ place: { root: folder.root, real: posix.join(folder.real, entry.name), name }, isFolder })
  }
  return found
}
