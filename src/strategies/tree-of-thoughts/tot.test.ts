import { describe, expect, it } from 'vitest'
import { shippedAbacus } from '../../../tests/abacus.ts'
import { createEngine, type StartOptions } from '../../index.ts'
import { estimateTokens } from '../../kernel/budget.ts'
import type { Model } from '../../kernel/model.ts'
import { type Event, type ModelRequest, ThinkonError, type ThoughtMessage } from '../../protocol/index.ts'
import { memoryStore } from '../../store/memory.ts'
import { crashAt, faultyModel, ScriptedModel } from '../../testing/index.ts'
import type { AnswerPayload } from './agents/agent.ts'
import { tally } from './agents/tally.ts'
import type { Agent, AgentFunction } from './index.ts'
import { type TreeOfThoughts, treeOfThoughts } from './index.ts'
import { MAX_PROMPT_TOKENS } from './prompts.ts'

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
    expect(model.calls.filter(({ kind }) => kind === 'tot/vote')).toHaveLength(2)
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

  it('takes the depth that was asked for, or the estimate within the range of the type, or the table', async () => {
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
    expect(await depth(9, math)).toBe(4)
    expect(await depth(1, math)).toBe(3)
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
    const long = '很长的想法。'.repeat(1_000)
    const script: Script = (request) => {
      const { kind, input } = request
      if (kind === 'tot/generate') {
        const { depth } = input as { depth: number }
        return { candidates: [1, 2, 3, 4, 5].map((n) => ({ content: `${depth}${n}${long}${depth}${n}` })) }
      }
      if (kind !== 'tot/vote')
        return prover({ constraints: Array(50).fill(long), success_criteria: long })(request)
      const { candidates } = input as { candidates: { node_id: string }[] }
      const value = { score: 8, confidence: 0.8, reasoning: long }
      return { evaluations: candidates.map(({ node_id }) => ({ node_id, ...value })) }
    }
    const options = { task_type: 'math_reasoning', depth: 12, branching: 5, merge: false }
    const budget = { tokens: 1e9, calls: 1e5 }
    for (const evaluation of ['comparative_voting', 'independent_scoring']) {
      const { model } = await solve(long, script, { options: { ...options, evaluation }, budget })
      const sizes = model.calls.map(({ messages }) =>
        messages.flatMap(({ content }) => content).reduce((sum, part) => sum + estimateTokens(part), 0),
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
      await expect(engine.start('x', { strategy: 'tot', options })).rejects.toThrow(why)
    await engine.close()
  })
})

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

  it('a Decomposer that fails is done without; a Synthesizer that fails, too', async () => {
    for (const kind of ['tot/decompose', 'tot/synthesize']) {
      const { outcome } = await solve(
        'prove it',
        failing(kind, () => true),
        { options },
      )
      expect(outcome).toMatchObject({ status: 'completed', result: 'idea 4' })
    }
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

describe("a caller's own agents", () => {
  const generator: AgentFunction<'generate_thoughts'> = ({ payload }) => ({
    candidates: ['left', 'right'].map((content, i) => ({
      temp_id: `${i}`,
      content: `${payload.parent_node.depth > 0 ? `${payload.parent_node.content} ` : ''}${content}`,
      action_type: 'turn',
    })),
  })
  const evaluator: AgentFunction<'evaluate_thoughts'> = ({ payload }) => ({
    evaluations: payload.candidates.map(({ id }, i) => ({
      node_id: id,
      score: 6 + i,
      confidence: 1,
      reasoning: '',
    })),
    ranking: [],
    pruning_suggestions: [],
  })
  const options = { task_type: 'planning', depth: 1 }

  async function run(given: TreeOfThoughts, answer?: unknown) {
    const model = new ScriptedModel([])
    const engine = createEngine({
      model,
      strategies: [treeOfThoughts({ name: 'own', options, ...given })],
    })
    const started = await engine.start('find the way', { strategy: 'own' })
    if (answer !== undefined) await started.signal('1', 'answer', answer)
    const outcome = await started.outcome
    const events = [...(await engine.events(started.id))]
    expect((await engine.replay(started.id)).differences).toEqual([])
    await engine.close()
    return { outcome, events, model }
  }

  it('run as steps, and no model is asked for anything', async () => {
    const { outcome, events, model } = await run({ agents: { generator, evaluator } })
    expect(outcome).toMatchObject({ status: 'completed', result: 'right' })
    expect(events.flatMap((event) => (event.type === 'tool-start' ? [event.name] : []))).toEqual([
      'own/generator',
      'own/evaluator',
    ])
    expect(model.calls).toEqual([])
  })

  it('an answer that breaks the protocol is INVALID_FORMAT, and asked for once more', async () => {
    const wild: typeof evaluator = (request) => {
      const { evaluations, ...rest } = evaluator(
        request,
        AbortSignal.abort(),
      ) as AnswerPayload<'evaluate_thoughts'>
      return { ...rest, evaluations: evaluations.map((value) => ({ ...value, score: 42 })) }
    }
    const { outcome, events } = await run({ agents: { generator, evaluator: wild } })
    const errors = events.flatMap((event) =>
      event.type === 'note' && event.name === 'tot/message'
        ? [(event.data as ThoughtMessage).error?.code]
        : [],
    )
    expect(errors.filter((code) => code === 'INVALID_FORMAT')).toHaveLength(2)
    expect(outcome).toMatchObject({ status: 'failed', code: 'INVALID_FORMAT' })
  })

  it('an agent may be a person', async () => {
    const person: Agent<'evaluate_thoughts'> = {
      begin: (_request, context) => [context.ask({ text: 'which way?' })],
      end: ({ payload }, [answer]) => ({
        evaluations: payload.candidates.map(({ id, content }) => {
          const score = answer?.ok && answer.value === content ? 10 : 0
          return { node_id: id, score, confidence: 1, reasoning: 'a person said so' }
        }),
        ranking: [],
        pruning_suggestions: [],
      }),
    }
    const { outcome } = await run({ agents: { generator, evaluator: person } }, 'left')
    expect(outcome).toMatchObject({ status: 'completed', result: 'left' })
  })

  it('a verifier that throws has not verified', async () => {
    const verify = () => {
      throw new Error('the checker is broken')
    }
    const { outcome } = await run({
      agents: { generator, evaluator },
      verify,
      options: { ...options, depth: 2 },
    })
    expect(outcome).toMatchObject({ status: 'partial', result: 'right' })
  })

  it('a Synthesizer that spoils a verified answer is not heeded', async () => {
    const synthesizer: AgentFunction<'synthesize_solution'> = () => ({
      answer: 'turn around',
      reasoning_trace: [],
      confidence: 1,
      verification: { is_valid: true },
    })
    const verify = (answer: string) => answer === 'left'
    const { outcome } = await run({ agents: { generator, evaluator, synthesizer }, verify })
    expect(outcome).toMatchObject({ status: 'completed', result: 'left' })
  })
})

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

describe('tot on the abacus, with no key', () => {
  it.each([
    ['Make 24 from 4, 9, 10 and 13', 'Step 1: ', 'it is arithmetic'],
    ['用4、9、10、13得到24', '步骤1: 用', '这是算术问题'],
  ])('%s: searched, composed and verified', async (goal, first, why) => {
    for (const search of ['BFS', 'DFS', 'best-first', 'mcts']) {
      const { outcome, messages, notes } = await solve(goal, shippedAbacus(), { options: { search } })
      expect(outcome).toMatchObject({ status: 'completed', result: expect.stringMatching(/ = 24$/) })
      const solution = messages.find(
        ({ type }) => type === 'final_solution',
      ) as ThoughtMessage<'final_solution'>
      expect(solution.payload).toMatchObject({
        answer: outcome.result,
        confidence: 1,
        verification: { is_valid: true, validation_errors: [] },
      })
      expect(solution.payload.reasoning_trace).toHaveLength(3)
      expect(solution.payload.reasoning_trace[0]).toContain(first)
      expect(notes('tot/solution-verified')).toContainEqual(
        expect.objectContaining({ answer: outcome.result, is_valid: true, errors: [] }),
      )
      expect((notes('tot/task-chosen')[0] as { reason: string }).reason).toBe(why)
    }
  })

  it('a puzzle that has no solution is partial, with the best path', async () => {
    const { outcome } = await solve('Make 24 from 1, 1, 1 and 1', shippedAbacus(), {})
    expect(outcome).toMatchObject({ status: 'partial', reason: expect.stringContaining('no solution') })
    expect(outcome.result).not.toBe('')
  })

  it.each([
    ['((3+4)*(8-6))-5', '(3 + 4) × (8 - 6) - 5 = 9'],
    ['计算 1/3 + 1/6', '1 ÷ 3 + 1 ÷ 6 = 0.5'],
    ['compute 2*3 and 4-5', '2 × 3 = 6; 4 - 5 = -1'],
  ])('%s is reduced step by step', async (goal, result) => {
    expect((await solve(goal, shippedAbacus(), {})).outcome).toMatchObject({ status: 'completed', result })
  })

  it('a wrong step of a model is dropped, not scored', async () => {
    const abacus = shippedAbacus()
    const lying: Model = {
      ...abacus,
      async call(request, io) {
        const reply = await abacus.call(request, io)
        if (request.kind !== 'tot/generate') return reply
        const { candidates } = reply.value as { candidates: object[] }
        const lie = { content: '4 + 9 = 24 (left: 24)', action_type: 'addition' }
        return { ...reply, value: { candidates: [lie, ...candidates] } }
      },
    }
    const { outcome, notes, messages } = await solve('Make 24 from 4, 9, 10 and 13', lying, {})
    expect(outcome.status).toBe('completed')
    expect(notes('tot/candidate-dropped')[0]).toMatchObject({ why: 'it comes to 13' })
    const evaluated = JSON.stringify(messages.filter(({ type }) => type === 'evaluate_thoughts'))
    expect(evaluated).not.toContain('= 24 (left: 24)')
  })
})

it('resumed after a crash at any event, it repeats no finished call and comes to the same', async () => {
  const goal = 'Make 24 from 4, 9, 10 and 13'
  const whole = await solve(goal, shippedAbacus(), { seed: 's', options: { branching: 3, beam: 2 } })
  const count = whole.events.length
  for (let n = 2; n < count; n += 7) {
    const store = memoryStore()
    const calls: string[] = []
    const model = counting(calls)
    const first = createEngine({ model, store: crashAt(store, n) })
    await first
      .start(goal, { strategy: 'tot', id: 'run', seed: 's', options: { branching: 3, beam: 2 } })
      .then((run) => run.outcome)
      .catch(() => {})
    await first.close()
    const finished = [...store.read('run')].flatMap((event) => (event.type === 'model-end' ? [event.n] : []))
    calls.length = 0
    const second = createEngine({ model, store })
    const outcome = await (await second.resume('run')).outcome
    await second.close()
    expect({ n, result: outcome.result }).toEqual({ n, result: whole.outcome.result })
    expect({ n, again: calls.filter((call) => finished.includes(Number(call))) }).toEqual({ n, again: [] })
  }
})

function counting(calls: string[]): Model {
  const abacus = shippedAbacus()
  return {
    ...abacus,
    async call(request, io) {
      calls.push(String((io as unknown as { n: number }).n))
      return abacus.call(request, io)
    },
  }
}

type Script = (request: ModelRequest) => unknown

/** Ideas 1 to n, the later the better; the second sample scores one more. */
function prover(decomposition: object = {}, verification: object = { is_valid: true }): Script {
  return ({ kind, input }) => {
    const given = input as Record<string, never>
    switch (kind) {
      case 'tot/decompose':
        return {
          thought_granularity: 'idea',
          intermediate_steps: [],
          depth_estimate: 3,
          constraints: [],
          success_criteria: 'it is proved',
          ...decomposition,
        }
      case 'tot/generate': {
        const {
          num_candidates: n,
          draw,
          thoughts,
        } = given as unknown as {
          num_candidates: number
          draw?: { n: number }
          thoughts: string[]
        }
        const above = thoughts.length === 0 ? '' : `${thoughts.at(-1)} `
        const names = draw === undefined ? Array.from({ length: n }, (_, i) => i + 1) : [draw.n]
        return { candidates: names.map((name) => ({ content: `${above}idea ${name}`, action_type: 'idea' })) }
      }
      case 'tot/evaluate': {
        const { content, sample } = given as unknown as { content: string; sample: number }
        const score = 4 + Number(/(\d)$/.exec(content)?.[1] ?? 1) + sample - 1
        return { score, confidence: 0.8, reasoning: 'so it seems' }
      }
      case 'tot/synthesize': {
        const { thoughts } = given as unknown as { thoughts: string[] }
        return { answer: thoughts.at(-1), reasoning_trace: thoughts, confidence: 0.9, verification }
      }
      default:
        return new Error(`not foreseen: ${kind}`)
    }
  }
}

/** Drafts by number; the second wins every vote. */
function writer(): Script {
  return ({ kind, input }) => {
    if (kind === 'tot/task-type') return { task_type: 'creative_writing', reason: 'a slogan' }
    if (kind === 'tot/generate') {
      const { draw } = input as { draw: { n: number } }
      return {
        candidates: [{ content: `draft ${draw.n}`, action_type: 'paragraph' }],
      }
    }
    if (kind === 'tot/vote') {
      const { candidates } = input as { candidates: { node_id: string; thoughts: string[] }[] }
      return {
        evaluations: candidates.map(({ node_id, thoughts }) => {
          const wins = thoughts.every((thought) => thought === 'draft 2')
          return { node_id, score: wins ? 9 : 6, confidence: 0.8, reasoning: 'compared' }
        }),
      }
    }
    if (kind !== 'tot/synthesize') return prover({ depth_estimate: 2 })({ kind, input } as ModelRequest)
    const { thoughts } = input as { thoughts: string[] }
    return {
      answer: thoughts.join(' / '),
      reasoning_trace: thoughts,
      confidence: 0.9,
      verification: { is_valid: true },
    }
  }
}

/** The prover's model, which fails at requests of the kind where `fails` says so. */
function failing(kind: string, fails: (input: unknown) => boolean): Script {
  return (request) =>
    request.kind === kind && fails(request.input)
      ? new ThinkonError('MODEL_ERROR', 'the model is gone')
      : prover()(request)
}

async function solve(goal: string, given: Script | Model, options: StartOptions = {}) {
  const model = typeof given === 'function' ? new ScriptedModel(given as never) : given
  const engine = createEngine({ model })
  const run = await engine.start(goal, { strategy: 'tot', ...options })
  const outcome = await run.outcome
  const events: Event[] = [...(await engine.events(run.id))]
  const state = await engine.state(run.id)
  expect((await engine.replay(run.id)).differences).toEqual([])
  await engine.close()
  const notes = (name: string) =>
    events.flatMap((event) => (event.type === 'note' && event.name === name ? [event.data] : []))
  const messages = notes('tot/message') as ThoughtMessage[]
  return { outcome, events, state, notes, messages, model: model as ScriptedModel }
}
