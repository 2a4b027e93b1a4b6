import { describe, expect, it } from 'vitest'
import { type Script, solve } from '../../../../tests/tot/solve.ts'
import type { ThoughtMessage } from '../protocol.ts'

const PROBLEM = 'Make 24 from 4, 9, 10 and 13'

/** Proposals by what is left. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  '4 9 10 13': ['13 - 9 = 4 (left: 4 4 10)', '10 - 4 = 6 (left: 6 9 13)', '4 + 9 = 13 (left: 10 13 13)'],
  '4 4 10': ['4 + 4 = 8 (left: 8 10)', '10 - 4 = 6 (left: 4 6)'],
  '6 9 13': ['13 - 9 = 4 (left: 4 6)', '13 + 9 = 22 (left: 6 22)'],
  '10 13 13': ['13 - 13 = 0 (left: 0 10)'],
}

const model: Script = ({ kind, input }) => {
  const { state = '' } = input as { state?: string }
  if (kind === 'tot/evaluate') return { score: 6, confidence: 0.8, reasoning: 'perhaps' }
  if (kind === 'tot/generate')
    return { candidates: (STEPS[state] ?? []).map((content) => ({ content, action_type: 'equation' })) }
  return {
    thought_granularity: 'equation',
    intermediate_steps: [],
    depth_estimate: 3,
    constraints: [],
    success_criteria: 'it is 24',
  }
}

describe('a state that a program can settle', () => {
  it.each(['BFS', 'DFS', 'best-first', 'mcts'])('is no question to a model: %s', async (search) => {
    const { outcome, model: asked } = await solve(PROBLEM, model, { options: { search, threshold: 0 } })
    expect(outcome).toMatchObject({ status: 'completed', result: expect.stringContaining('= 24') })
    const states = asked.calls.map(({ input }) => (input as { state?: string }).state ?? '')
    expect(states.filter((state) => state.split(' ').length === 2)).toEqual([])
  })

  it('is valued and finished in the messages of the document, by program', async () => {
    const { messages, notes } = await solve(PROBLEM, model, { options: { concurrency: 1 } })
    const results = messages.filter(
      (message): message is ThoughtMessage<'evaluation_results'> => message.type === 'evaluation_results',
    )
    expect(results.at(-1)?.payload).toMatchObject({
      evaluations: [
        { score: 0, confidence: 1, reasoning: 'no operation on 8 and 10 comes to 24' },
        { score: 10, confidence: 1, reasoning: '6 × 4 = 24' },
      ],
      pruning_suggestions: ['node_2_1'],
    })
    expect(notes('tot/layer-selected')).toMatchObject([
      { kept: ['node_1_1', 'node_1_2', 'node_1_3'] },
      // Its siblings are spared: only the first parent was expanded.
      { kept: ['node_2_2'], pruned: ['node_2_1'] },
      { kept: ['node_3_1'] },
    ])
    expect(messages.filter(({ type }) => type === 'generate_thoughts')).toHaveLength(3)
  })

  it('that leads nowhere is never kept, not even as the best of its layer', async () => {
    const lost: Script = (request) => {
      const { state } = request.input as { state?: string }
      if (request.kind !== 'tot/generate' || state !== '4 9 10 13') return model(request)
      return { candidates: [{ content: '4 + 9 = 13 (left: 10 13 13)', action_type: 'equation' }] }
    }
    const { outcome, model: asked } = await solve(PROBLEM, lost, { options: { widen: false } })
    expect(outcome).toMatchObject({ status: 'partial', reason: 'no solution among 2 thoughts' })
    expect(asked.calls.filter(({ kind }) => kind === 'tot/generate')).toHaveLength(2)
  })
})
