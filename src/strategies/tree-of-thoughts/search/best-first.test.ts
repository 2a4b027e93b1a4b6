import { describe, expect, it } from 'vitest'
import { search, type World } from '../../../../tests/tot/world.ts'

describe('best-first search', () => {
  it('always expands the best thought of all, and ends when that is an end', async () => {
    const jumping: World = {
      root: [
        ['a', 8],
        ['b', 7],
      ],
      a: [['a1', 5]],
      b: [['b1', 7]],
      b1: [['b2', 6]],
      a1: [['a2', 10]],
    }
    const { outcome, visits } = await search(jumping, { search: 'best-first', depth: 3, threshold: 0 })
    expect(visits.flat()).toEqual(['root', 'node_1_1', 'node_1_2', 'node_2_2'])
    expect(outcome).toMatchObject({ status: 'completed', result: 'b\nb1\nb2' })
  })

  it('of equal scores takes the deeper one', async () => {
    const level: World = {
      root: [
        ['a', 8],
        ['b', 6],
      ],
      a: [['a1', 6]],
      a1: [['a2', 6]],
    }
    const { visits } = await search(level, { search: 'best-first', depth: 3 })
    expect(visits.flat()).toEqual(['root', 'node_1_1', 'node_2_1'])
  })
})
