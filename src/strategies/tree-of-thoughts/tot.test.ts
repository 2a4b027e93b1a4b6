import { describe, expect, it } from 'vitest'
import { prover, type Script, solve, writer } from '../../../tests/tot/solve.ts'
import { createEngine } from '../../index.ts'
import { countTokens } from '../../kernel/brief/count-tokens.ts'
import { MAX_PROMPT_TOKENS } from '../../kernel/brief/prompt-budget.ts'
import type { ModelRequest } from '../../protocol/index.ts'
import { ScriptedModel } from '../../testing/index.ts'
import type { ThoughtMessage } from './protocol.ts'

describe('tot with a model', () => {
  it('chooses the type of task, decomposes, searches and synthesizes, in the messages of the document', async () => {
    const { outcome, messages, model, notes } = await solve('write a slogan for tea', writer())
    expect(outcome).toMatchObject({ status: 'completed', result: 'draft 2 / draft 2' })
    expect(messages.map(({ from, to, type }) => `${from} → ${to}: ${type}`)).toEqual([
      'orchestrator → decomposer: decompose_task',
      'decomposer → orchestrator: decomposition_result',
      'orchestrator → explorer: initialize_search',
      'explorer → generator: generate_thoughts',
      'generator → explorer: generated_thoughts',
      'explorer → evaluator: evaluate_thoughts',
      'evaluator → explorer: evaluation_results',
      ...['generate', 'generate', 'generate', 'generate'].map(
        () => 'explorer → generator: generate_thoughts',
      ),
      ...['generate', 'generate', 'generate', 'generate'].map(
        () => 'generator → explorer: generated_thoughts',
      ),
      'explorer → evaluator: evaluate_thoughts',
      'evaluator → explorer: evaluation_results',
      'explorer → synthesizer: synthesize_solution',
      'synthesizer → explorer: final_solution',
      'explorer → orchestrator: search_complete',
    ])
    const [{ task_id }] = messages as [ThoughtMessage]
    expect(task_id).toMatch(/^tot-\d{8}-\d{6}-[0-9a-z]{6}$/)
    expect(new Set(messages.map((message) => message.task_id)).size).toBe(1)
    expect(notes('tot/task-chosen')).toMatchObject([
      {
        task_id,
        task_type: 'creative_writing',
        reason: 'a slogan',
        search_config: {
          strategy: 'BFS',
          max_depth: 2,
          branching_factor: 4,
          beam_width: 5,
          pruning_threshold: 6,
        },
      },
    ])
    const complete = messages.at(-1) as ThoughtMessage<'search_complete'>
    expect(complete.payload.stats.llm_calls).toBe(model.calls.length)
    expect(complete.payload.stats.total_nodes).toBe(Object.keys(complete.payload.tree.nodes).length)
  })

  it('draws candidates independently where that fits, each call another way, warm', async () => {
    const { model } = await solve('write a slogan for tea', writer())
    const draws = model.calls.filter(({ kind }) => kind === 'tot/generate').slice(0, 4)
    expect(draws.map(({ input }) => (input as { draw: object }).draw)).toEqual(
      [1, 2, 3, 4].map((n) => ({ n, of: 4 })),
    )
    expect(new Set(draws.map(({ messages }) => JSON.stringify(messages))).size).toBe(4)
    expect(draws.every(({ settings }) => (settings?.temperature ?? 0) > 0)).toBe(true)
    expect(model.calls.filter(({ kind }) => kind === 'tot/vote')).toHaveLength(2 * 3)
  })

  it('proposes in one call and scores one by one where that fits, several samples each', async () => {
    const options = { task_type: 'math_reasoning', depth: 1, branching: 3, samples: 2 }
    const { model, messages, outcome } = await solve('prove it', prover(), { options })
    expect(model.calls.filter(({ kind }) => kind === 'tot/generate')).toHaveLength(1)
    expect(model.calls.filter(({ kind }) => kind === 'tot/evaluate')).toHaveLength(6)
    const scored = messages.find(
      ({ type }) => type === 'evaluation_results',
    ) as ThoughtMessage<'evaluation_results'>
    expect(scored.payload.ranking).toEqual(['node_1_3', 'node_1_2', 'node_1_1'])
    expect(scored.payload.evaluations[0]).toMatchObject({ node_id: 'node_1_1', score: 5.5 })
    expect(outcome.result).toBe('idea 3')
  })

  it('takes the depth that was asked for, or the estimate, or the table', async () => {
    const depth = async (estimate: number, options: object) => {
      const { messages } = await solve('prove it', prover({ depth_estimate: estimate }), {
        options: { ...options },
      })
      const begun = messages.find(
        ({ type }) => type === 'initialize_search',
      ) as ThoughtMessage<'initialize_search'>
      return begun.payload.search_config.max_depth
    }
    const math = { task_type: 'math_reasoning', beam: 1 }
    expect(await depth(9, { ...math, depth: 1 })).toBe(1)
    expect(await depth(5, math)).toBe(5)
    expect(await depth(1, math)).toBe(1)
    expect(await depth(0, { task_type: 'debugging' })).toBe(4)
  })

  it('a result that the Synthesizer does not stand by is partial', async () => {
    const script = prover({}, { is_valid: false, validation_errors: ['a gap in step 1'] })
    const { outcome } = await solve('prove it', script, {
      options: { task_type: 'math_reasoning', depth: 1 },
    })
    expect(outcome).toMatchObject({ status: 'partial', reason: 'the answer does not hold: a gap in step 1' })
  })

  it('a thought that takes work of its own is solved as a block below, and its result is the thought', async () => {
    const model = new ScriptedModel(({ kind, input }: ModelRequest) => {
      const { goal } = input as { goal?: string }
      if (kind === 'fractal/think') return { type: 'RETURN', description: `it is raining in ${goal}` }
      if (kind === 'tot/generate') {
        const asked = ['Paris', 'Rome'].map((city) => ({ goal: city, strategy: 'fractal' }))
        return { candidates: asked.map((metadata) => ({ content: '', action_type: 'look up', metadata })) }
      }
      return prover()({ kind, input } as ModelRequest)
    })
    const options = { task_type: 'planning', depth: 1 }
    const { outcome, notes, state } = await solve('where to go', model, { options })
    const added = notes('tot/nodes-added')[0] as { nodes: { content: string }[] }
    expect(added.nodes.map(({ content }) => content)).toEqual([
      'it is raining in Paris',
      'it is raining in Rome',
    ])
    expect(state.blocks.get('1')?.done).toEqual(['it is raining in Paris', 'it is raining in Rome'])
    expect(outcome.result).toBe('it is raining in Paris')
  })

  it('thoughts can come from blocks of another strategy', async () => {
    const model = new ScriptedModel(({ kind, input }: ModelRequest) => {
      if (kind !== 'fractal/think') return prover()({ kind, input } as ModelRequest)
      const { goal } = input as { goal: string }
      return { type: 'RETURN', description: `idea ${/number (\d)/.exec(goal)?.[1]}` }
    })
    const options = { task_type: 'planning', depth: 1, branching: 3, generator: { strategy: 'fractal' } }
    const { outcome, state } = await solve('where to go', model, { options })
    expect(state.blocks.get('1')?.done).toEqual(['idea 1', 'idea 2', 'idea 3'])
    expect(outcome.result).toBe('idea 3')
  })

  it('a thought that names a strategy there is not is dropped, and the others stay', async () => {
    const script: Script = (request) => {
      const odd = { content: '', metadata: { goal: 'fly', strategy: 'magic' } }
      const plain = { content: 'walk' }
      return request.kind === 'tot/generate' ? { candidates: [odd, plain] } : prover()(request)
    }
    const { outcome, notes } = await solve('get there', script, {
      options: { task_type: 'planning', depth: 1 },
    })
    expect(outcome.result).toBe('walk')
    expect(notes('tot/candidate-dropped')).toMatchObject([
      { content: 'fly', why: expect.stringContaining('magic') },
    ])
  })

  it('bounds its prompts: long thoughts on a long path, many candidates, Chinese', async () => {
    const long = '很长的想法。'.repeat(140)
    const script: Script = (request) => {
      const { kind, input } = request
      if (kind === 'tot/generate') {
        const { depth } = input as { depth: number }
        return { candidates: [1, 2, 3, 4, 5].map((n) => ({ content: `${depth}${n}${long}${depth}${n}` })) }
      }
      if (kind !== 'tot/vote')
        return prover({ constraints: Array(20).fill(long), success_criteria: long })(request)
      const { candidates } = input as { candidates: { node_id: string }[] }
      const value = { score: 8, confidence: 0.8, reasoning: long }
      return { evaluations: candidates.map(({ node_id }) => ({ node_id, ...value })) }
    }
    const options = { task_type: 'math_reasoning', depth: 12, branching: 5, merge: false }
    const budget = { tokens: 1e9, calls: 1e5 }
    for (const evaluation of ['comparative_voting', 'independent_scoring']) {
      const { model } = await solve(long, script, { options: { ...options, evaluation }, budget })
      const sizes = model.calls.map(({ messages }) =>
        messages.flatMap(({ content }) => content).reduce((sum, part) => sum + countTokens(part), 0),
      )
      expect(sizes.length).toBeGreaterThan(50)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_PROMPT_TOKENS)
    }
  })

  it('refuses options that are wrong, and says which there are', async () => {
    const engine = createEngine({ model: new ScriptedModel([]) })
    for (const [options, why] of [
      [{ search: 'A*' }, 'BFS, DFS, best-first, mcts'],
      [{ threshold: 11 }, 'from 0 to 10'],
      [{ verify: 'some' }, 'survivors'],
      [{ generator: 'cot' }, 'strategy'],
      [{ breadth: 3 }, 'branching'],
    ] as const)
      await expect(engine.start('x', { strategy: 'tot', options: options as never })).rejects.toThrow(why)
    await engine.close()
  })
})
