/** Requests that say how the streams of runs fare: the client opens a stream that broke off again by itself, and tells nobody. */
export interface WatchedFetch {
  readonly fetch: typeof globalThis.fetch
  /** `problem` is empty when the stream is open. */
  watch(run: string, onChange: (problem: string) => void): () => void
}

export function watchedFetch(): WatchedFetch {
  const watching = new Map<string, Set<(problem: string) => void>>()
  const tell = (run: string | null, problem: string) => {
    if (run !== null) for (const listener of watching.get(run) ?? []) listener(problem)
  }
  return {
    async fetch(input, init) {
      const run = streamedRun(input)
      try {
        const response = await globalThis.fetch(input, init)
        tell(run, response.ok ? '' : `${response.status} ${response.statusText}`)
        return response
      } catch (error) {
        if (init?.signal?.aborted !== true) tell(run, error instanceof Error ? error.message : String(error))
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
