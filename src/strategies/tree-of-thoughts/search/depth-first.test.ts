import { describe, expect, it } from 'vitest'
import { SMALL, search, type World } from '../../../../tests/tot/world.ts'

describe('depth-first search', () => {
  it('goes down the best child first, and back up where nothing is good enough', async () => {
    const options = { search: 'DFS', depth: 2, threshold: 5, widen: false }
    const { outcome, visits, notes, stats } = await search(SMALL, options, (answer) => answer === 'b2')
    expect(outcome).toMatchObject({ status: 'completed', result: 'b\nb2' })
    expect(visits).toEqual([['root'], ['node_1_1'], ['node_1_2']])
    expect(notes('tot/node-backtracked')).toEqual([
      { node_id: 'node_1_1', to: 'root', why: 'none of its children is good enough' },
    ])
    expect(stats).toMatchObject({ total_backtracks: 1, total_nodes: 8 })
  })

  it('counts every way back, through several levels', async () => {
    const deep: World = {
      root: [
        ['a', 9],
        ['z', 6],
      ],
      a: [
        ['b', 8],
        ['d', 7],
      ],
      b: [['c', 6]],
      d: [['e', 6]],
      z: [['y', 6]],
      y: [['x', 6]],
    }
    const options = { search: 'DFS', depth: 3, threshold: 5, widen: false }
    const { visits, notes, stats } = await search(deep, options, (answer) => answer === 'x')
    expect(visits.flat()).toEqual(['root', 'node_1_1', 'node_2_1', 'node_2_2', 'node_1_2', 'node_2_3'])
    expect((notes('tot/node-backtracked') as { node_id: string }[]).map(({ node_id }) => node_id)).toEqual([
      'node_2_1',
      'node_2_2',
      'node_1_1',
    ])
    expect(stats).toMatchObject({ total_backtracks: 3 })
  })

  it('tries at most the branching factor of children, and ends at the first path that holds', async () => {
    const { outcome, visits } = await search(SMALL, { search: 'DFS', depth: 2, threshold: 5, branching: 1 })
    expect(outcome).toMatchObject({ status: 'completed', result: 'a\na2' })
    expect(visits.flat()).toEqual(['root', 'node_1_1'])
    const never = await search(SMALL, { search: 'DFS', depth: 2, branching: 1, widen: false }, () => false)
    expect(never.asked.generated).toEqual(['root', 'a'])
  })

  it('keeps to the limit of nodes', async () => {
    const endless: World = new Proxy(
      {},
      {
        get: (_, name) => [
          [`${String(name)}0`, 9],
          [`${String(name)}1`, 8],
        ],
      },
    )
    const options = { search: 'DFS', depth: 50, max_nodes: 9, widen: false }
    const { outcome, stats } = await search(endless, options, () => false)
    expect(outcome).toMatchObject({ status: 'partial' })
    expect(stats).toMatchObject({ total_nodes: 9 })
  })
})

it('counts no way back twice when a search is widened and walks through what it knows', async () => {
  const world: World = {
    root: [
      ['a', 9],
      ['b', 8],
    ],
    a: [['a1', 7]],
    a1: [['a2', 6]],
    b: [['b1', 7]],
  }
  const options = { search: 'DFS', depth: 3, branching: 1, threshold: 0 }
  const { notes, asked } = await search(world, options, () => false)
  expect(asked.generated).toEqual(['root', 'a', 'a1', 'a', 'a1', 'b', 'b1'])
  expect((notes('tot/node-backtracked') as { node_id: string }[]).map(({ node_id }) => node_id)).toEqual([
    'node_2_1',
    'node_1_1',
    'node_2_2',
    'node_1_2',
  ])
})
