import { describe, expect, it } from 'vitest'
import { search, type World } from '../../../../tests/tot/world.ts'

/** Four children below every thought. */
const endless: World = new Proxy(
  {},
  { get: (_, name) => [1, 2, 3, 4].map((n) => [`${String(name)}${n}`, 9 - n / 10] as const) },
)

describe('max_nodes', () => {
  it.each(['BFS', 'DFS', 'best-first', 'mcts'])('is never exceeded by %s, the root included', async (how) => {
    for (const max_nodes of [1, 2, 7, 23]) {
      const options = { search: how, depth: 12, branching: 4, beam: 5, max_nodes }
      const { outcome, stats, asked, notes } = await search(endless, options, () => false)
      expect([how, stats]).toMatchObject([how, { total_nodes: max_nodes }])
      expect(asked.evaluated).toHaveLength(max_nodes - 1)
      expect(outcome.reason).toContain(`its limit of ${max_nodes} nodes`)
      // What no longer fits is not lost without a trace.
      const fits = (max_nodes - 1) % 4 === 0
      expect(notes('tot/candidate-dropped').length > 0).toBe(!fits)
    }
  })

  it('asks no more parents for candidates than there is room for', async () => {
    const { asked } = await search(endless, { search: 'BFS', depth: 6, branching: 4, beam: 4, max_nodes: 7 })
    expect(asked.generated).toHaveLength(1 + 2)
  })
})
