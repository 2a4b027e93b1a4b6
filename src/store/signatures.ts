/**
 * Signs what is written of runs, so that a process recognises the runs that were written with its key.
 *
 * 1. Each row of a journal has a signature over the row and the signature of the row before it; the first one also covers the run's id.
 *    A row that is inserted, altered or moved breaks all signatures after it.
 * 2. A signature is a column of its row: both are committed together, and no event, export or page contains one.
 * 3. A signal in the inbox has a signature of its own, and so has an outline.
 * 4. A run that was imported, or that a process without the key has written to, is not signed.
 *
 * Not detected: a journal without its last rows, which is what an earlier copy of the store has.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { LEAST_KEY, type RunKey } from '../kernel/run-key.ts'
import type { RunOrigin } from '../kernel/store.ts'
import { ThinkonError } from '../protocol/index.ts'
import { countOf, type EventRow } from './event-codec.ts'

export interface SignedSignal {
  readonly path: string
  readonly name: string
  readonly number: number
  /** JSON. */
  readonly value: string
}

type Signature = string | null

const KEY_ID_LENGTH = 6
/** 132 bits. */
const MAC_LENGTH = 22
/** What an outline with a signature begins with. */
const SEALED = '~'
const SIGNATURE_LENGTH = KEY_ID_LENGTH + MAC_LENGTH

export class Signer {
  private readonly given: RunKey
  private made: { readonly key: KeyObject; readonly id: string } | null = null

  constructor(key: RunKey) {
    this.given = key
  }

  /** In place of the signature of the row before the first one. */
  root(run: string): string {
    return `run ${run}`
  }

  /** Null if the row before it is not signed. */
  row(previous: Signature, { seq, at, type, path, body }: EventRow): Signature {
    if (previous === null) return null
    const place = `${seq} ${at} ${type.length} ${path.length} ${typeof body}`
    return this.signed(`row ${previous} ${place}\n${type}${path}\n`, body)
  }

  signal(run: string, { path, name, number, value }: SignedSignal): string {
    return this.signed(`signal ${JSON.stringify([run, path, name, number, value])}`)
  }

  seal(run: string, outline: string): string {
    return SEALED + this.signed(`outline ${run}\n${outline}`) + outline
  }

  /** The outline; null if it was not sealed with this key, or if there is no key: it is made again. */
  unseal(run: string, sealed: string): string | null {
    const outline = unsealed(sealed)
    try {
      return isSame(this.seal(run, outline), sealed) ? outline : null
    } catch {
      return null
    }
  }

  check(found: Signature, expected: Signature): RunOrigin {
    if (found === null || expected === null) return 'unsigned'
    if (isSame(found, expected)) return 'own'
    return found.startsWith(this.key().id) ? 'altered' : 'other-key'
  }

  private signed(text: string, body: EventRow['body'] = ''): string {
    const { key, id } = this.key()
    return id + macOf(key, text, body)
  }

  /** `id` is the first part of each signature: it distinguishes a signature of another key from one that was altered. */
  private key() {
    if (this.made !== null) return this.made
    const text = typeof this.given === 'string' ? this.given : this.given()
    if (text.length < LEAST_KEY)
      throw new ThinkonError(
        'BAD_INPUT',
        `the key that signs runs must have at least ${LEAST_KEY} characters`,
      )
    const key = createSecretKey(text, 'utf8')
    this.made = { key, id: macOf(key, 'key id').slice(0, KEY_ID_LENGTH) }
    return this.made
  }
}

function macOf(key: KeyObject, text: string, body: EventRow['body'] = ''): string {
  return createHmac('sha256', key).update(text).update(body).digest('base64url').slice(0, MAC_LENGTH)
}

/** An outline, not verified. */
export function unsealed(stored: string): string {
  return stored.startsWith(SEALED) ? stored.slice(SEALED.length + SIGNATURE_LENGTH) : stored
}

/** Checks the rows of a journal one after the other. */
export class JournalCheck {
  /** Of the rows so far; `unsigned` if there was none. */
  origin: RunOrigin = 'unsigned'
  private readonly signer: Signer
  private previous: Signature
  private seq = 0

  constructor(signer: Signer, run: string) {
    this.signer = signer
    this.previous = signer.root(run)
  }

  /** False if the row is not own; then the rows after it need no check. */
  add(row: EventRow, signature: Signature): boolean {
    const isNext = row.seq === this.seq + countOf(row)
    this.origin = isNext ? this.signer.check(signature, this.signer.row(this.previous, row)) : 'altered'
    this.previous = signature
    this.seq = row.seq
    return this.origin === 'own'
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
