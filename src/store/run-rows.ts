import type { Draft } from '../kernel/store.ts'
import type { Event } from '../protocol/index.ts'
import type { EventCodec, EventRow } from './event-codec.ts'

export type RunRows = Omit<EventRow, 'id'> & { count: number }

export function encodeRows(codec: EventCodec, drafts: readonly Draft[]): RunRows[] {
  return drafts.map((draft) => {
    const { atMs: at, type, path } = draft
    return { at, type, path, ...codec.encode(0, draft), count: 1 }
  })
}

export function decodeRow(codec: EventCodec, run: string, row: RunRows, last: number): Event[] {
  return [codec.decode(run, { ...row, id: 0 }, last)]
}

export function draftOf(event: Event): Draft {
  const { seq: _seq, ts, run: _run, ...body } = event
  return { ...body, atMs: Date.parse(ts) } as Draft
}
