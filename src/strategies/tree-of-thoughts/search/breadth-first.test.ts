import { describe, expect, it } from 'vitest'
import { SMALL, search, type World } from '../../../../tests/tot/world.ts'

describe('breadth-first search', () => {
  it('expands a layer at once, keeps the best of it, and ends with the best of the last', async () => {
    const { outcome, visits, notes } = await search(SMALL, { search: 'BFS', depth: 2, beam: 2 })
    expect(outcome).toMatchObject({ status: 'completed', result: 'b\nb1' })
    expect(visits).toEqual([['root'], ['node_1_1', 'node_1_2']])
    expect(notes('tot/layer-selected')).toMatchObject([
      { round: 1, depth: 1, kept: ['node_1_1', 'node_1_2'], pruned: ['node_1_3'] },
      { round: 2, depth: 2, kept: ['node_2_3', 'node_2_2'], pruned: ['node_2_1', 'node_2_4'] },
    ])
    expect(notes('tot/best-path')).toEqual([{ path: ['root', 'node_1_2', 'node_2_3'], score: 9 }])
  })

  it('stops at a verified solution: one parent at a time, the best first, spares the others', async () => {
    const options = { search: 'BFS', depth: 2, beam: 3, concurrency: 1, threshold: 0 }
    const { outcome, asked } = await search(SMALL, options, (answer) => answer === 'b2')
    expect(outcome).toMatchObject({ status: 'completed', result: 'b\nb2' })
    expect(asked.generated).toEqual(['root', 'a', 'b'])
  })

  it('verifies every candidate of the last layer before it is cut, and evaluates none that is refuted', async () => {
    const options = { search: 'BFS', depth: 2, beam: 1, widen: false }
    const wide: World = {
      root: [['a', 8]],
      a: [
        ['a1', 9],
        ['a2', 1],
      ],
    }
    const { outcome, asked } = await search(wide, options, (answer) => answer === 'a2')
    expect(outcome).toMatchObject({ status: 'completed', result: 'a\na2' })
    expect(asked.evaluated).toEqual(['a'])
    const survivors = await search(wide, { ...options, verify: 'survivors' }, (answer) => answer === 'a2')
    expect(survivors.outcome.status).toBe('partial')
    expect(survivors.asked.evaluated).toEqual(['a', 'a1', 'a2'])
  })

  it('is stable: of equal scores the surer one, then the one that was made first', async () => {
    const equal: World = {
      root: [
        ['a', 6],
        ['b', 6, { confidence: 0.9 }],
        ['c', 6],
        ['d', 7, { confidence: 0.1 }],
      ],
    }
    const { notes } = await search(equal, { search: 'BFS', depth: 1, beam: 3 })
    expect(notes('tot/layer-selected')).toMatchObject([{ kept: ['node_1_4', 'node_1_2', 'node_1_1'] }])
  })

  it('takes more candidates than it asked for, and evaluates them all', async () => {
    const many: World = { root: Array.from({ length: 12 }, (_, i) => [`t${i}`, i / 2] as const) }
    const { asked, outcome } = await search(many, { search: 'BFS', depth: 1, branching: 2 })
    expect(asked.evaluated).toHaveLength(12)
    expect(outcome.result).toBe('t11')
  })
})
