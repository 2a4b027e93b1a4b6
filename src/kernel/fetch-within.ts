/**
 * A fetch that stays at the server it is for. The standard one follows redirects to any host, with the request's body and all headers
 * but `Authorization` and cookies: keys in other headers, prompts and arguments of tools would go along.
 */
const MAX_REDIRECTS = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

export const fetchWithin: typeof fetch = async (input, init) => {
  let url = new URL(input instanceof Request ? input.url : input)
  let response = await fetch(input, { ...init, redirect: 'manual' })
  for (let redirects = 0; redirects < MAX_REDIRECTS; redirects++) {
    const location = response.headers.get('location')
    if (!REDIRECTS.includes(response.status) || location === null) return response
    await response.body?.cancel()
    const isRepeatable = !(input instanceof Request) && !(init?.body instanceof ReadableStream)
    url = followed(url, location, isRepeatable && (response.status > 303 || isGet(init)))
    response = await fetch(url, { ...init, redirect: 'manual' })
  }
  await response.body?.cancel()
  throw new RedirectError(`${url.origin} redirects more than ${MAX_REDIRECTS} times`)
}

/** Nothing was sent to where the redirect leads. */
export class RedirectError extends Error {
  override readonly name = 'RedirectError'
  readonly isRetryable = false
}

/** Within the origin, and only if the same request can be made there. */
function followed(from: URL, location: string, isSame: boolean): URL {
  if (!URL.canParse(location, from.href))
    throw new RedirectError(`${from.origin} redirects to an invalid address`)
  const to = new URL(location, from)
  if (to.origin !== from.origin) {
    const why = `the request and its key are for ${from.origin}. If that is the right server, configure its address`
    throw new RedirectError(`${from.origin} redirects to ${to.origin}: not followed, because ${why}`)
  }
  if (!isSame)
    throw new RedirectError(`${from.origin} redirects to ${to.pathname}: configure that address instead`)
  return to
}

function isGet(init: RequestInit | undefined): boolean {
  return ['GET', 'HEAD'].includes(init?.method?.toUpperCase() ?? 'GET')
}
