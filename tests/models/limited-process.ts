/**
 * A process that works on runs within limits that it shares: `limited-process.ts <provider's address> <how many> <goal>`, with the store
 * in THINKON_POSTGRES. All runs are started at once and make one call each; each one's end is a line.
 */
import { createEngine } from '../../src/engine.ts'

const [url, count, goal = ''] = process.argv.slice(2)
const engine = createEngine({
  store: process.env.THINKON_POSTGRES ?? '',
  model: { model: `${url}#fake`, resilience: { maxConcurrent: 4 } },
})
await Promise.all(
  Array.from({ length: Number(count) }, async () => {
    const run = await engine.start(goal, { strategy: 'minimal' })
    const { status } = await run.outcome
    if (status === 'completed') console.log('answered')
  }),
)
await engine.close()
