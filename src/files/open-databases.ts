/**
 * The SQLite databases that this process has open: stores, memories, webhook records, owner locks. On POSIX, closing any descriptor of a
 * file releases all locks that the process holds on it, SQLite's included. So no other code may open and close these files.
 *
 * 1. A file is recognised by device and inode, whatever its name: the database and its `-wal`, `-shm` and `-journal`.
 * 2. A descriptor that turns out to be one of them (the file was renamed, or opened by SQLite meanwhile) stays open until the last
 *    connection to its database is closed.
 */
import { type BigIntStats, closeSync, fstatSync, realpathSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

interface OpenDatabase {
  /** More than one if the file has hard links. */
  readonly paths: Set<string>
  /** `-wal` and `-shm`, once they were seen. They stay the same files while a connection is open. */
  readonly sides: Map<string, string>
  readonly descriptors: Set<number>
  connections: number
}

/** By device and inode. */
const databases = new Map<string, OpenDatabase>()

const LASTING_SIDES = ['-wal', '-shm']
/** After the name of a database. `.owner-…` is the lock of a process that owns runs of a store. */
const SIDE = /^(?:-wal|-shm|-journal|\.owner-[\w-]+(?:-journal)?)$/

export interface Registration {
  /** To be called when the connection may have created files next to the database. */
  update(): void
  /** To be called when the connection is closed. */
  end(): void
}

/** Registers one connection. A database in memory has no file. */
export function registerDatabase(location: string | Uint8Array | URL): Registration {
  const path = realPath(location)
  const stats = path === null ? undefined : statOf(path)
  if (path === null || stats === undefined) return { update() {}, end() {} }
  const key = keyOf(stats)
  const database = databases.get(key) ?? {
    paths: new Set<string>(),
    sides: new Map<string, string>(),
    descriptors: new Set<number>(),
    connections: 0,
  }
  databases.set(key, database)
  database.paths.add(path)
  database.connections++
  let isOpen = true
  return {
    update: () => findSides(database),
    end() {
      if (!isOpen) return
      isOpen = false
      if (--database.connections > 0) return
      databases.delete(key)
      for (const descriptor of database.descriptors) closeSync(descriptor)
    },
  }
}

/** Whether the file is one of an open database. */
export function isOpenDatabase(stats: BigIntStats): boolean {
  return databaseOf(stats) !== undefined
}

/** The same by its real path, which need not exist: what SQLite creates there next. Also true for owner locks of other processes. */
export function isDatabasePath(path: string): boolean {
  return [...databases.values()].some(({ paths }) =>
    [...paths].some((own) => path === own || (path.startsWith(own) && SIDE.test(path.slice(own.length)))),
  )
}

/** Real paths of the databases that are open now. */
export function openDatabasePaths(): string[] {
  return [...databases.values()].flatMap(({ paths }) => [...paths])
}

/** Closes a descriptor, unless that would release locks of a database. */
export function closeDescriptor(descriptor: number): void {
  const database = databases.size === 0 ? undefined : databaseOf(fstatSync(descriptor, { bigint: true }))
  if (database === undefined) closeSync(descriptor)
  else database.descriptors.add(descriptor)
}

function databaseOf(stats: BigIntStats): OpenDatabase | undefined {
  if (databases.size === 0 || !stats.isFile()) return undefined
  const key = keyOf(stats)
  return databases.get(key) ?? [...databases.values()].find((one) => hasSide(one, key))
}

function hasSide(database: OpenDatabase, key: string): boolean {
  findSides(database)
  return [...database.sides.values()].includes(key)
}

function findSides({ paths, sides }: OpenDatabase): void {
  for (const end of LASTING_SIDES) {
    if (sides.has(end)) continue
    for (const path of paths) {
      const stats = statOf(path + end)
      if (stats !== undefined) sides.set(end, keyOf(stats))
    }
  }
}

function keyOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`
}

function realPath(location: string | Uint8Array | URL): string | null {
  const path =
    location instanceof URL
      ? fileURLToPath(location)
      : typeof location === 'string'
        ? location
        : Buffer.from(location).toString()
  if (path === '' || path === ':memory:') return null
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
