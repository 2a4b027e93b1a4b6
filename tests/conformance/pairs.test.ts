// The kernel's promises for every ordered pair of the five strategies: what solves the root, over what solves its children.
//
// Crashes and forks come at every fourth event; with THINKON_THOROUGH=1 at each, which takes minutes.

import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import type { ModelIo } from '../../src/kernel/model.ts'
import type { ModelRequest } from '../../src/protocol/index.ts'
import { STRATEGIES } from '../../src/strategies/registry.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { violations } from './invariants.ts'
import { EVERY } from './kernel/prove.ts'
import { strategyConformance } from './kernel/strategy.ts'
import { PAIRS, pairUnderTest, STRATEGIES_UNDER_TEST } from './pairs.ts'
import { memoryPlace } from './places.ts'
import { countedTools, type Task, TREE, totUnderTest } from './tasks.ts'

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

  strategyConformance(name, { engine: createEngine, place: memoryPlace, strategy, every: EVERY })
}

const NAME: Task = { goal: 'find a name', result: 'Otto' }

/** Each candidate is a block of the inner strategy: the search asks no model for thoughts. */
for (const [inner, tested] of Object.entries(STRATEGIES_UNDER_TEST)) {
  it(`tot over ${inner}: a generator that is a strategy gives the thoughts, one block each`, async () => {
    const [ofSearch, ofInner] = [totUnderTest.model(NAME), tested.model(NAME)]
    const model = new ScriptedModel(async (request: ModelRequest, io: ModelIo) => {
      const { value } = await (request.kind.startsWith('tot/') ? ofSearch : ofInner).call(request, io)
      return value
    })
    const engine = createEngine({ model })
    const options = { generator: { strategy: inner }, branching: 1, depth: 1 }
    const run = await engine.start(NAME.goal, { strategy: 'tot', options })
    expect(await run.outcome).toMatchObject({ status: 'completed', result: 'Otto' })
    const events = [...(await engine.events(run.id))]
    const child = events.find((event) => event.type === 'block-start' && event.path === '1-1')
    expect(child).toMatchObject({ goal: NAME.goal, strategy: `${inner}@${STRATEGIES.get(inner)?.version}` })
    expect(violations(events, { waitsForChildren: true })).toEqual([])
    expect((await engine.replay(run.id)).differences).toEqual([])
    await engine.close()
  })
}
