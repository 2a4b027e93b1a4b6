import { describe, expect, it } from 'vitest'
import { prover, type Script, solve } from '../../../../tests/tot/solve.ts'
import { createEngine } from '../../../index.ts'
import { treeOfThoughts } from '../index.ts'
import type { FailedThought, ThoughtMessage } from '../protocol.ts'

/** A way that is only thought of when what failed is in view: everyone turns left first. */
const turns = treeOfThoughts({
  name: 'turns',
  verify: (answer) => (answer === 'right' ? true : { is_valid: false, errors: ['there is a wall'] }),
  agents: {
    generator: ({ payload: { context, parent_node } }) => {
      const failed = context.failed ?? []
      const words = parent_node.depth === 0 ? ['go'] : failed.length === 0 ? ['left'] : ['right']
      return { candidates: words.map((content) => ({ temp_id: content, content, action_type: 'turn' })) }
    },
    evaluator: ({ payload: { candidates } }) => ({
      evaluations: candidates.map(({ id }) => ({
        node_id: id,
        score: 7,
        confidence: 0.9,
        reasoning: 'so so',
      })),
      ranking: [],
      pruning_suggestions: [],
    }),
  },
})

async function takeTurns(options: Record<string, unknown>) {
  const engine = createEngine({ strategies: [turns] })
  const run = await engine.start('the way out', {
    strategy: 'turns',
    options: { depth: 2, widen: false, ...options },
  })
  const outcome = await run.outcome
  const notes = [...(await engine.events(run.id))].flatMap((event) => (event.type === 'note' ? [event] : []))
  expect((await engine.replay(run.id)).differences).toEqual([])
  await engine.close()
  const messages = notes
    .filter(({ name }) => name === 'tot/message')
    .map(({ data }) => data as ThoughtMessage)
  const asked = messages.filter(
    (message): message is ThoughtMessage<'generate_thoughts'> => message.type === 'generate_thoughts',
  )
  return { outcome, notes, asked: asked.map(({ payload }) => payload) }
}

describe('a path that failed', () => {
  it.each(['BFS', 'DFS', 'best-first', 'mcts'])(
    'is revised with what was wrong in view: %s',
    async (search) => {
      const { outcome, asked } = await takeTurns({ search, revise: 1 })
      expect(outcome).toMatchObject({ status: 'completed', result: 'go\nright' })
      expect(asked.map(({ parent_node, context }) => [parent_node.content, context.failed])).toEqual([
        ['the way out', undefined],
        ['go', undefined],
        ['go', [{ content: 'left', errors: ['there is a wall'] }]],
      ])
      const without = await takeTurns({ search })
      expect(without.outcome.status).toBe('partial')
    },
  )

  it('is not revised again where nothing new comes of it', async () => {
    const { notes, asked } = await takeTurns({ revise: 9, depth: 1 })
    expect(asked).toHaveLength(2)
    expect(asked[1]?.context.failed).toEqual([{ content: 'go', errors: ['there is a wall'] }])
    expect(notes.filter(({ name }) => name === 'tot/adjusted')).toMatchObject([
      { data: { change: 'goes another way, with 1 that failed in view' } },
    ])
  })

  it('and that the Synthesizer does not stand by is revised, too; the model reads what was wrong', async () => {
    const script: Script = (request) => {
      const { kind, input } = request
      const { failed = [], thoughts = [] } = input as { failed?: FailedThought[]; thoughts?: string[] }
      if (kind === 'tot/generate' && failed.length > 0) return { candidates: [{ content: 'mended' }] }
      if (kind !== 'tot/synthesize') return prover()(request)
      const isGood = thoughts.at(-1) === 'mended'
      const verification = isGood
        ? { is_valid: true }
        : { is_valid: false, validation_errors: ['a gap in step 1'] }
      return { answer: thoughts.at(-1), reasoning_trace: thoughts, confidence: 0.9, verification }
    }
    const options = { task_type: 'math_reasoning', depth: 1, branching: 2 }
    const { outcome, model } = await solve('prove it', script, { options: { ...options, revise: 2 } })
    expect(outcome).toMatchObject({ status: 'completed', result: 'mended' })
    const asked = model.calls.filter(({ kind }) => kind === 'tot/generate')
    const text = JSON.stringify(asked.at(-1)?.messages)
    expect(text).toContain('Failed: a gap in step 1')
    expect(text).toContain('idea 1')
    const { outcome: unrevised } = await solve('prove it', script, { options })
    expect(unrevised.status).toBe('partial')
  })
})
