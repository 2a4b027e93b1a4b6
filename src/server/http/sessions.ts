/**
 * Sessions of Studio: its page sends a session instead of a token.
 *
 * 1. A session is derived from a token: it has the token's scopes, expires, and is valid after a restart. The token does not follow from it.
 * 2. The page keeps it in the storage of its origin, which has a port: unlike a cookie it reaches no other program of the machine.
 * 3. A person opens a session with a token, or with a code in the address that was printed. A code works once, and expires.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const SESSION_MS = 30 * 24 * 3_600_000
const CODE_MS = 15 * 60_000
const MAX_CODES = 1_000
const SESSION = /^session\.([0-9a-z]{1,11})\.[A-Za-z0-9_-]{43}$/

export interface Session {
  readonly session: string
  readonly expiresAt: string
}

export function openSession(token: string, nowMs = Date.now()): Session {
  const endMs = nowMs + SESSION_MS
  return { session: sessionOf(token, endMs), expiresAt: new Date(endMs).toISOString() }
}

/** Whether it was derived from this token and has not expired. */
export function isSessionOf(token: string, given: string, nowMs = Date.now()): boolean {
  const endMs = Number.parseInt(SESSION.exec(given)?.[1] ?? '', 36)
  if (!(endMs > nowMs)) return false
  const [one, other] = [Buffer.from(sessionOf(token, endMs)), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function sessionOf(token: string, endMs: number): string {
  const mac = createHmac('sha256', token).update(`thinkon session ${endMs}`).digest('base64url')
  return `session.${endMs.toString(36)}.${mac}`
}

/** Codes in addresses, each for a session of a token. */
export class LoginCodes {
  private readonly codes = new Map<string, { token: string; endMs: number }>()

  create(token: string, nowMs = Date.now()): string {
    const code = randomBytes(24).toString('base64url')
    if (this.codes.size >= MAX_CODES) this.codes.clear()
    this.codes.set(digestOf(code), { token, endMs: nowMs + CODE_MS })
    return code
  }

  /** The token; null if there is no such code, or it has expired. The code does not work again. */
  take(code: string, nowMs = Date.now()): string | null {
    const digest = digestOf(code)
    const found = this.codes.get(digest)
    this.codes.delete(digest)
    return found !== undefined && found.endMs > nowMs ? found.token : null
  }
}

/** A map is not searched in constant time, so it has digests. */
function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url')
}
