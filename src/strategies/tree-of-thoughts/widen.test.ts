import { describe, expect, it } from 'vitest'
import { SMALL, search, type World } from '../../../tests/tot/world.ts'

describe('a search that finds nothing', () => {
  it('is widened once, asking again only where there may be more, then ends with the best path as partial', async () => {
    const options = { search: 'BFS', depth: 2, beam: 1, threshold: 0 }
    const { outcome, asked, notes, messages } = await search(SMALL, options, () => false)
    expect(asked.generated).toEqual(['root', 'a', 'root', 'b'])
    expect(outcome).toMatchObject({ status: 'partial', reason: 'no solution among 7 thoughts', result: 'a' })
    expect(notes('tot/adjusted')).toMatchObject([
      { error: { code: 'SEARCH_EXHAUSTED', recoverable: true }, change: expect.stringContaining('doubled') },
    ])
    expect(messages.at(-1)).toMatchObject({
      type: 'search_complete',
      error: { code: 'SEARCH_EXHAUSTED', recoverable: false },
      payload: { tree: { search_config: { beam_width: 2 } } },
    })
  })

  it('finds by being widened the candidates that were not asked for at first', async () => {
    const world: World = {
      root: [
        ['a', 8],
        ['b', 7],
        ['c', 6],
      ],
    }
    for (const merge of [true, false]) {
      for (const how of ['BFS', 'DFS', 'best-first', 'mcts']) {
        const options = { search: how, depth: 1, branching: 2, threshold: 0, merge, cap: true }
        const { outcome, stats } = await search(world, options, (answer) => answer === 'c')
        expect({ how, ...outcome }).toMatchObject({ how, status: 'completed', result: 'c' })
        expect(stats.total_nodes).toBe(4)
      }
    }
  })

  it('finds by being widened what the first beam had cut', async () => {
    const options = { search: 'BFS', depth: 2, beam: 1, threshold: 0 }
    const { outcome } = await search(SMALL, options, (answer) => answer === 'b1')
    expect(outcome).toMatchObject({ status: 'completed', result: 'b\nb1' })
  })

  it('tries by being widened the children that depth-first search had left out', async () => {
    const options = { search: 'DFS', depth: 2, branching: 1, threshold: 5 }
    const { outcome, asked } = await search(SMALL, options, (answer) => answer === 'b1')
    expect(outcome).toMatchObject({ status: 'completed', result: 'b\nb1' })
    expect(asked.generated).toEqual(['root', 'a', 'b'])
  })
})
