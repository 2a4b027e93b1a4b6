/** What can be done with runs of a service as a whole. */
import { type Client, ThinkonError } from 'thinkon/client'
import { isObject, type Limits } from 'thinkon/protocol'
import type { RunDesk } from './source.ts'

const LINES = 'application/x-ndjson'

export function runDesk(client: Client): RunDesk {
  return {
    list: (query) => client.list(query),
    async row(run) {
      const { outcome, usage, activeMs, questions, model, ...row } = await client.show(run)
      const openQuestions = questions.length
      const value = outcome?.value
      const score = isObject(value) && typeof value.score === 'number' ? value.score : null
      return { ...row, figures: { model, usage, activeMs, openQuestions, score } }
    },
    async offers() {
      const [{ models, budget }, strategies] = await Promise.all([client.models(), client.strategies()])
      return { models: models.map(({ model }) => model), strategies, budget: budget as Limits }
    },
    async start({ goal, output, ...options }) {
      const run = await client.start(goal, { ...options, ...(output && { output }) } as object)
      return run.id
    },
    async exists(run) {
      try {
        await client.events(run, { limit: 1 })
        return true
      } catch (error) {
        if (error instanceof ThinkonError && error.code === 'UNKNOWN_RUN') return false
        throw error
      }
    },
    async startOf(run) {
      const [first] = (await client.events(run, { limit: 1 })).events
      if (first?.type !== 'run-start') throw new Error(`the journal of ${run} does not begin with run-start`)
      return first
    },
    async delete(run) {
      await client.delete(run)
    },
    async export(run) {
      const lines: string[] = []
      for await (const line of await client.export(run)) lines.push(line)
      return new Blob(lines, { type: LINES })
    },
    page: async (run) => new Blob([await client.page(run)], { type: 'text/html' }),
    import: async (file) => client.import([new Uint8Array(await file.arrayBuffer())]),
  }
}
