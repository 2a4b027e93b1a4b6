import { describe, expect, it } from 'vitest'
import { search, type World } from '../../../../tests/tot/world.ts'

describe('Monte Carlo tree search', () => {
  it('explores as much as it is told to', async () => {
    const world: World = {
      root: [
        ['a', 7],
        ['b', 6],
      ],
      a: [
        ['a1', 7.2],
        ['a2', 7],
      ],
      b: [['b1', 6]],
      a1: [['a11', 7]],
    }
    const order = async (exploration: number) => {
      const options = { search: 'mcts', depth: 3, iterations: 3, threshold: 0, widen: false, exploration }
      return (await search(world, options)).visits.flat()
    }
    expect(await order(0)).toEqual(['root', 'node_1_1', 'node_2_1'])
    // After `a` was expanded it has three visits and `b` one: 0.71 + 2 √(ln 4 / 3) = 2.07 against 0.6 + 2 √(ln 4) = 2.95.
    expect(await order(2)).toEqual(['root', 'node_1_1', 'node_1_2'])
  })

  /** The first look is misleading: what seems best leads to nothing. */
  const misleading: World = {
    root: [
      ['shiny', 7],
      ['plain', 6],
    ],
    shiny: [
      ['s1', 1],
      ['s2', 0],
    ],
    plain: [
      ['p1', 9],
      ['p2', 8],
    ],
  }

  it('goes where the promise is, learns, and takes the most visited path', async () => {
    const options = { search: 'mcts', depth: 2, threshold: 0, iterations: 20, exploration: 0.5 }
    const { outcome, visits, notes } = await search(misleading, options)
    expect(visits.flat()).toEqual(['root', 'node_1_1', 'node_1_2'])
    expect(outcome).toMatchObject({ status: 'completed', result: 'plain\np1' })
    expect(notes('tot/best-path')).toEqual([{ path: ['root', 'node_1_2', 'node_2_3'], score: 9 }])
  })

  it('leaves what is exhausted, and counts it as a way back', async () => {
    const options = { search: 'mcts', depth: 2, threshold: 0, widen: false }
    const { outcome, stats } = await search(misleading, options, (answer) => answer === 'p2')
    expect(outcome).toMatchObject({ status: 'completed', result: 'plain\np2' })
    expect(stats).toMatchObject({ total_backtracks: 1 })
    const none = await search(misleading, options, () => false)
    expect(none.outcome.status).toBe('partial')
    expect(none.stats).toMatchObject({ total_backtracks: 2 })
  })
})
