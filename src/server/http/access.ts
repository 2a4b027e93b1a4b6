/**
 * Who may: every request is addressed to a host that is ours, comes from a page that is ours or from no page, and has a token that is good
 * for what it asks for.
 *
 * 1. The name of a host is checked, so that a page whose name is made to lead here (DNS rebinding) reaches nothing.
 * 2. A request from a page of another origin is refused, unless the operator allows the origin; that one needs a token in a header. What a
 *    browser sends by itself, the cookie, counts only for pages of ours.
 * 3. Tokens are compared in constant time.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { HttpError } from './problem.ts'
import { requireScope, SCOPES, type Scope } from './route.ts'

export interface Token {
  readonly token: string
  /** What it is good for; everything, unless given. */
  readonly scopes?: readonly Scope[]
}

export interface AccessOptions {
  /** Requests need one of these. */
  tokens?: readonly (string | Token)[]
  /** Instead of tokens: what the request may do, by your own means; null if nothing. */
  authorize?(request: Request): readonly Scope[] | null | Promise<readonly Scope[] | null>
  /** The names by which the service is reached, as in the header Host; `*` for any. */
  hosts?: readonly string[]
  /** Origins of other pages that may send requests with a token. */
  origins?: readonly string[]
  /** The name of the cookie that a token in an address becomes. */
  cookie?: string
}

export interface Access {
  /** Throws 403 for another host or origin. Returns the headers that let a page of an allowed origin read the answer. */
  admit(request: Request): Readonly<Record<string, string>>
  /** Throws 401 or 403 unless the request may do this; returns all that it may do. */
  require(request: Request, scope: Scope): Promise<readonly Scope[]>
  /** The cookie, for this path and those below, for whoever comes with a token in the address; null if there is none, or a wrong one. */
  cookieFor(request: Request, path: string): string | null
}

export const DEFAULT_COOKIE = 'thinkon'

export function accessOf(options: AccessOptions): Access {
  const { authorize, hosts, origins = [], cookie = DEFAULT_COOKIE } = options
  const tokens = (options.tokens ?? []).map((given) => {
    const { token, scopes = SCOPES } = typeof given === 'string' ? { token: given } : given
    return { digest: digestOf(token), scopes }
  })

  /** All tokens are looked at, whichever it is. */
  function scopesOf(given: string): readonly Scope[] | null {
    const digest = digestOf(given)
    let scopes: readonly Scope[] | null = null
    for (const known of tokens) if (timingSafeEqual(digest, known.digest)) scopes = known.scopes
    return scopes
  }

  async function granted(request: Request): Promise<readonly Scope[] | null> {
    if (authorize !== undefined) return authorize(request)
    const bearer = /^Bearer +(\S+)\s*$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    if (bearer !== undefined) return scopesOf(bearer)
    const kept = cookieOf(request, cookie)
    if (kept === null) return null
    const scopes = scopesOf(kept)
    if (scopes !== null) requireOwnPage(request)
    return scopes
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
    async require(request, scope) {
      const scopes = await granted(request)
      if (scopes === null)
        throw new HttpError(401, 'a token is needed: send it as "Authorization: Bearer <token>"', {
          'www-authenticate': 'Bearer realm="thinkon"',
        })
      requireScope({ scopes }, scope)
      return scopes
    },
    cookieFor(request, path) {
      const url = new URL(request.url)
      const token = url.searchParams.get('token')
      if (token === null || authorize !== undefined || scopesOf(token) === null) return null
      return `${cookie}=${encodeURIComponent(token)}; Path=${path}; HttpOnly; SameSite=Strict; Max-Age=31536000${isSecure(request, url) ? '; Secure' : ''}`
    },
  }
}

/** Also where a proxy has ended TLS: whoever lies about it gets a cookie that is sent less often. */
function isSecure(request: Request, { protocol }: URL): boolean {
  return protocol === 'https:' || request.headers.get('x-forwarded-proto') === 'https'
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function cookieOf(request: Request, name: string): string | null {
  for (const part of (request.headers.get('cookie') ?? '').split(';')) {
    const equals = part.indexOf('=')
    if (part.slice(0, equals).trim() !== name) continue
    try {
      return decodeURIComponent(part.slice(equals + 1).trim())
    } catch {
      return null
    }
  }
  return null
}

/**
 * A browser sends a cookie by itself: what changes something must come from a page of ours. To look, a person may also follow a link; but
 * no page of another port, which is the same site for a cookie, opens streams here.
 */
function requireOwnPage(request: Request): void {
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  if (origin !== null ? isOwn(origin, request) : site === 'same-origin') return
  const isToLook = request.method === 'GET' || request.method === 'HEAD'
  const isByPerson = site === null || site === 'none' || request.headers.get('sec-fetch-mode') === 'navigate'
  if (origin === null && isToLook && isByPerson) return
  throw new HttpError(
    403,
    'a request with a cookie must come from a page of this service; others send the token in a header',
  )
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
