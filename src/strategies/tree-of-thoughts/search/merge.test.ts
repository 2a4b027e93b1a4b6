import { describe, expect, it } from 'vitest'
import { search, type World } from '../../../../tests/tot/world.ts'

describe('merging and remembering', () => {
  /** "Open the housing" is fine after the one and deadly after the other. */
  const power: World = {
    root: [
      ['Leave the power on', 8],
      ['Switch the power off', 7],
    ],
    'Leave the power on': [['Open the housing', 1]],
    'Switch the power off': [['Open the housing', 10]],
  }

  it.each(['BFS', 'DFS', 'best-first', 'mcts'])(
    'the same words on another path are another state: %s',
    async (how) => {
      const options = { search: how, depth: 2, threshold: 5 }
      const { notes, asked } = await search(power, options)
      expect(asked.evaluated.filter((content) => content === 'Open the housing')).toHaveLength(2)
      expect(notes('tot/best-path')).toEqual([{ path: ['root', 'node_1_2', 'node_2_2'], score: 10 }])
    },
  )

  const twins: World = {
    root: [
      ['a', 8],
      ['b', 7],
    ],
    a: [
      ['Same  thing.', 6],
      ['same thing', 6],
    ],
    b: [['same thing', 6]],
  }

  it('thoughts of the same words on the same path are merged: expanded once, evaluated once', async () => {
    const { notes, asked } = await search(twins, { search: 'BFS', depth: 2 })
    expect(notes('tot/layer-selected')[1]).toMatchObject({ merged: [{ id: 'node_2_2', into: 'node_2_1' }] })
    expect(asked.evaluated).toEqual(['a', 'b', 'Same  thing.', 'same thing'])
  })

  it('thoughts of the same state are merged, whatever their words', async () => {
    const states: World = {
      root: [
        ['left then right', 5, { state: 'middle' }],
        ['right then left', 5, { state: 'middle' }],
      ],
    }
    const { notes, asked } = await search(states, { search: 'BFS', depth: 1 })
    expect(notes('tot/layer-selected')).toMatchObject([{ merged: [{ id: 'node_1_2', into: 'node_1_1' }] }])
    expect(asked.evaluated).toEqual(['left then right'])
  })

  it('without merging both stay, and the second value is remembered', async () => {
    const { notes, asked } = await search(twins, { search: 'BFS', depth: 2, merge: false })
    expect(notes('tot/layer-selected')[1]).toMatchObject({ merged: [] })
    expect(asked.evaluated).toEqual(['a', 'b', 'Same  thing.', 'same thing'])
    expect(notes('tot/nodes-evaluated')[1]).toMatchObject({ remembered: ['node_2_2'] })
    const { asked: all } = await search(twins, { search: 'BFS', depth: 2, merge: false, remember: false })
    expect(all.evaluated).toEqual(['a', 'b', 'Same  thing.', 'same thing', 'same thing'])
  })
})
