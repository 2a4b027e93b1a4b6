/**
 * What a commit writes of a journal: rows of `events`, and of `blobs`.
 *
 * An encoder belongs to one run and remembers which texts it has stored, so that they are neither sent nor stored again. What it
 * remembers holds while its commits succeed, as the run's events refer to it: otherwise it must forget.
 */
import type { Draft } from '../../kernel/store.ts'
import { EventCodec, type NewRow } from '../event-codec.ts'
import type { SignedRow, Signer } from '../signatures.ts'
import { referencesIn } from '../stored-references.ts'

/** For `eventRows` and `blobRows`, as JSON. */
export interface EncodedEvents {
  readonly rows: readonly EncodedRow[]
  readonly blobs: readonly object[]
}

export interface EncodedRow extends SignedRow {
  readonly refs: readonly string[] | null
  readonly signature?: string | null
}

/** The same events with signatures. `previous` is the signature of the row before them. */
export function signed(
  encoded: EncodedEvents,
  signer: Signer | null,
  previous: string | null,
): EncodedEvents & { readonly last: string | null } {
  if (signer === null) return { ...encoded, last: null }
  let last = previous
  const rows = encoded.rows.map((row) => {
    last = signer.row(last, row)
    return { ...row, signature: last }
  })
  return { ...encoded, rows, last }
}

export class EventEncoder {
  /** What the commit that is being encoded stores. */
  private blobs = new Map<string, object>()
  /** What was stored: nothing else is ever referred to. */
  private readonly stored = new Set<string>()
  private readonly codec = new EventCodec({
    put: (hash, body, text) => this.put(hash, body, text),
    get: nothingIsRead,
    row: nothingIsRead,
  })

  /** `first` is the `seq` of the first event. */
  encode(first: number, drafts: readonly Draft[]): EncodedEvents {
    if (this.stored.size > MAX_REMEMBERED) this.forget()
    try {
      const rows = this.codec.encode(OF_THIS_RUN, first, drafts)
      return { rows: this.rowsOf(rows, first), blobs: [...this.blobs.values()] }
    } catch (thrown) {
      this.forget()
      throw thrown
    } finally {
      this.blobs = new Map()
    }
  }

  /** A commit has failed, or it is not known whether it has. */
  forget(): void {
    this.codec.forget()
    this.stored.clear()
  }

  private put(hash: string, body: string | Uint8Array, text: string): void {
    this.stored.add(hash)
    const base64 = Buffer.from(body).toString('base64')
    this.blobs.set(hash, {
      hash,
      body: base64,
      deflated: typeof body !== 'string',
      refs: this.references(text),
    })
  }

  private rowsOf(rows: readonly NewRow[], first: number): EncodedRow[] {
    let seq = first - 1
    return rows.map(({ at, type, path, body, blob, count }) => {
      seq += count
      const refs = blob === null ? this.references(body as string) : [blob]
      return { seq, at, type, path, body, blob, refs }
    })
  }

  /** Null if there are none. A text of a user's may look like one, but is not among those stored. */
  private references(text: string): string[] | null {
    const found = new Set(referencesIn(text).filter((hash) => this.stored.has(hash)))
    return found.size === 0 ? null : [...found]
  }
}

const MAX_REMEMBERED = 50_000
/** In place of a run's number: a codec of ours has only one run. */
const OF_THIS_RUN = 0

function nothingIsRead(): never {
  throw new TypeError('what is written is not read')
}

/** Inserts rows, which a parameter has as JSON, for the run that `run` has the number of. */
export const insertRows = (run: string, parameter: string) => `
  INSERT INTO thinkon.events (run, seq, at, type, path, body, blob, refs, signature)
  SELECT ${run}.no, row.* FROM ${run}, json_to_recordset(${parameter})
    AS row (seq integer, at bigint, type text, path text, body text, blob text, refs text[], signature text)`

/** The same for blobs. In the order of their hashes: two that insert the same never wait for each other in a circle. */
export const insertBlobs = (run: string, parameter: string) => `
  INSERT INTO thinkon.blobs (hash, body, deflated, refs)
  SELECT hash, decode(body, 'base64'), deflated, refs FROM ${run}, json_to_recordset(${parameter})
    AS blob (hash text, body text, deflated boolean, refs text[])
  ORDER BY hash ON CONFLICT (hash) DO NOTHING`
