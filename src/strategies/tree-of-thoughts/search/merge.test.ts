import { describe, expect, it } from 'vitest'
import { search, type World } from '../../../../tests/tot/world.ts'

describe('merging and remembering', () => {
  const twins: World = {
    root: [
      ['a', 8],
      ['b', 7],
    ],
    a: [['Same  thing.', 6]],
    b: [
      ['same thing', 6],
      ['other', 5],
    ],
  }

  it('thoughts of the same words are merged: expanded once, evaluated once', async () => {
    const { notes, asked } = await search(twins, { search: 'BFS', depth: 2 })
    expect(notes('tot/layer-selected')[1]).toMatchObject({ merged: [{ id: 'node_2_2', into: 'node_2_1' }] })
    expect(asked.evaluated).toEqual(['a', 'b', 'Same  thing.', 'other'])
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
    expect(asked.evaluated).toEqual(['a', 'b', 'Same  thing.', 'other'])
    expect(notes('tot/nodes-evaluated')[1]).toMatchObject({ remembered: ['node_2_2'] })
    const { asked: all } = await search(twins, { search: 'BFS', depth: 2, merge: false, remember: false })
    expect(all.evaluated).toEqual(['a', 'b', 'Same  thing.', 'same thing', 'other'])
  })
})
