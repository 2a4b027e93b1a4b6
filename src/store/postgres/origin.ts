/** Signatures of journals that are there: they are checked, and made for a copy. */
import { type RunOrigin, unknownRun } from '../../kernel/store.ts'
import type { EventRow } from '../event-codec.ts'
import { JournalCheck, type SignedSignal, type Signer } from '../signatures.ts'
import type { Query } from './connect.ts'

const PAGE = 512
const LAST_SEQ = 2 ** 31 - 1

type StoredRow = EventRow & { readonly signature: string | null }
type StoredSignal = SignedSignal & { readonly signature: string | null }

interface StoredRun {
  readonly id: string
  readonly no: number
}

/** `origin` of the store. */
export async function originOf(query: Query, signer: Signer | null, id: string): Promise<RunOrigin> {
  const [run] = await query<StoredRun>('SELECT id, no FROM thinkon.runs WHERE id = $1', [id])
  if (run === undefined) throw unknownRun(id)
  if (signer === null) return 'unchecked'
  const origin = await originOfRows(query, signer, { ...run, at: LAST_SEQ })
  if (origin !== 'own') return origin
  const signals = await query<StoredSignal>(PENDING, [run.no])
  const origins = signals.map((row) => signer.check(row.signature, signer.signal(id, row)))
  return origins.find((one) => one !== 'own') ?? 'own'
}

/** Of the rows up to event `at`. */
export async function originOfRows(
  query: Query,
  signer: Signer,
  { id, no, at }: StoredRun & { readonly at: number },
): Promise<RunOrigin> {
  const check = new JournalCheck(signer, id)
  for await (const page of pages(query, no))
    for (const row of page) if (!check.add(row, row.signature) || row.seq >= at) return check.origin
  return check.origin
}

/** Signs all rows of a new run. */
export async function signRun(query: Query, signer: Signer, no: number, run: string): Promise<void> {
  let signature: string | null = signer.root(run)
  for await (const page of pages(query, no)) {
    const signatures = page.map((row) => {
      signature = signer.row(signature, row)
      return { seq: row.seq, signature }
    })
    await query(SIGN, [no, JSON.stringify(signatures)])
  }
}

async function* pages(query: Query, no: number): AsyncGenerator<StoredRow[]> {
  for (let last = 0; ; ) {
    const rows = await query<StoredRow>(ROWS, [no, last, PAGE])
    yield rows
    if (rows.length < PAGE) return
    last = (rows.at(-1) as StoredRow).seq
  }
}

const ROWS = `
SELECT seq, at, type, path, body, signature FROM thinkon.events WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3`

const SIGN = `
UPDATE thinkon.events SET signature = signed.signature
FROM json_to_recordset($2) AS signed (seq integer, signature text) WHERE run = $1 AND events.seq = signed.seq`

const PENDING = 'SELECT path, name, number, value, signature FROM thinkon.inbox WHERE run = $1 AND NOT taken'
