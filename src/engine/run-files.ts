/**
 * The files that strategies' views keep in the workspace during a run, and the folders that they leave beside its store: folds over
 * its events, written by the process that works on the run and never read back. If one can't be written there is a single
 * warning; the run does not depend on it.
 */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { basename } from 'node:path/posix'
import { readFileText } from '../files/open-file.ts'
import { makeFolders, replaceFile, writeFile } from '../files/private-files.ts'
import type { Events } from '../kernel/store.ts'
import type { Event, FolderWritten } from '../protocol/index.ts'
import { type BlockViews, createBlockViews, type StrategyViews } from '../views/block-views.ts'
import type { ViewFolder } from '../views/strategy-view.ts'

export interface RunSource {
  readonly workspace: string
  /** Where the run's store is; absent if that is no folder. */
  readonly storeFolder?: string
  /** The journal so far. */
  events(): Events
  /** Calls back with the events of open blocks, of those that ended last, and with the starts and ends of others. */
  openEvents(follow: (event: Event) => void): Promise<void>
}

/** Returns the folders that were written because of the event. Events are followed in their order; it never throws or rejects. */
export function runFiles(
  place: RunSource,
  views: StrategyViews,
): (event: Event) => Promise<readonly FolderWritten[]> {
  const follow = fileFold(place, views)
  let warned = false
  let last: Promise<unknown> = Promise.resolve()
  const written = async (event: Event): Promise<readonly FolderWritten[]> => {
    try {
      const { run } = event
      return (await follow(event)).map((folder) => ({ type: 'folder-written', run, ...folder }))
    } catch (error) {
      if (!warned) process.emitWarning(`thinkon: can't write a file: ${(error as Error).message}`)
      warned = true
      return []
    }
  }
  return (event) => {
    const now = written(event)
    // Whoever waits for the last waits for all.
    const told = last.then(() => now)
    last = told
    return told
  }
}

type Written = Pick<FolderWritten, 'path' | 'folder'>

/**
 * Sees every event once it is recorded. A file is written before it returns, unless what came before this process has to be read first:
 * whoever is told of the event afterwards finds the file. Returns the folders that it wrote. Throws if a file can't be written.
 */
export function fileFold(
  { workspace, storeFolder = workspace, events, openEvents }: RunSource,
  views: StrategyViews,
): (event: Event) => readonly Written[] | Promise<readonly Written[]> {
  const blockViews = createBlockViews(views)
  /** Blocks whose folder has not been written, as far as this process knows. */
  let unwritten: Set<string> | null = null
  /** The last of the events that wait for what came before them. */
  let queued: Promise<unknown> | null = null
  return (event) => {
    if (event.seq === 1) unwritten = new Set()
    if (queued === null && unwritten !== null) return followed(event, unwritten)
    const turn = (queued ?? Promise.resolve()).then(async () => {
      // Blocks may have begun and ended before this process started.
      unwritten ??= await catchUp(blockViews, openEvents, event.seq)
      return followed(event, unwritten)
    })
    const done = () => {
      if (queued === turn) queued = null
    }
    queued = turn
    turn.then(done, done)
    return turn
  }

  function followed(event: Event, open: Set<string>): readonly Written[] | Promise<readonly Written[]> {
    blockViews.follow(event)
    const view = blockViews.of(event.path)
    if (view.folder !== undefined && event.type !== 'run-end') open.add(event.path)
    const file = view.file?.(event)
    if (file != null) replaceFile(resolve(workspace, file.path), file.text)
    if (event.type === 'block-end' && open.delete(event.path)) return writeFolders([event.path])
    // A kill may have prevented writing the folder of a block that had ended.
    return event.type === 'run-end' ? writeFolders(open) : []
  }

  async function writeFolders(paths: Iterable<string>): Promise<Written[]> {
    return [...(await blocksOf(events, new Set(paths)))].flatMap(([path, block]) => {
      const made = blockViews.of(path).folder?.(block) ?? null
      if (made === null) return []
      const folder = writeFolder(made.in === 'store' ? storeFolder : workspace, made)
      return folder === null ? [] : [{ path, folder }]
    })
  }
}

async function catchUp(
  blockViews: BlockViews,
  openEvents: RunSource['openEvents'],
  before: number,
): Promise<Set<string>> {
  const unwritten = new Set<string>()
  await openEvents((event) => {
    if (event.seq >= before) return
    blockViews.follow(event)
    if (event.type !== 'run-end' && blockViews.of(event.path).folder !== undefined) unwritten.add(event.path)
  })
  return unwritten
}

/** The events of each block, from its start on. */
async function blocksOf(
  events: RunSource['events'],
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Event[]>> {
  const blocks = new Map<string, Event[]>()
  if (wanted.size === 0) return blocks
  for await (const event of events()) {
    if (event.type === 'block-start' && wanted.has(event.path)) blocks.set(event.path, [])
    if (event.type !== 'run-end') blocks.get(event.path)?.push(event)
  }
  return blocks
}

/**
 * Where it is; null if it was there. The folder appears whole or not at all. An existing one is never changed: a fork may have a
 * block of the same name.
 */
function writeFolder(place: string, { path, files }: ViewFolder): string | null {
  const folder = resolve(place, path)
  const target = freeName(folder, files)
  if (target === null) return null
  const draft = join(dirname(folder), `.${basename(path)}.${process.pid}.tmp`)
  rmSync(draft, { recursive: true, force: true })
  try {
    makeFolders(draft)
    for (const [name, text] of files) writeFile(join(draft, name), text)
    renameSync(draft, target)
    return target
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw error
  }
}

/** Null if these files already exist. */
function freeName(folder: string, files: ReadonlyMap<string, string>): string | null {
  for (let number = 1; ; number++) {
    const name = number === 1 ? folder : `${folder}-${number}`
    if (!existsSync(name)) return name
    const same = [...files].every(([file, text]) => readOrNull(join(name, file)) === text)
    if (same) return null
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileText(path)
  } catch {
    return null
  }
}
