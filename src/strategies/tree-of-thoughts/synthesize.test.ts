import { describe, expect, it } from 'vitest'
import { failing, prover, type Script, solve } from '../../../tests/tot/solve.ts'
import { SMALL, search } from '../../../tests/tot/world.ts'
import { createEngine } from '../../index.ts'
import { ScriptedModel } from '../../testing/index.ts'
import { treeOfThoughts } from './index.ts'

const options = { task_type: 'math_reasoning', depth: 2, branching: 2, check: 'never' } as const
const PATH = 'idea 2\nidea 2 idea 2'

describe('a Synthesizer that fails', () => {
  it('is asked again', async () => {
    let failures = 1
    const script = failing('tot/synthesize', () => failures-- > 0)
    const { outcome, messages, notes, model } = await solve('prove it', script, { options })
    expect(outcome).toMatchObject({ status: 'completed', result: 'idea 2 idea 2' })
    expect(messages.filter(({ type }) => type === 'synthesize_solution')).toHaveLength(2)
    const answers = messages.filter(({ type }) => type === 'final_solution')
    expect(answers.map(({ error }) => error?.code)).toEqual(['GENERATION_FAILED', undefined])
    expect(notes('tot/adjusted')).toMatchObject([{ change: 'asked once more' }])
    const warmth = model.calls.flatMap(({ kind, settings }) =>
      kind === 'tot/synthesize' ? [settings?.temperature ?? 0] : [],
    )
    expect(warmth[1]).toBeGreaterThan(warmth[0] as number)
  })

  it('twice leaves the whole path, in order, said to be unsynthesised, and not completed', async () => {
    const script = failing('tot/synthesize', () => true)
    const { outcome, model, messages } = await solve('prove it', script, { options })
    expect(outcome).toMatchObject({ status: 'partial', result: PATH })
    expect(outcome.reason).toContain('not synthesised')
    expect(outcome.reason).toContain('the model is gone')
    expect(model.calls.filter(({ kind }) => kind === 'tot/synthesize')).toHaveLength(2)
    expect(messages.at(-1)).toMatchObject({ type: 'search_complete' })
    expect(messages.at(-1)?.error).toBeUndefined()
  })

  it('because the calls are spent leaves the whole path, also where a thought above its end has the higher score', async () => {
    const script: Script = (request) => {
      if (request.kind !== 'tot/evaluate') return prover()(request)
      const { content } = request.input as { content: string }
      return { score: content === 'idea 2' ? 9 : 7, confidence: 0.8, reasoning: 'so it seems' }
    }
    const whole = await solve('prove it', script, { options })
    const { outcome } = await solve('prove it', script, {
      options,
      // One of them is held for closing.
      budget: { calls: whole.outcome.usage.calls },
    })
    expect(outcome).toMatchObject({ status: 'partial', result: 'idea 2\nidea 2 idea 1' })
  })

  it('says so in the language of the problem', async () => {
    const { outcome } = await solve(
      '证明它',
      failing('tot/synthesize', () => true),
      { options },
    )
    expect(outcome).toMatchObject({ status: 'partial', result: PATH })
    expect(outcome.reason).toContain('未经整合')
  })

  it('is one whose answer is empty, too', async () => {
    const script: Script = (request) => {
      const reply = prover()(request)
      return request.kind === 'tot/synthesize' ? { ...(reply as object), answer: ' ' } : reply
    }
    const { outcome } = await solve('prove it', script, { options })
    expect(outcome).toMatchObject({ status: 'partial', result: PATH })
  })

  it('when it is to correct its answer leaves the first answer', async () => {
    let asked = 0
    const script: Script = (request) => {
      if (request.kind === 'tot/synthesize' && ++asked > 1) return new Error('gone')
      if (request.kind.startsWith('check/')) return { ok: false, problems: ['too short'] }
      return prover()(request)
    }
    const { outcome } = await solve('prove it in 50 words', script, {
      options: { ...options, check: 'always' },
    })
    expect(outcome.result).toBe('idea 2 idea 2')
    expect(asked).toBe(3)
  })

  it('by its own word is told what was wrong, and gives another answer', async () => {
    let asked = 0
    const script: Script = (request) => {
      const reply = prover()(request) as object
      if (request.kind !== 'tot/synthesize' || ++asked > 1) return reply
      const verification = { is_valid: false, validation_errors: ['five sentences, not four'] }
      return { ...reply, answer: 'one too many', verification }
    }
    const { outcome, model, notes } = await solve('prove it', script, { options })
    expect(outcome).toMatchObject({ status: 'completed', result: 'idea 2 idea 2' })
    const second = JSON.stringify(model.calls.filter(({ kind }) => kind === 'tot/synthesize')[1]?.messages)
    expect(second).toContain('one too many')
    expect(second).toContain('- five sentences, not four')
    expect(notes('tot/adjusted')).toMatchObject([{ change: 'asked once more' }])
  })

  it('by its own word twice ends partial, with what is wrong', async () => {
    const wrong = { is_valid: false, validation_errors: ['a gap'] }
    const { outcome, model } = await solve('prove it', prover({}, wrong), { options })
    expect(outcome).toMatchObject({ status: 'partial', reason: expect.stringContaining('a gap') })
    expect(model.calls.filter(({ kind }) => kind === 'tot/synthesize')).toHaveLength(2)
  })

  it('does not undo what a program has verified', async () => {
    const script = failing('tot/synthesize', () => true)
    const strategy = treeOfThoughts({
      name: 'checked',
      verify: (answer) => answer === 'idea 1 idea 2',
      options,
    })
    const engine = createEngine({ model: new ScriptedModel(script as never), strategies: [strategy] })
    const run = await engine.start('prove it', { strategy: 'checked' })
    const outcome = await run.outcome
    await engine.close()
    expect(outcome).toMatchObject({ status: 'completed', result: 'idea 1\nidea 1 idea 2' })
    expect(outcome.details).toContain('not synthesised')
  })
})

describe('a search by programs', () => {
  it('returns the whole path', async () => {
    const { outcome } = await search(SMALL, { search: 'BFS', depth: 2 })
    expect(outcome).toMatchObject({ status: 'completed', result: 'b\nb1' })
  })

  it('returns the whole path to an answer that a program has verified', async () => {
    const { outcome } = await search(SMALL, { search: 'BFS', depth: 2 }, (answer) => answer === 'a2')
    expect(outcome).toMatchObject({ status: 'completed', result: 'a\na2' })
  })
})
