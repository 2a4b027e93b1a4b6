/**
 * `logs/tot-{date}-{time}-{id}/`: the log folder of each tree search, written when its block ends. A folder that a kill
 * prevented is written when the run ends. It appears whole or not at all; one that is there is never changed, because a
 * fork may have a search of the same name.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Event, EventOf } from '../../protocol/index.ts'
import { tellsSearch } from '../thought-tree.ts'
import { type TotLog, totLog } from '../tot-log.ts'
import { type FileView, makeFolder, type RunPlace } from './file-view.ts'

const LOGS = 'logs'

export function totLogFolders(place: RunPlace): FileView {
  /** Searches whose folder is not written, as far as this process knows. */
  let owed: Set<string> | null = null
  return (event) => {
    // Some may have begun, and ended, before this process was there.
    owed ??= event.seq === 1 ? new Set() : searchesIn(place.events())
    if (tellsSearch(event)) owed.add(event.path)
    if (event.type === 'block-end' && owed.has(event.path)) {
      owed.delete(event.path)
      writeLogs(place, new Set([event.path]))
    }
    if (event.type === 'run-end' && owed.size > 0) writeLogs(place, owed)
  }
}

function searchesIn(events: Iterable<Event>): Set<string> {
  const paths = new Set<string>()
  for (const event of events) if (tellsSearch(event)) paths.add(event.path)
  return paths
}

function writeLogs({ workspace, events }: RunPlace, wanted: ReadonlySet<string>): void {
  for (const block of blocksOf(events(), wanted)) {
    const { options } = block[0] as EventOf<'block-start'>
    const { logs } = (options ?? {}) as { logs?: unknown }
    const folder = typeof logs === 'string' && logs !== '' ? logs : LOGS
    writeFolder(resolve(workspace, folder), totLog(block))
  }
}

/** The events of each block, from its start on. */
function blocksOf(events: Iterable<Event>, wanted: ReadonlySet<string>): Iterable<Event[]> {
  const blocks = new Map<string, Event[]>()
  for (const event of events) {
    if (event.type === 'block-start' && wanted.has(event.path)) blocks.set(event.path, [])
    if (event.type !== 'run-end') blocks.get(event.path)?.push(event)
  }
  return blocks.values()
}

function writeFolder(logs: string, { folder, files }: TotLog): void {
  const target = freeName(join(logs, folder), files)
  if (target === null) return
  const draft = join(logs, `.${folder}.${process.pid}.tmp`)
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

/** Null when these files are there already. */
function freeName(folder: string, files: ReadonlyMap<string, string>): string | null {
  for (let number = 1; ; number++) {
    const name = number === 1 ? folder : `${folder}-${number}`
    if (!existsSync(name)) return name
    const same = [...files].every(([file, text]) => textOf(join(name, file)) === text)
    if (same) return null
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
