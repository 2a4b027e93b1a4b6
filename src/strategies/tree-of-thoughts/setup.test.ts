import { describe, expect, it } from 'vitest'
import { answerAt } from '../../../tests/answers.ts'
import { createEngine } from '../../index.ts'
import { ScriptedModel } from '../../testing/index.ts'
import type { Agent, AgentFunction, AnswerPayload } from './agents/agent.ts'
import { treeOfThoughts } from './index.ts'
import type { ThoughtMessage } from './protocol.ts'
import type { TreeOfThoughts } from './setup.ts'

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
  const options = { task_type: 'planning', depth: 1 } as const

  async function run(given: TreeOfThoughts, answer?: unknown) {
    const model = new ScriptedModel([])
    const engine = createEngine({
      model,
      strategies: [treeOfThoughts({ name: 'own', options, ...given })],
    })
    const started = await engine.start('find the way', { strategy: 'own' })
    if (answer !== undefined) await answerAt(started, '1', answer)
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
