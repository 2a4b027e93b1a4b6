import { EventEncoder } from './encode.ts'
import { eventReaders, ROWS_OF, type StoredRow } from './read.ts'
import type { EventRows } from './run-table.ts'

/** Of runs whose requests are remembered. */
const MAX_ENCODERS = 256

/** The events of runs that are shared. */
export function eventRows(): EventRows {
  /** By the runs' numbers; what was used last comes last. */
  const encoders = new Map<number, EventEncoder>()
  const readerOf = eventReaders()

  /** A run that is yet to be created has number 0. */
  function encoderOf(no: number): EventEncoder {
    const encoder = encoders.get(no) ?? new EventEncoder()
    if (no === 0) return encoder
    encoders.delete(no)
    encoders.set(no, encoder)
    if (encoders.size > MAX_ENCODERS) encoders.delete(encoders.keys().next().value as number)
    return encoder
  }

  return {
    encode: (no, first, drafts) => encoderOf(no).encode(first, drafts),
    forget: (no) => (no === undefined ? encoders.clear() : void encoders.delete(no)),
    async read(query, run, no, seqs) {
      const wanted = new Set(seqs)
      const rows = await query<StoredRow>(ROWS_OF, [no, seqs])
      return readerOf(query, run, no).decode(rows, (seq) => wanted.has(seq))
    },
  }
}
