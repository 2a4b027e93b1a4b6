/** The folder of a cluster on this machine: who works in it, and the ports that its parts keep over restarts. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { makeDatabaseFile, makeFolders, replaceFile } from '../files/private-files.ts'
import { DatabaseSync } from '../files/sqlite.ts'
import { ThinkonError } from '../protocol/errors.ts'

const BUSY = 5

/** Held by this process until it ends, however that happens. Throws BAD_INPUT if another one holds it. */
export function holdFolder(folder: string): () => void {
  makeFolders(folder)
  const file = join(folder, 'lock')
  const pidFile = join(folder, 'pid')
  makeDatabaseFile(file)
  const database = new DatabaseSync(file)
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode !== BUSY) throw error
    const pid = read(pidFile)
    throw new ThinkonError(
      'BAD_INPUT',
      `a cluster runs in ${folder} already${pid ? ` (process ${pid})` : ''}: use it, or end it with Ctrl-C`,
      { data: { folder } },
    )
  }
  replaceFile(pidFile, `${process.pid}\n`)
  return () => database.close()
}

const PARTS = ['ingress', 'admin', 'node', 'postgres', 'balancer'] as const
export type Ports = Readonly<Record<(typeof PARTS)[number], number>> & { readonly workers: readonly number[] }

export interface HeldPorts {
  readonly ports: Ports
  release(): Promise<void>
}

/** Below those that systems give out by themselves, so that the same ones are free at the next start. */
const FIRST_PORT = 17_600
const LAST_PORT = 32_000
const LAST_ONE_ENDS_MS = 5_000
const LOOK_MS = 100
export const MOST_WORKERS = 14
/** One more than the parts need: who listens on the first one has the others. */
const BLOCK = 1 + PARTS.length + MOST_WORKERS

/** The same ones whenever the cluster is started: the server looks for begun work at the address that was registered. */
export async function holdPorts(folder: string, workers: number): Promise<HeldPorts> {
  const file = join(folder, 'ports.json')
  const kept = Number(read(file))
  if (kept > 0) {
    // What the last one has left is ending just now.
    for (const endMs = Date.now() + LAST_ONE_ENDS_MS; ; await pause(LOOK_MS)) {
      const held = await holdBlock(kept, workers)
      if (typeof held !== 'number') return held
      if (Date.now() > endMs) throw portTaken(held, folder)
    }
  }
  for (let first = FIRST_PORT; first + BLOCK < LAST_PORT; first += BLOCK) {
    const held = await holdBlock(first, workers)
    if (typeof held === 'number') continue
    replaceFile(file, `${first}\n`)
    return held
  }
  throw new ThinkonError('BAD_INPUT', `no ports are free between ${FIRST_PORT} and ${LAST_PORT}`)
}

/** A port that is taken, if there is one. */
async function holdBlock(first: number, workers: number): Promise<HeldPorts | number> {
  const server = createServer((socket) => socket.destroy())
  const isOurs = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(first, '127.0.0.1', () => resolve(true))
  })
  if (!isOurs) return first
  const release = () => new Promise<void>((resolve) => server.close(() => resolve()))
  const others = Array.from({ length: BLOCK - 1 }, (_, at) => first + 1 + at)
  const taken = (await Promise.all(others.map(isTaken))).indexOf(true)
  if (taken >= 0) {
    await release()
    return others[taken] as number
  }
  const parts = Object.fromEntries(PARTS.map((part, at) => [part, others[at]])) as Omit<Ports, 'workers'>
  return { ports: { ...parts, workers: others.slice(PARTS.length, PARTS.length + workers) }, release }
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

function portTaken(port: number, folder: string): ThinkonError {
  return new ThinkonError(
    'BAD_INPUT',
    `port ${port}, which the cluster in ${folder} uses, is taken: end what listens there, or remove the folder to begin anew`,
    { data: { port } },
  )
}

/**
 * Where PostgreSQL keeps its data. As root it runs as another user, who may not enter what is root's alone: then it is outside of the
 * folder.
 */
export function postgresFolder(folder: string): string {
  if (process.getuid?.() !== 0) return join(folder, 'postgres')
  const outside = '/var/lib/thinkon'
  mkdirSync(outside, { recursive: true, mode: 0o711 })
  return join(outside, createHash('sha256').update(folder).digest('hex').slice(0, 12))
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
