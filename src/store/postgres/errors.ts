import { type ErrorCode, ThinkonError } from '../../protocol/index.ts'
import { DamagedEvent, damagedRun, isDamage } from '../damage.ts'

type Meaning = readonly [ErrorCode, (name: string) => string]

/** Nothing was changed, and the same call may succeed a little later. */
const FULL: Meaning = [
  'STORE_BUSY',
  (name) => `${name} has no free connection: raise its max_connections, or start fewer processes`,
]
const STARTING: Meaning = ['STORE_BUSY', (name) => `${name} is starting or stopping: try again in a moment`]
const REFUSED: Meaning = [
  'STORE_IO',
  (name) => `${name} does not let this user in: check the user and the password of the connection string`,
]
const UNWRITABLE: Meaning = [
  'STORE_READ_ONLY',
  (name) =>
    `${name} can't be written to: check the user's rights, and that the server is not a read-only replica`,
]
const UNSTORABLE: Meaning = [
  'BAD_INPUT',
  () => 'the text has a character that PostgreSQL does not store: NUL',
]
const DAMAGED: Meaning = ['STORE_CORRUPT', (name) => `${name} is damaged: restore it from a backup`]

/** PostgreSQL's codes, and what each means to a user. */
const MEANINGS: Record<string, Meaning> = {
  '28P01': REFUSED,
  '28000': REFUSED,
  '3D000': [
    'STORE_IO',
    (name) => `there is no database ${name}: create it (createdb), or correct the connection string`,
  ],
  '53300': FULL,
  '57P03': STARTING,
  '53100': [
    'STORE_FULL',
    (name) => `the disk of ${name} is full: free some space and try again; thinkon resume continues a run`,
  ],
  '25006': UNWRITABLE,
  '42501': UNWRITABLE,
  '3F000': ['STORE_CORRUPT', (name) => `${name} is no longer a Thinkon store: its tables are gone`],
  '42P01': ['STORE_CORRUPT', (name) => `${name} is no longer a Thinkon store: its tables are gone`],
  XX001: DAMAGED,
  XX002: DAMAGED,
  '22021': UNSTORABLE,
  '22P05': UNSTORABLE,
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ETIMEDOUT',
])
/** The connection is gone, with whatever was under way on it. */
const BROKEN = new Set(['25P03', '57P01', '57P02', '57P05', '08006', '08003', 'ECONNRESET', 'EPIPE'])
const BROKEN_MESSAGE = /^Connection terminated|not queryable|has encountered a connection error/
/** Both of a pool in which every connection is in use, and of a server that does not answer. */
const TIMEOUT_MESSAGE = /timeout exceeded when trying to connect|due to connection timeout/

/**
 * What the driver threw, as one of our errors, without user and password. `wasReached`: the server was there before, so that it may be worth
 * waiting for.
 */
export function postgresError(thrown: unknown, name: string, wasReached: boolean): unknown {
  if (ThinkonError.isInstance(thrown)) return thrown
  const { code = '', message = '' } = (thrown ?? {}) as { code?: string; message?: string }
  const data = { store: name, ...(code !== '' && { postgres: code }) }
  const [known, text] = meaningOf(code, message, wasReached) ?? [
    'STORE_IO',
    () => `${name} failed: ${message}`,
  ]
  return new ThinkonError(known, text(name), { cause: thrown, data })
}

/** Whether the connection broke: what was under way may have happened or not. */
export function isBroken(thrown: unknown): boolean {
  const { code = '', message = '' } = ((thrown as { cause?: unknown })?.cause ?? thrown ?? {}) as {
    code?: string
    message?: string
  }
  return BROKEN.has(code) || (BROKEN_MESSAGE.test(message) && !TIMEOUT_MESSAGE.test(message))
}

/** A connection that broke, where the same call may be made again: it is worth waiting for. */
export function asBusy(thrown: unknown): unknown {
  if (!ThinkonError.isInstance(thrown) || !isBroken(thrown)) return thrown
  return new ThinkonError('STORE_BUSY', thrown.message, { cause: thrown.cause, data: thrown.data })
}

function meaningOf(code: string, message: string, wasReached: boolean): Meaning | undefined {
  const known = MEANINGS[code]
  if (known !== undefined) return known
  const down = wasReached ? 'STORE_BUSY' : 'STORE_IO'
  if (UNREACHABLE.has(code) || TIMEOUT_MESSAGE.test(message)) {
    return [
      down,
      (name) => `${name} can't be reached: is PostgreSQL running there, and is the address right?`,
    ]
  }
  if (!BROKEN.has(code) && !BROKEN_MESSAGE.test(message)) return undefined
  return ['STORE_IO', (name) => `the connection to ${name} broke; the next call makes another`]
}

/** What reading rows threw: what can't be decoded is damage. */
export function readFailure(thrown: unknown, name: string): unknown {
  if (thrown instanceof DamagedEvent) return damagedRun(thrown, name)
  if (!isDamage(thrown)) return thrown
  const [code, message] = DAMAGED
  return new ThinkonError(code, message(name), { cause: thrown, data: { store: name } })
}

/** Calls `action`, which reads rows, and turns what it throws into our errors. */
export async function withReadErrors<T>({ name }: { name: string }, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (thrown) {
    throw readFailure(thrown, name)
  }
}
