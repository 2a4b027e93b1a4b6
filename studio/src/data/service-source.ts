/** Runs of the service that this page comes from. */
import { type Client, createClient } from 'thinkon/client'
import { runDesk } from './run-desk.ts'
import { runHands } from './run-hands.ts'
import type { Source } from './source.ts'
import { watchedFetch } from './watched-fetch.ts'

/** A page that is left open waits for its service as long as it takes. */
const GIVE_UP_MS = 7 * 24 * 3_600_000

export function serviceSource(url: string): Source & { readonly client: Client } {
  const { fetch, watch } = watchedFetch()
  const client = createClient({ url, fetch, giveUpMs: GIVE_UP_MS })
  return {
    client,
    hands: runHands(client),
    desk: runDesk(client),
    formEveryMs: 1_000,
    form: (run, path, options) => client.form(run, path, options),
    async *follow(run, { signal, onConnection, onCount }) {
      let isCaughtUp = false
      const unwatch = watch(run, (problem) =>
        onConnection(problem !== null ? 'lost' : isCaughtUp ? 'live' : 'reading', problem ?? ''),
      )
      let from = 1
      try {
        for await (const { events, last } of pagesOf(client, run, signal)) {
          onCount(last)
          yield* events
          from += events.length
          if (events.at(-1)?.type === 'run-end') return
        }
        isCaughtUp = true
        yield* client.run(run).events.with({ deltas: true, from, signal })
      } finally {
        unwatch()
      }
    },
  }
}

const PAGE = 1_000

/**
 * What is in the journal by now: pages are read much faster than a stream, and the page draws between them. What they can't bring, the
 * stream does, which comes again by itself: so their errors are its own.
 */
async function* pagesOf(client: Client, run: string, signal: AbortSignal) {
  const ask = (from: number) => client.events(run, { from, limit: PAGE, signal }).catch(() => null)
  let asked: ReturnType<typeof ask> | null = ask(1)
  while (asked !== null) {
    const page: Awaited<ReturnType<typeof ask>> = await asked
    if (page === null) return
    // The next one is on its way while this one is folded.
    asked = page.next === null ? null : ask(page.next)
    yield page
  }
}
