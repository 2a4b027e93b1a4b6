/** A process that does the work by hand or with Thinkon and prints its peak memory. */
import { createEngine } from '../src/index.ts'
import { MODELS, SHAPES, type Shape, STRATEGIES, UNLIMITED } from './overhead-work.ts'

const [who, given] = process.argv.slice(2)
const shape = SHAPES[given as Shape]
const model = MODELS.reading
if (who === 'bare') await shape.byHand({ model })
else {
  const engine = createEngine({ model, strategies: STRATEGIES })
  await (await engine.start('bench', { strategy: shape.strategy, budget: UNLIMITED })).outcome
  await engine.close()
}
process.stdout.write(String(process.resourceUsage().maxRSS))
