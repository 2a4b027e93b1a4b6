// The kernel's promises for every ordered pair of the five strategies: what solves the root, over what solves its children.
//
// Crashes and forks are at every fourth event; THINKON_PAIRS_EVERY=1 makes them come at each, which takes minutes.

import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { kernelConformance } from './kernel.ts'
import { PAIRS, pairUnderTest } from './pairs.ts'
import { memoryPlace } from './places.ts'
import { countedTools, TREE } from './tasks.ts'

const every = Number(process.env.THINKON_PAIRS_EVERY ?? 4)

for (const pair of PAIRS) {
  const name = `${pair.outer} over ${pair.inner}`
  const strategy = pairUnderTest(pair)

  it(`${name}: the root is the outer one's, and each of its children the inner one's`, async () => {
    const { tools } = countedTools()
    const engine = createEngine({ model: strategy.model(TREE), tools })
    const { name: outer, options = {} } = strategy
    const run = await engine.start(TREE.goal, { strategy: outer, options })
    expect(await run.outcome).toMatchObject({ status: 'completed' })
    const solvers = new Map<string, string>()
    for (const event of await engine.events(run.id))
      if (event.type === 'block-start' && !solvers.has(String(event.goal)))
        solvers.set(String(event.goal), event.strategy.split('@')[0] ?? '')
    await engine.close()
    expect(solvers.get(TREE.goal)).toBe(pair.outer)
    expect(TREE.children?.map(({ goal }) => solvers.get(goal))).toEqual(Array(3).fill(pair.inner))
  })

  kernelConformance(name, { engine: createEngine, place: memoryPlace, strategy, strategyOnly: true, every })
}
