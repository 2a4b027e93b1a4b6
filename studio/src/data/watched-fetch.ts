import { sessionFetch } from './session.ts'

/** Requests of the session that report the state of the runs' streams: the client opens a stream again by itself if it breaks off. */
export interface WatchedFetch {
  readonly fetch: typeof globalThis.fetch
  /** `problem` is null when the stream is open, and empty when the service can't be reached. */
  watch(run: string, onChange: (problem: string | null) => void): () => void
}

export function watchedFetch(): WatchedFetch {
  const watching = new Map<string, Set<(problem: string | null) => void>>()
  const tell = (run: string | null, problem: string | null) => {
    if (run !== null) for (const listener of watching.get(run) ?? []) listener(problem)
  }
  return {
    async fetch(input, init) {
      const run = streamedRun(input)
      try {
        const response = await sessionFetch(input, init)
        tell(run, response.ok ? null : `${response.status} ${response.statusText}`)
        return response
      } catch (error) {
        if (init?.signal?.aborted !== true) tell(run, '')
        throw error
      }
    },
    watch(run, onChange) {
      const listeners = watching.get(run) ?? new Set()
      watching.set(run, listeners.add(onChange))
      return () => listeners.delete(onChange)
    },
  }
}

function streamedRun(input: RequestInfo | URL): string | null {
  const url = new URL(input instanceof Request ? input.url : input, location.href)
  const found = /\/runs\/([^/]+)\/events$/.exec(url.pathname)
  return found === null ? null : decodeURIComponent(found[1] as string)
}
