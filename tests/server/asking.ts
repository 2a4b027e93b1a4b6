/** Requests to a service, with its token. Paths begin with a slash. */
export interface Asking {
  fetch(path: string, init?: RequestInit): Promise<Response>
  json(path: string, init?: RequestInit): Promise<never>
  post(path: string, body?: unknown): Promise<Response>
}

export function asking(url: string, token: string): Asking {
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } })
  return {
    fetch: ask,
    json: async (path, init) => (await ask(path, init)).json() as Promise<never>,
    post: (path, body) =>
      ask(path, {
        method: 'POST',
        ...(body !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      }),
  }
}
