/** The rows that a commit writes of a journal. */
import type { Draft } from '../../kernel/store.ts'
import { EventEncoder as Encoder, type EventRow, type NewRow } from '../event-codec.ts'
import type { Signer } from '../signatures.ts'

/** For `insertRows`, as JSON. */
export interface EncodedRow extends EventRow {
  /** The earlier events that its requests refer to. */
  readonly refs: readonly number[]
  readonly signature?: string | null
}

/** The same rows with signatures, and the last of them. `previous` is the signature of the row before them. */
export function signed(
  rows: readonly EncodedRow[],
  signer: Signer | null,
  previous: string | null,
): { readonly rows: readonly EncodedRow[]; readonly last: string | null } {
  if (signer === null) return { rows, last: null }
  let last = previous
  const all = rows.map((row) => {
    last = signer.row(last, row)
    return { ...row, signature: last }
  })
  return { rows: all, last }
}

/** In place of a run's number: an encoder has only one run. */
const THIS_RUN = 0

/** Of one run. PostgreSQL compresses bodies itself. */
export class EventEncoder {
  private readonly encoder = new Encoder({ compresses: false })

  /** `first` is the `seq` of the first event. If the commit fails, or it is not known whether it did, the encoder must forget. */
  encode(first: number, drafts: readonly Draft[]): EncodedRow[] {
    try {
      return numbered(this.encoder.encode(THIS_RUN, first, drafts), first)
    } catch (thrown) {
      this.forget()
      throw thrown
    }
  }

  forget(): void {
    this.encoder.forget()
  }
}

function numbered(rows: readonly NewRow[], first: number): EncodedRow[] {
  let seq = first - 1
  return rows.map(({ count, ...row }) => {
    seq += count
    return { ...row, seq }
  })
}

/** Inserts rows, which a parameter has as JSON, for the run that `run` has the number of. */
export const insertRows = (run: string, parameter: string) => `
  INSERT INTO thinkon.events (run, seq, at, type, path, body, refs, signature)
  SELECT ${run}.no, seq, at, type, path, body,
    (SELECT array_agg(ref::integer) FROM json_array_elements_text(refs) AS ref), signature
  FROM ${run}, json_to_recordset(${parameter})
    AS row (seq integer, at bigint, type text, path text, body text, refs json, signature text)`
