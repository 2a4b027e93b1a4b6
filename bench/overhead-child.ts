/** A process that does the work by hand or with Thinkon and prints its peak memory. */
import { createEngine } from '../src/index.ts'
import { bareLinear, bareTree, instantModel, linear, tree, UNLIMITED } from './overhead-work.ts'

const [who, shape] = process.argv.slice(2)
if (who === 'bare') await (shape === 'tree' ? bareTree(0) : bareLinear(200))
else {
  const engine = createEngine({ model: instantModel, strategies: [linear, tree] })
  const start =
    shape === 'tree' ? { strategy: 'bench-tree' } : { strategy: 'bench-linear', options: { calls: 200 } }
  await (await engine.start('bench', { ...start, budget: UNLIMITED })).outcome
  await engine.close()
}
process.stdout.write(String(process.resourceUsage().maxRSS))
