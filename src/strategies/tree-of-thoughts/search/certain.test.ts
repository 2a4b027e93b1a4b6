import { describe, expect, it } from 'vitest'
import { search, type World } from '../../../../tests/tot/world.ts'

const sure = { confidence: 0.95 }

/** `a` is judged certain, and so is what follows on it. */
const WORLD: World = {
  root: [
    ['b', 8],
    ['a', 10, sure],
    ['c', 7],
  ],
  a: [
    ['a1', 10, sure],
    ['a2', 6],
  ],
  b: [['b1', 9]],
  c: [['c1', 8]],
  a1: [['a11', 9]],
  a2: [['a21', 6]],
  b1: [['b11', 9]],
  c1: [['c11', 8]],
}

const options = { search: 'BFS', depth: 3, concurrency: 1, widen: false }

describe('a thought scored certain', () => {
  it('stops its siblings, also above the last layer', async () => {
    const { outcome, asked } = await search(WORLD, options)
    expect(asked.generated).toEqual(['root', 'a', 'a1'])
    expect(outcome).toMatchObject({ status: 'completed', result: 'a\na1\na11' })
  })

  it('below one parent spares the other parents of the layer', async () => {
    const world = { ...WORLD, root: [['a', 8] as const, ['b', 7] as const, ['c', 6] as const] }
    const { asked } = await search(world, options)
    expect(asked.generated).toEqual(['root', 'a', 'a1'])
  })

  it('that leads to nothing loses nothing: those it stopped have their turn', async () => {
    const { outcome, asked } = await search(WORLD, options, (answer) => answer === 'c11')
    expect(outcome).toMatchObject({ status: 'completed', result: 'c\nc1\nc11' })
    expect(asked.generated.slice(0, 3)).toEqual(['root', 'a', 'a1'])
    expect(new Set(asked.generated).size).toBe(asked.generated.length)
    const none = await search(WORLD, options, () => false)
    expect(none.outcome.status).toBe('partial')
    expect(none.asked.generated.toSorted()).toEqual(['a', 'a1', 'a2', 'b', 'b1', 'c', 'c1', 'root'])
  })

  it('whose end is no good, in the eyes of the same judge, leaves the others their turn', async () => {
    const { outcome, asked } = await search({ ...WORLD, a1: [['a11', 1]] }, options)
    expect(outcome).toMatchObject({ status: 'completed', result: 'b\nb1\nb11' })
    expect(asked.generated).toContain('b1')
  })

  it('stops nothing where a layer is asked at once, or where the judge is not sure', async () => {
    const { concurrency: _, ...atOnce } = options
    expect((await search(WORLD, atOnce)).asked.generated).toContain('c1')
    const unsure: World = {
      ...WORLD,
      root: [
        ['a', 10, { confidence: 0.5 }],
        ['b', 8],
      ],
      a: [['a2', 6]],
    }
    expect((await search(unsure, options)).asked.generated).toContain('b')
  })
})
