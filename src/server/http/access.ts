/**
 * Who may: every request is addressed to a host that is ours, comes from a page that is ours or from no page, and has a token that is good
 * for what it asks for.
 *
 * 1. The name of a host is checked, so that a page whose name is made to lead here (DNS rebinding) reaches nothing.
 * 2. A request from a page of another origin is refused, unless the operator allows the origin. Nothing that a browser sends by itself counts:
 *    a token or a session (sessions.ts) is in a header.
 * 3. Tokens are compared in constant time.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { refuseWeakToken } from '../../config/serve-settings.ts'
import { type Action, type Caller, clientOf, SCOPES, type Scope } from '../scopes.ts'
import { HttpError } from './problem.ts'
import { requireAllowed } from './route.ts'
import { isSessionOf, type LoginCodes, openSession, type Session } from './sessions.ts'

export interface Token {
  readonly token: string
  /** What it is good for; everything, unless given. */
  readonly scopes?: readonly Scope[]
}

/** `client` is your name for the client that owns the runs that it starts. */
export type Authorized = readonly Scope[] | { readonly scopes: readonly Scope[]; readonly client: string }

export interface AccessOptions {
  /** Requests need one of these. */
  tokens?: readonly (string | Token)[]
  /** Instead of tokens: what the request may do, by your own means; null if nothing. Without a client, all requests are of one client. */
  authorize?(request: Request): Authorized | null | Promise<Authorized | null>
  /** The names by which the service is reached, as in the header Host; `*` for any. */
  hosts?: readonly string[]
  /** Origins of other pages that may send requests with a token. */
  origins?: readonly string[]
  /** One-time codes that open a session of Studio. */
  codes?: LoginCodes
}

export interface Access {
  /** Throws 403 for another host or origin. Returns the headers that let a page of an allowed origin read the answer. */
  admit(request: Request): Readonly<Record<string, string>>
  /** Throws 401 or 403 unless the request may do this; returns who sends it. */
  require(request: Request, action: Action): Promise<Caller>
  /** A session for the code, or for the token in the header. Throws 401 if neither is right. */
  openSession(request: Request, code?: string): Session
}

const BEARER = /^Bearer +(\S+)\s*$/i

export function accessOf(options: AccessOptions): Access {
  const { authorize, hosts, origins = [], codes } = options
  const tokens = (options.tokens ?? []).map((given, i) => {
    const { token, scopes = SCOPES } = typeof given === 'string' ? { token: given } : given
    refuseWeakToken(token, `serviceApp: tokens[${i}]`)
    return { token, digest: digestOf(token), scopes, client: clientOf(token) }
  })

  /** All tokens are compared, whichever it is. */
  function tokenOf(given: string) {
    const digest = digestOf(given)
    let found: (typeof tokens)[number] | null = null
    for (const known of tokens) if (timingSafeEqual(digest, known.digest)) found = known
    return found
  }

  async function granted(request: Request): Promise<Caller | null> {
    if (authorize !== undefined) {
      const given = await authorize(request)
      if (given === null || !('client' in given)) return given && { scopes: given, client: '' }
      return { scopes: given.scopes, client: clientOf(given.client) }
    }
    const bearer = bearerOf(request)
    if (bearer === undefined) return null
    const found = tokenOf(bearer) ?? tokens.find(({ token }) => isSessionOf(token, bearer))
    return found ?? null
  }

  return {
    admit(request) {
      if (hosts !== undefined) requireHost(request, hosts)
      const origin = request.headers.get('origin')
      if (origin === null || isOwn(origin, request)) return {}
      if (!origins.includes(origin))
        throw new HttpError(403, `pages of ${origin.slice(0, 200)} may not send requests here`)
      return {
        'access-control-allow-origin': origin,
        // Clients of other protocols send headers of their own.
        'access-control-allow-headers':
          request.headers.get('access-control-request-headers') ??
          'authorization, content-type, last-event-id',
        'access-control-allow-methods': 'GET, POST, DELETE',
        'access-control-expose-headers': 'location, retry-after',
        'access-control-max-age': '600',
        vary: 'origin',
      }
    },
    async require(request, action) {
      const caller = await granted(request)
      if (caller === null) throw unauthorized(request)
      requireAllowed(caller, action)
      return caller
    },
    openSession(request, code) {
      const bearer = bearerOf(request)
      const token = code === undefined ? bearer && tokenOf(bearer)?.token : codes?.take(code)
      if (!token) throw unauthorized(request)
      return openSession(token)
    },
  }
}

function bearerOf(request: Request): string | undefined {
  return BEARER.exec(request.headers.get('authorization') ?? '')?.[1]
}

function unauthorized(request: Request): HttpError {
  return new HttpError(401, whyUnauthorized(request.headers.get('authorization')), {
    'www-authenticate': 'Bearer realm="thinkon"',
  })
}

function whyUnauthorized(header: string | null): string {
  if (header === null) return 'a token is needed: send it as "Authorization: Bearer <token>"'
  if (!BEARER.test(header))
    return 'the header Authorization must be "Bearer <token>", and a token has no spaces'
  return 'the token in the header Authorization is not one of this service'
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function isOwn(origin: string, request: Request): boolean {
  const host = request.headers.get('host') ?? new URL(request.url).host
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
}

function requireHost(request: Request, hosts: readonly string[]): void {
  const host = (request.headers.get('host') ?? '').toLowerCase()
  const name = host.replace(/:\d+$/, '')
  const isAllowed = hosts.some((allowed) => {
    if (allowed === '*') return true
    if (allowed === 'ip') return isIP(name.replace(/^\[|\]$/g, '')) !== 0
    return allowed.toLowerCase() === host || allowed.toLowerCase() === name
  })
  if (!isAllowed)
    throw new HttpError(
      403,
      `this service is not reached by the name ${host === '' ? '(none)' : host.slice(0, 200)}`,
    )
}
