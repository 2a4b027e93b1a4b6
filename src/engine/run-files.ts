/**
 * The files that strategies' views keep in the workspace during a run: folds over its events, written by the process that works
 * on the run and never read back. If one can't be written there is a single warning; the run does not depend on it.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { basename } from 'node:path/posix'
import type { Ephemeral, Event } from '../protocol/index.ts'
import { type BlockViews, createBlockViews, type StrategyViews } from '../views/block-views.ts'
import type { ViewFolder } from '../views/strategy-view.ts'
import { makeFolder, replaceFile } from './files.ts'

export interface RunSource {
  readonly workspace: string
  /** The journal so far. */
  events(): Iterable<Event>
  /** Calls back with the events of open blocks, of those that ended last, and with the starts and ends of others. */
  openEvents(follow: (event: Event) => void): void
}

export function runFiles(place: RunSource, views: StrategyViews): (event: Event | Ephemeral) => void {
  const follow = fileFold(place, views)
  let warned = false
  return (event) => {
    if (!('seq' in event)) return
    try {
      follow(event)
    } catch (error) {
      if (!warned) process.emitWarning(`thinkon: can't write a file: ${(error as Error).message}`)
      warned = true
    }
  }
}

/** Sees every event once it is recorded. Throws if a file can't be written. */
export function fileFold(
  { workspace, events, openEvents }: RunSource,
  views: StrategyViews,
): (event: Event) => void {
  const blockViews = createBlockViews(views)
  /** Blocks whose folder has not been written, as far as this process knows. */
  let unwritten: Set<string> | null = null
  return (event) => {
    // Blocks may have begun and ended before this process started.
    unwritten ??= event.seq === 1 ? new Set() : catchUp(blockViews, openEvents)
    blockViews.follow(event)
    const view = blockViews.of(event.path)
    if (view.folder !== undefined && event.type !== 'run-end') unwritten.add(event.path)
    const file = view.file?.(event)
    if (file != null) replaceFile(resolve(workspace, file.path), file.text)
    if (event.type === 'block-end' && unwritten.delete(event.path)) writeFolders([event.path])
    // A kill may have prevented writing the folder of a block that had ended.
    if (event.type === 'run-end') writeFolders(unwritten)
  }

  function writeFolders(paths: Iterable<string>): void {
    for (const [path, block] of blocksOf(events(), new Set(paths))) {
      const folder = blockViews.of(path).folder?.(block)
      if (folder != null) writeFolder(workspace, folder)
    }
  }
}

function catchUp(blockViews: BlockViews, openEvents: RunSource['openEvents']): Set<string> {
  const unwritten = new Set<string>()
  openEvents((event) => {
    blockViews.follow(event)
    if (event.type !== 'run-end' && blockViews.of(event.path).folder !== undefined) unwritten.add(event.path)
  })
  return unwritten
}

/** The events of each block, from its start on. */
function blocksOf(events: Iterable<Event>, wanted: ReadonlySet<string>): ReadonlyMap<string, Event[]> {
  const blocks = new Map<string, Event[]>()
  if (wanted.size === 0) return blocks
  for (const event of events) {
    if (event.type === 'block-start' && wanted.has(event.path)) blocks.set(event.path, [])
    if (event.type !== 'run-end') blocks.get(event.path)?.push(event)
  }
  return blocks
}

/** The folder appears whole or not at all. An existing one is never changed: a fork may have a block of the same name. */
function writeFolder(workspace: string, { path, files }: ViewFolder): void {
  const folder = resolve(workspace, path)
  const target = freeName(folder, files)
  if (target === null) return
  const draft = join(dirname(folder), `.${basename(path)}.${process.pid}.tmp`)
  rmSync(draft, { recursive: true, force: true })
  try {
    makeFolder(draft)
    for (const [name, text] of files) writeFileSync(join(draft, name), text)
    renameSync(draft, target)
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
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
