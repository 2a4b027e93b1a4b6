/**
 * A run as one file: everything needed to show, replay, resume and fork it elsewhere. Each line is a JSON object:
 *
 * 1. `{"thinkon":"journal","version":1,"run":…,"events":…,"createdAt":…,"forkOf":…}`: whose journal it is, and how many events it has.
 * 2. `{"signal":…}`: signals that no event has taken yet.
 * 3. `{"row":…}`: the journal as stores have it (event-codec.ts). A body is JSON, or `deflated`: base64 of a raw deflate of it.
 * 4. `{"end":{"lines":…,"sha256":…}}`: how many lines there are before this one, and their hash.
 */
import { createHash } from 'node:crypto'
import { type AnyStore, type Draft, draftOf } from '../kernel/store.ts'
import { withoutOrigin } from '../kernel/without-origin.ts'
import { escapeJson, ThinkonError } from '../protocol/index.ts'
import { EventEncoder, type NewRow } from './event-codec.ts'

export const RUN_FILE = { thinkon: 'journal', version: 1 } as const

/** So many events are read at a time. */
const PAGE = 64

/** The lines, with their ends. What is appended while it is read is not in it. */
export async function* exportRun(store: AnyStore, id: string): AsyncGenerator<string> {
  // In this order: a signal that is taken in between is in both, and taken again by the import.
  const signals = await store.pending(id)
  const { seq: events, createdAt, forkOf } = await store.row(id)
  const sha256 = createHash('sha256')
  let lines = 0
  const line = (record: object) => {
    const text = `${escapeJson(JSON.stringify(record))}\n`
    sha256.update(text)
    lines++
    return text
  }
  yield line({ ...RUN_FILE, run: id, events, createdAt, forkOf })
  for (const signal of signals) yield line({ signal })
  const encoder = new EventEncoder()
  for (let from = 1; from <= events; from += PAGE) {
    const drafts: Draft[] = []
    for await (const event of store.read(id, from, Math.min(events, from + PAGE - 1)))
      drafts.push(draftOf(withoutOrigin(event)))
    if (drafts.length !== Math.min(PAGE, events - from + 1)) throw deletedMeanwhile(id)
    for (const row of encoder.encode(0, from, drafts)) yield line({ row: inFile(row) })
    await new Promise(setImmediate)
  }
  yield `${JSON.stringify({ end: { lines, sha256: sha256.digest('hex') } })}\n`
}

function inFile({ at, type, path, count, body }: NewRow): object {
  const stored = typeof body === 'string' ? { body } : { deflated: Buffer.from(body).toString('base64') }
  return { at, type, path, count, ...stored }
}

function deletedMeanwhile(id: string): ThinkonError {
  return new ThinkonError('UNKNOWN_RUN', `run ${id} was deleted while it was read`, { data: { run: id } })
}
