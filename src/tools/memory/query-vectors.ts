/** Vectors of queries. One that came too late for its search is available to the next search for the same query. */

import { unlessAborted } from '../../kernel/unless-aborted.ts'
import { ThinkonError } from '../../protocol/index.ts'

/** A vector for each text, all of the same length. The signal says that they are no longer needed. */
export type Embed = (
  texts: readonly string[],
  signal?: AbortSignal,
) => Promise<readonly (readonly number[])[]>

const MAX_KEPT = 64

export function queryVectors(embed: Embed) {
  const kept = new Map<string, Promise<Float32Array>>()
  const closing = new AbortController()

  function begin(query: string): Promise<Float32Array> {
    const vector = vectorOf(embed, query, closing.signal)
    kept.set(query, vector)
    const [oldest] = kept.keys()
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
    // The next search retries what failed.
    vector.catch(() => kept.get(query) === vector && kept.delete(query))
    return vector
  }

  return {
    /** Whether a search for it needs no new vector. */
    has: (query: string) => kept.has(query),
    /** The vector, or why there is none. Never rejects, and never takes longer than `withinMs`. */
    async of(query: string, withinMs: number, signal?: AbortSignal): Promise<Float32Array | string> {
      const late = AbortSignal.timeout(Math.max(0, Math.ceil(withinMs)))
      const stop = AbortSignal.any([late, ...(signal ? [signal] : [])])
      try {
        return await unlessAborted(kept.get(query) ?? begin(query), stop)
      } catch (thrown) {
        if (stop.aborted) return late.aborted ? 'the embedding took too long' : 'the search was stopped'
        // Only Thinkon's own errors are known to contain no keys; the text goes on record.
        return ThinkonError.isInstance(thrown) ? thrown.message : 'the embedding failed'
      }
    },
    /** Stops all waiting. */
    close: () => closing.abort(),
  }
}

async function vectorOf(embed: Embed, query: string, signal: AbortSignal): Promise<Float32Array> {
  const [vector] = await embed([query], signal)
  if (vector === undefined) throw new Error('there is no vector')
  return Float32Array.from(vector)
}
