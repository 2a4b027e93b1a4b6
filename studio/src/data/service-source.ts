/** Runs of the service that this page comes from. */
import { type Client, createClient } from 'thinkon/client'
import { isObject } from 'thinkon/protocol'
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
    isLive: true,
    hands: runHands(client),
    desk: runDesk(client),
    list: (query) => client.list(query),
    form: (run, path, options) => client.form(run, path, options),
    async row(run) {
      const { outcome, usage, activeMs, questions, model, ...row } = await client.show(run)
      const openQuestions = questions.length
      const standing = openQuestions > 0 ? 'waiting' : row.status === 'stopped' ? 'running' : row.status
      const value = outcome?.value
      const score = isObject(value) && typeof value.score === 'number' ? value.score : null
      return { ...row, figures: { model, usage, activeMs, openQuestions, standing, score } }
    },
    fork: (run, at, edit) => client.fork(run, at, edit && { edit }),
    async *follow(run, { signal, onConnection }) {
      const events = client.run(run).events.with({ deltas: true })
      const stopped = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      )
      stopped.catch(() => {})
      const unwatch = watch(run, (problem) => onConnection(problem === '' ? 'live' : 'lost', problem))
      const reader = events[Symbol.asyncIterator]()
      try {
        for (;;) {
          const next = await Promise.race([reader.next(), stopped])
          if (next.done) return
          yield next.value
        }
      } finally {
        unwatch()
        void reader.return?.()
      }
    },
  }
}
