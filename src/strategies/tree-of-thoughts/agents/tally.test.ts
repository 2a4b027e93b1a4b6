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

  const places = (...ballots: Parameters<typeof tally>[1][number][]) =>
    tally(['a', 'b', 'c'], ballots).map(({ node_id, score }) => [node_id, score])

  it('votes count: the candidate that most ballots name wins, whatever its mean score', () => {
    const ballots = [vote('b', 7, 7, 1), vote('b', 7, 7, 1), vote('a', 10, 2, 1)]
    expect(places(...ballots)).toEqual([
      ['b', 5.333],
      ['a', 8],
      ['c', 1],
    ])
    expect(tally(['a', 'b', 'c'], ballots)[0]?.reasoning).toContain('best in 2 of 3 votes')
  })

  it('of as many ballots the higher mean score is first, then the order of the candidates', () => {
    expect(places(vote('a', 6, 5, 3), vote('b', 6, 8, 3)).map(([id]) => id)).toEqual(['b', 'a', 'c'])
    expect(places(vote('a', 6, 6, 3), vote('b', 6, 6, 3)).map(([id]) => id)).toEqual(['a', 'b', 'c'])
  })

  it('a ballot that names none names the one it scores highest, and none where several are equal', () => {
    const { best: _, ...unnamed } = vote('', 4, 9, 1)
    expect(places(vote('a', 9, 4, 1), unnamed, vote('z', 4, 9, 1)).map(([id]) => id)).toEqual(['b', 'a', 'c'])
    const { best: __, ...undecided } = vote('', 9, 9, 1)
    expect(tally(['a', 'b'], [undecided, vote('b', 9, 1)])[0]).toMatchObject({ node_id: 'b', score: 5 })
  })

  it('a score for what is no candidate names none', () => {
    const { best: _, ...unnamed } = vote('', 5, 8, 10)
    const [first] = tally(['a', 'b'], [unnamed, unnamed])
    expect(first?.reasoning).toContain('best in 2 of 2 votes')
  })

  it('judges that disagree are not sure, whatever each of them says', () => {
    const [agreed, divided] = tally(['a', 'b'], [vote('a', 8, 9), vote('a', 8, 1), vote('a', 8, 5)])
    expect(agreed?.confidence).toBeCloseTo(0.8)
    expect(divided?.confidence).toBeCloseTo(0.8 * 0.2)
  })

  it('has no value for what no vote names', () => {
    expect(tally(['a', 'z'], [vote('a', 8)]).map(({ node_id }) => node_id)).toEqual(['a'])
  })
})
