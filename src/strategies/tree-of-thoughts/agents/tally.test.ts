import { describe, expect, it } from 'vitest'
import { tally } from './tally.ts'

describe('a tally of votes', () => {
  const vote = (best: string, ...scores: number[]) => ({
    best,
    evaluations: scores.map((score, i) => ({
      node_id: 'abc'[i]!,
      score,
      confidence: 0.8,
      reasoning: `v${score}`,
    })),
  })

  it('is the mean of the scores, more first places before fewer', () => {
    const values = tally(['a', 'b', 'c'], [vote('a', 8, 6, 1), vote('b', 5, 7, 1), vote('b', 6.5, 6.5, 1)])
    expect(values.map(({ node_id, score }) => [node_id, score])).toEqual([
      ['b', 6.5],
      ['a', 6.5],
      ['c', 1],
    ])
    expect(values[0]?.reasoning).toContain('best in 2 of 3 votes')
  })

  it('has no value for what no vote names', () => {
    expect(tally(['a', 'z'], [vote('a', 8)]).map(({ node_id }) => node_id)).toEqual(['a'])
  })
})
