/**
 * Checksums of rows in SQLite: CRC-32 over all columns of a row.
 * A row that does not match its checksum throws a TypeError, which readers turn into STORE_CORRUPT.
 */
import { crc32 } from 'node:zlib'
import type { EventRow, NewRow } from './event-codec.ts'
import { SEQ_RANGE } from './sqlite-statements.ts'

/** Of a row of events. A fork has the same row under another run's number, so only the `seq` of its key counts. */
export function eventsChecksum(
  seq: number,
  { at, type, path, body }: Omit<NewRow, 'count' | 'refs'>,
): number {
  return crc32(body, crc32(`${seq} ${at} ${type} ${path} ${typeof body}`))
}

/** `id` is its key. */
export interface CheckedEventRow extends Omit<EventRow, 'seq'> {
  readonly id: number
  readonly crc: number
}

/** A row of the run with this number. */
export function intactEvents(no: number, { id, crc, ...fields }: CheckedEventRow): EventRow {
  const row = { ...fields, seq: id - no * SEQ_RANGE }
  if (eventsChecksum(row.seq, row) !== crc) throw mismatch()
  return row
}

/** Of what never changes in the row of a run. */
export function runChecksum(
  id: string,
  goal: string,
  strategy: string,
  created: number,
  forkOf: string | null,
): number {
  return crc32(JSON.stringify([id, goal, strategy, created, forkOf]))
}

interface CheckedRun {
  id: string
  goal: string
  strategy: string
  created: number
  fork_of: string | null
  crc: number
}

export function requireIntactRun({ id, goal, strategy, created, fork_of, crc }: CheckedRun): void {
  if (runChecksum(id, goal, strategy, created, fork_of) !== crc) throw mismatch()
}

interface SignalRow {
  path: string
  name: string
  number: number
  value: string
}

export function signalChecksum(run: number, { path, name, number, value }: SignalRow): number {
  return crc32(JSON.stringify([run, path, name, number, value]))
}

export function intactSignal<Row extends SignalRow & { crc: number }>(run: number, row: Row): Row {
  if (signalChecksum(run, row) !== row.crc) throw mismatch()
  return row
}

export function outlineChecksum(run: number, outline: string): number {
  return crc32(outline, crc32(`${run}`))
}

function mismatch(): TypeError {
  return new TypeError('it does not match its checksum')
}
