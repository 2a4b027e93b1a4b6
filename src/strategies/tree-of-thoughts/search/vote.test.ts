import { describe, expect, it } from 'vitest'
import { prover, type Script, solve } from '../../../../tests/tot/solve.ts'
import type { ThoughtMessage } from '../protocol.ts'

type Shown = { candidates: { node_id: string; thoughts: string[] }[]; vote: number }

/** Two ballots of three name the first idea, which has the lower mean score. */
const divided: Script = (request) => {
  if (request.kind !== 'tot/vote') return prover()(request)
  const { candidates, vote } = request.input as Shown
  const named = vote === 3 ? 2 : 1
  const score = (idea: number) => (vote === 3 ? (idea === 2 ? 10 : 0) : idea === 1 ? 6.5 : 6)
  const number = ({ thoughts }: { thoughts: string[] }) => Number(/(\d)$/.exec(thoughts.at(-1) ?? '')?.[1])
  return {
    evaluations: candidates.map((one) => ({
      node_id: one.node_id,
      score: score(number(one)),
      confidence: 0.9,
      reasoning: 'compared',
    })),
    best: candidates.find(
      (one) => one.thoughts.slice(0, -1).every((thought) => thought === 'idea 1') && number(one) === named,
    )?.node_id,
  }
}

const OPTIONS = { evaluation: 'comparative_voting', depth: 2, branching: 3, threshold: 5 }

describe('a vote', () => {
  it.each([
    ['BFS', 'math_reasoning'],
    ['DFS', 'planning'],
    ['best-first', 'planning'],
  ])(
    'goes to the candidate that most ballots name, whatever the mean score: %s',
    async (search, task_type) => {
      const { notes, messages, outcome } = await solve('find the way', divided, {
        options: { ...OPTIONS, task_type, search },
      })
      const { payload } = messages.find(
        ({ type }) => type === 'evaluation_results',
      ) as ThoughtMessage<'evaluation_results'>
      const [first, second] = payload.evaluations
      expect(payload.ranking).toEqual(['node_1_1', 'node_1_2', 'node_1_3'])
      expect([first?.score, second?.score]).toEqual([4.333, 7.333])
      expect(notes('tot/best-path')).toMatchObject([{ path: ['root', 'node_1_1', 'node_2_1'] }])
      expect(outcome.result).toBe('idea 1 idea 1')
    },
  )

  it('is held with three ballots unless told otherwise, one where there is only one candidate', async () => {
    const ballots = async (options: object) => {
      const { model } = await solve('find the way', divided, {
        options: { ...OPTIONS, task_type: 'planning', depth: 1, ...options },
      })
      return model.calls.filter(({ kind }) => kind === 'tot/vote').length
    }
    expect(await ballots({})).toBe(3)
    expect(await ballots({ votes: 5 })).toBe(5)
    expect(await ballots({ branching: 1 })).toBe(1)
  })

  it('shows every ballot the candidates in an order of its own, the same in a replay and for the same seed', async () => {
    const orders = async (seed: string) => {
      const { model } = await solve('find the way', divided, {
        seed,
        options: { ...OPTIONS, task_type: 'planning', depth: 1, branching: 6 },
      })
      const asked = model.calls.filter(({ kind }) => kind === 'tot/vote')
      return asked.map(({ input }) => (input as Shown).candidates.map(({ node_id }) => node_id))
    }
    const first = await orders('one')
    expect(new Set(first.map((order) => order.join())).size).toBe(3)
    for (const order of first) expect(order.toSorted()).toEqual(first[0]?.toSorted())
    expect(await orders('one')).toEqual(first)
    expect(await orders('two')).not.toEqual(first)
  })

  it('is one for the whole layer, also where its parents are expanded one after the other', async () => {
    const { model } = await solve('find the way', divided, {
      options: { ...OPTIONS, task_type: 'math_reasoning', concurrency: 1 },
    })
    const votes = model.calls.filter(({ kind }) => kind === 'tot/vote')
    expect(votes.map(({ input }) => (input as Shown).candidates.length)).toEqual([3, 3, 3, 9, 9, 9])
  })
})
