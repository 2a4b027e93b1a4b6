/** Runs of the service that this page comes from. */
import { type Client, createClient } from 'thinkon/client'
import type { Source } from './source.ts'

export function serviceSource(url: string): Source & { readonly client: Client } {
  const client = createClient({ url })
  return {
    client,
    isLive: true,
    list: (query) => client.list(query),
    form: (run, path, options) => client.form(run, path, options),
    async *follow(run, { signal, onConnection }) {
      const events = client.run(run).events.with({ deltas: true })
      const stopped = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      )
      stopped.catch(() => {})
      const reader = events[Symbol.asyncIterator]()
      try {
        for (;;) {
          const next = await Promise.race([reader.next(), stopped])
          if (next.done) return
          onConnection('live')
          yield next.value
        }
      } finally {
        void reader.return?.()
      }
    },
  }
}
