import { describe, expect, it } from 'vitest'
import { search, type World } from '../../../../tests/tot/world.ts'

describe('pruning and selection', () => {
  it('cuts what is below the threshold only where that is sure, and never all', async () => {
    const doubtful: World = {
      root: [
        ['sure and bad', 2, { confidence: 0.7 }],
        ['unsure and bad', 2, { confidence: 0.69 }],
        ['good', 8],
      ],
    }
    const { notes } = await search(doubtful, { search: 'BFS', depth: 1, threshold: 5 })
    expect(notes('tot/layer-selected')).toMatchObject([
      { kept: ['node_1_3', 'node_1_2'], pruned: ['node_1_1'] },
    ])
    const bad: World = {
      root: [
        ['bad', 1],
        ['less bad', 2],
      ],
    }
    const { outcome } = await search(bad, { search: 'BFS', depth: 1, threshold: 5 })
    expect(outcome).toMatchObject({ status: 'completed', result: 'less bad' })
  })

  it("heeds the Evaluator's advice where it is sure", async () => {
    const advised: World = {
      root: [
        ['advised against', 9, { discouraged: true }],
        ['fine', 6],
      ],
    }
    const { outcome } = await search(advised, { search: 'BFS', depth: 1 })
    expect(outcome.result).toBe('fine')
  })

  it('sampled selection prefers good thoughts, takes others now and then, and is the same for the same seed', async () => {
    const layer: World = { root: [1, 2, 3, 4, 5, 6, 7].map((n) => [`t${n}`, 5 + n / 4] as const) }
    const options = { search: 'BFS', depth: 1, beam: 2, selection: 'sampled' }
    const kept = async (seed: string) => {
      const { notes } = await search(layer, options, null, seed)
      return (notes('tot/layer-selected') as { kept: string[] }[])[0]!.kept
    }
    const chosen = await Promise.all(Array.from({ length: 40 }, (_, i) => kept(`seed ${i}`)))
    const counts = [1, 7].map((n) => chosen.filter((ids) => ids.includes(`node_1_${n}`)).length)
    expect(counts[1]).toBeGreaterThan(counts[0]!)
    expect(new Set(chosen.map((ids) => ids.join())).size).toBeGreaterThan(5)
    expect(await kept('seed 3')).toEqual(chosen[3])
  })

  it('among equal scores the search spreads: the parents take turns', async () => {
    const level: World = {
      root: [
        ['a', 8],
        ['b', 7],
        ['c', 6],
      ],
      a: [
        ['a1', 6],
        ['a2', 6],
        ['a3', 6],
        ['a4', 8],
      ],
      b: [
        ['b1', 6],
        ['b2', 6],
      ],
      c: [['c1', 6]],
    }
    const options = { search: 'BFS', depth: 2, beam: 5 }
    const kept = async (more: object) => {
      const { notes } = await search(level, { ...options, ...more })
      return (notes('tot/layer-selected')[1] as { kept: string[] }).kept
    }
    // a4 is better than all others, so that the next places go to b and c first.
    expect(await kept({})).toEqual(['node_2_4', 'node_2_5', 'node_2_7', 'node_2_1', 'node_2_6'])
    expect(await kept({ merge: false })).toEqual(['node_2_4', 'node_2_1', 'node_2_2', 'node_2_3', 'node_2_5'])
  })

  it('adaptive width: fewer survive where the judges agree, more where they disagree', async () => {
    const options = { search: 'BFS', depth: 1, beam: 3, threshold: 0, adaptive: true }
    const kept = async (root: World[string]) => {
      const { notes } = await search({ root }, options)
      return (notes('tot/layer-selected')[0] as { kept: string[] }).kept
    }
    const judged = (confidence: number, ...scores: number[]) =>
      scores.map((score, i) => [`t${i}`, score, { confidence }] as const)
    expect(await kept(judged(1, 9, 6, 5, 4, 3, 2, 1))).toEqual(['node_1_1'])
    expect(await kept(judged(1, 6, 6, 6, 6, 6))).toHaveLength(3)
    expect(await kept(judged(0.5, 7, 6, 5, 4, 3, 2, 1))).toEqual([1, 2, 3, 4, 5].map((n) => `node_1_${n}`))
    expect(await kept(judged(0.1, 7, 6, 6, 6, 6, 6, 6))).toHaveLength(2 * 3)
    // What all agree to be bad takes no place from what is disputed.
    const disputed = [...judged(1, 8, 3, 3, 3), ['disputed', 2, { confidence: 0.2 }] as const]
    expect(await kept(disputed)).toEqual(['node_1_1', 'node_1_5'])
  })
})
