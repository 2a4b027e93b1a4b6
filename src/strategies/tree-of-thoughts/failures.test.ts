import { describe, expect, it } from 'vitest'
import { failing, prover, solve } from '../../../tests/tot/solve.ts'
import type { ModelRequest } from '../../protocol/index.ts'
import { faultyModel, ScriptedModel } from '../../testing/index.ts'
import type { ThoughtMessage } from './protocol.ts'

describe('what goes wrong', () => {
  const options = { task_type: 'math_reasoning', depth: 1, branching: 4 }

  it('a generation that fails is tried once more, adjusted: fewer, drawn another way, warmer', async () => {
    let failures = 1
    const { outcome, messages, notes, model } = await solve(
      'prove it',
      failing('tot/generate', () => failures-- > 0),
      { options },
    )
    expect(outcome.status).toBe('completed')
    const asked = messages.filter(
      ({ type }) => type === 'generate_thoughts',
    ) as ThoughtMessage<'generate_thoughts'>[]
    expect(asked.map(({ payload }) => [payload.num_candidates, payload.generation_strategy])).toEqual([
      [4, 'sequential_proposal'],
      [2, 'independent_sampling'],
    ])
    expect(messages.find(({ type }) => type === 'generated_thoughts')).toMatchObject({
      error: { code: 'GENERATION_FAILED', message: 'the model is gone', recoverable: true },
    })
    expect(notes('tot/adjusted')).toMatchObject([{ error: { code: 'GENERATION_FAILED' } }])
    const warmth = model.calls.flatMap(({ kind, settings }) =>
      kind === 'tot/generate' ? [settings?.temperature] : [],
    )
    expect(warmth[1]!).toBeGreaterThan(warmth[0]!)
  })

  it('a generation that fails twice at the root fails the block, with why', async () => {
    const { outcome, messages } = await solve(
      'prove it',
      failing('tot/generate', () => true),
      { options },
    )
    expect(outcome).toMatchObject({ status: 'failed', code: 'MODEL_ERROR' })
    expect(outcome.reason).toContain('the model is gone')
    expect(messages.at(-1)).toMatchObject({ type: 'search_complete', error: { code: 'SEARCH_EXHAUSTED' } })
  })

  it('candidates that can not be read are INVALID_FORMAT', async () => {
    const model = new ScriptedModel((request: ModelRequest) =>
      request.kind === 'tot/generate' ? { thoughts: ['x'] } : prover()(request),
    )
    const { outcome, messages } = await solve('prove it', model, { options })
    expect(outcome).toMatchObject({ status: 'failed', code: 'INVALID_FORMAT' })
    expect(messages.filter(({ error }) => error?.code === 'INVALID_FORMAT')).toHaveLength(2)
  })

  it('evaluations that fail are asked once more, simpler, for those that lack a value only', async () => {
    const seen = new Set<string>()
    const slow = (input: unknown) => {
      const { content } = input as { content: string }
      const first = !seen.has(content)
      seen.add(content)
      return first && content !== 'idea 1'
    }
    const { outcome, messages, model, notes } = await solve('prove it', failing('tot/evaluate', slow), {
      options: { ...options, samples: 1 },
    })
    expect(outcome).toMatchObject({ status: 'completed', result: 'idea 4' })
    const asked = messages.filter(
      ({ type }) => type === 'evaluate_thoughts',
    ) as ThoughtMessage<'evaluate_thoughts'>[]
    expect(asked.map(({ payload }) => payload.candidates.length)).toEqual([4, 3])
    expect(asked[1]?.payload.evaluation_criteria).toEqual(['correctness'])
    expect(notes('tot/adjusted')).toMatchObject([
      { error: { code: 'EVALUATION_TIMEOUT', recoverable: true } },
    ])
    expect(model.calls.filter(({ kind }) => kind === 'tot/evaluate')).toHaveLength(7)
  })

  it('no score is invented: what could not be evaluated is not chosen', async () => {
    const never = (input: unknown) => (input as { content: string }).content === 'idea 4'
    const { outcome, notes } = await solve('prove it', failing('tot/evaluate', never), { options })
    expect(outcome).toMatchObject({ status: 'completed', result: 'idea 3' })
    expect(notes('tot/layer-selected')).toMatchObject([{ pruned: ['node_1_4'] }])
  })

  it('when nothing could be evaluated the block fails, and says that it was not for want of thoughts', async () => {
    const { outcome } = await solve(
      'prove it',
      failing('tot/evaluate', () => true),
      { options },
    )
    expect(outcome).toMatchObject({ status: 'failed', result: '' })
    expect(outcome.reason).toContain('no thought could be evaluated')
  })

  it('votes that fail are replaced by scores', async () => {
    const { outcome, messages } = await solve(
      'prove it',
      failing('tot/vote', () => true),
      {
        options: { ...options, evaluation: 'comparative_voting', votes: 3 },
      },
    )
    expect(outcome.status).toBe('completed')
    const asked = messages.filter(
      ({ type }) => type === 'evaluate_thoughts',
    ) as ThoughtMessage<'evaluate_thoughts'>[]
    expect(asked.map(({ payload }) => payload.evaluation_strategy)).toEqual([
      'comparative_voting',
      'independent_scoring',
    ])
  })

  it('a time-out is EVALUATION_TIMEOUT in the message', async () => {
    const model = faultyModel(new ScriptedModel(prover()), ({ kind, input }) =>
      kind === 'tot/evaluate' && (input as { criteria: string[] }).criteria.length > 1
        ? { fault: 'timeout' }
        : undefined,
    )
    const { outcome, messages } = await solve('prove it', model, { options })
    expect(outcome.status).toBe('completed')
    expect(messages.find(({ error }) => error !== undefined)).toMatchObject({
      type: 'evaluation_results',
      error: { code: 'EVALUATION_TIMEOUT' },
    })
  })

  it('a Decomposer that fails is done without', async () => {
    const { outcome } = await solve(
      'prove it',
      failing('tot/decompose', () => true),
      { options },
    )
    expect(outcome).toMatchObject({ status: 'completed', result: 'idea 4' })
  })

  it('an unknown type of task is an error, never a default', async () => {
    const model = new ScriptedModel([{ task_type: 'gardening' }])
    const { outcome } = await solve('grow roses', model, {})
    expect(outcome).toMatchObject({ status: 'failed', code: 'INVALID_FORMAT' })
  })

  it('a limit ends the search as partial, with the best path so far', async () => {
    const { outcome, messages } = await solve('prove it', prover(), {
      options: { task_type: 'math_reasoning', depth: 3, branching: 3, beam: 1 },
      budget: { calls: 8 },
    })
    expect(outcome).toMatchObject({ status: 'partial', limit: 'calls', code: 'LIMIT', result: 'idea 3' })
    expect(messages.at(-1)).toMatchObject({
      type: 'search_complete',
      payload: { best_path: [{}, { id: 'node_1_3' }] },
    })
  })
})
