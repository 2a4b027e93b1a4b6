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

  it.each([null, '', {}, []])('a state that says nothing is none: %j', async (state) => {
    const filled: World = {
      root: [
        ['a', 6, { state }],
        ['b', 8, { state }],
      ],
    }
    const { notes, asked } = await search(filled, { search: 'BFS', depth: 1 })
    expect(asked.evaluated).toEqual(['a', 'b'])
    expect(notes('tot/best-path')).toMatchObject([{ path: ['root', 'node_1_2'] }])
  })

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

  /** The way through S is the only one; the first opinion of it is bad, the second good. */
  const hidden = (second: number): World => ({
    root: [
      ['a', 8],
      ['b', 7],
    ],
    a: [
      ['x', 1, { state: 'S' }],
      ['y', 5],
    ],
    b: [
      ['z', second, { state: 'S' }],
      ['w', 6],
    ],
    x: [['through S', 9]],
  })

  it('a remembered value is refined by later ones: what would be cut is judged again by the thought that reached it later', async () => {
    const options = { search: 'BFS', depth: 3, beam: 2, threshold: 0 }
    const { asked, notes, outcome } = await search(hidden(10), options)
    expect(asked.evaluated.slice(2, 6)).toEqual(['x', 'y', 'w', 'z'])
    expect(notes('tot/nodes-evaluated')[2]).toMatchObject({
      evaluations: [
        { node_id: 'node_2_3', score: 5.5, reasoning: 'x is 1 | z is 10' },
        { node_id: 'node_2_1', score: 5.5 },
      ],
    })
    expect(notes('tot/layer-selected')[1]).toMatchObject({ kept: ['node_2_4', 'node_2_1'] })
    expect(outcome.result).toBe('a\nx\nthrough S')
    // The mean of both stays too low.
    const { notes: unchanged } = await search(hidden(2), options)
    expect(unchanged('tot/layer-selected')[1]).toMatchObject({ kept: ['node_2_4', 'node_2_2'] })
  })

  it('a state that survives is not judged twice', async () => {
    const { asked } = await search(hidden(10), { search: 'BFS', depth: 2, beam: 3, threshold: 0 })
    expect(asked.evaluated).toEqual(['a', 'b', 'x', 'y', 'w'])
  })

  it.each(['DFS', 'best-first'])(
    'what was cut comes back when a later value shows it worthy: %s',
    async (how) => {
      const options = { search: how, depth: 3, threshold: 5 }
      const { asked, outcome } = await search(hidden(10), options, (answer) => answer === 'through S')
      expect(outcome).toMatchObject({ status: 'completed', result: 'a\nx\nthrough S' })
      expect(asked.evaluated.filter((content) => content === 'x' || content === 'z')).toEqual(['x', 'z'])
      expect(asked.generated.filter((content) => content === 'x' || content === 'z')).toEqual(['x'])
    },
  )

  it('duplicates never fill a beam, not even unmerged', async () => {
    const doubled: World = {
      root: [
        ['once', 8, { state: 'S' }],
        ['twice', 8, { state: 'S' }],
        ['other', 6],
      ],
    }
    for (const merge of [true, false]) {
      const { notes } = await search(doubled, { search: 'BFS', depth: 2, beam: 2, merge })
      expect(notes('tot/layer-selected')[0]).toMatchObject({ kept: ['node_1_1', 'node_1_3'] })
    }
  })
})
