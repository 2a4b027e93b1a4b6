/**
 * Starts the runs that its messages name, each with a model that takes a moment, and answers how each has ended: `node starter.ts <store>`.
 * With `resume <run>` it resumes.
 */
import { createEngine, type Model, ThinkonError } from '../../src/index.ts'

const usage = { inputTokens: 1, outputTokens: 1 }
const model: Model = {
  id: 'slow',
  async call() {
    await new Promise((resolve) => setTimeout(resolve, 30))
    return { text: '{"do":"return","result":"done"}', usage }
  },
}
const engine = createEngine({ model, store: process.argv[2] as string })
process.on('message', async (id: string) => process.send?.(await ended(id)))
await engine.list()
process.send?.('ready')

async function ended(id: string) {
  try {
    const run = await engine.start('a goal', { id, strategy: 'minimal' })
    const { isFollowed } = run
    const events: string[] = []
    const reading = (async () => {
      for await (const event of run.events) events.push(event.type)
    })()
    const { status, usage } = await run.outcome
    await reading
    return { isFollowed, status, calls: usage.calls, last: events.at(-1), count: events.length }
  } catch (thrown) {
    return ThinkonError.isInstance(thrown) ? thrown.toJSON() : String(thrown)
  }
}
