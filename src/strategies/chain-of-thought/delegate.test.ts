import { describe, expect, it } from 'vitest'
import { DONE, type Input, notes, PENDING, promptOf, solve, solveWith } from '../../../tests/cot/solve-cot.ts'
import { createEngine, type Run } from '../../index.ts'
import { foldEvents, type ModelRequest } from '../../protocol/index.ts'
import { ScriptedModel } from '../../testing/index.ts'
import type { PlanStep } from './schema.ts'

describe('a step with a strategy', () => {
  const script = (child: unknown, next: (input: Input) => unknown) => (request: ModelRequest) => {
    if (request.kind !== 'cot/think') return child
    const input = request.input as Input
    if (!input.isFirst) return next(input)
    return {
      current_thinking: 'others can',
      planning: [
        { ...PENDING, strategy: 'minimal' },
        { ...PENDING, description: 'check' },
      ],
      next_thought_needed: true,
    }
  }

  it('is solved by a block below before the next thought, and its result is the step’s', async () => {
    const model = new ScriptedModel(
      script({ do: 'return', result: 'seven' }, ({ plan }) => ({
        current_thinking: `it is ${plan[0]?.result}`,
        planning: [plan[0], { description: 'check', status: 'Done', result: 'right' }],
        next_thought_needed: false,
      })),
    )
    const { outcome, events } = await solveWith(model, 'how many?', {})
    expect(outcome).toMatchObject({ status: 'completed', result: 'it is seven', usage: { calls: 3 } })
    const child = foldEvents(events).blocks.get('1-1')
    expect(child).toMatchObject({ goal: 'count', strategy: 'minimal@3' })
    expect(model.calls[2]?.input).toMatchObject({
      plan: [{ ...DONE, result: 'seven', strategy: 'minimal' }, { status: 'Pending' }],
    })
    expect(notes(events, 'cot/step-solved')).toHaveLength(1)
  })

  it('that fails needs verification, with the reason as its mark', async () => {
    const child = { do: 'return', status: 'failed', result: '', reason: 'it is dark' }
    const model = new ScriptedModel(
      script(child, ({ plan }) => ({
        current_thinking: 'I count myself: 7',
        planning: [{ ...DONE }, { ...plan[1], status: 'Done', result: 'right' }],
        next_thought_needed: false,
      })),
    )
    const { outcome } = await solveWith(model, 'how many?', {})
    expect(outcome.status).toBe('completed')
    expect(model.calls[2]?.input).toMatchObject({
      plan: [{ status: 'Verification Needed', mark: 'failed: it is dark' }, { status: 'Pending' }],
      next: { number: '1', status: 'Verification Needed' },
    })
  })

  it('waits for its turn', async () => {
    const check: PlanStep = { description: 'check', status: 'Pending', strategy: 'minimal' }
    const { events, model } = await solve('how many?', {
      'cot/think': [
        { current_thinking: 'first I', planning: [PENDING, check], next_thought_needed: true },
        { current_thinking: 'then they', planning: [DONE, check], next_thought_needed: true },
        { current_thinking: 'seven', planning: [DONE], next_thought_needed: false },
      ],
      'minimal/next': [{ do: 'return', result: 'right' }],
    })
    expect(model.calls.map(({ kind }) => kind)).toEqual([
      'cot/think',
      'cot/think',
      'minimal/next',
      'cot/think',
    ])
    expect(foldEvents(events).blocks.get('1')?.done).toEqual(['right'])
  })

  /** The child says seven, then eight; a person has it done again in the middle of the thought of that number. */
  async function redoneIn(thought: number, options: Record<string, unknown> = {}) {
    const started = Promise.withResolvers<Run>()
    let children = 0
    let isRedone = false
    const model = new ScriptedModel(async ({ kind, input }: ModelRequest) => {
      if (kind !== 'cot/think') return { do: 'return', result: ++children === 1 ? 'seven' : 'eight' }
      const { thought_number, isFirst, plan } = input as Input
      if (thought_number === thought && !isRedone) {
        isRedone = true
        await engine.redo((await started.promise).id, '1-1', 'count again')
      }
      return isFirst ? delegated() : counted(plan, thought_number === 2)
    })
    const engine = createEngine({ model })
    const run = await engine.start('how many?', { strategy: 'cot', options })
    started.resolve(run)
    const outcome = await run.outcome
    const events = [...(await engine.events(run.id))]
    expect((await engine.replay(run.id)).differences).toEqual([])
    await engine.close()
    const thoughts = model.calls.filter(({ kind }) => kind === 'cot/think')
    return { outcome, events, thoughts }
  }

  it.each([2, 3])(
    'that a person has done again in thought %i is in doubt, with its new result',
    async (n) => {
      const { outcome, events, thoughts } = await redoneIn(n)
      expect(outcome).toMatchObject({ status: 'completed', result: 'it is eight' })
      expect(foldEvents(events).blocks.get('1')?.done).toEqual(['seven', 'eight'])
      const mark = expect.stringContaining('done again')
      expect(thoughts[n]?.input).toMatchObject({
        next: { number: '1.1', status: 'Verification Needed' },
        plan: [{ status: 'Pending', sub_steps: [{ status: 'Verification Needed', result: 'eight', mark }] }],
      })
      expect(notes(events, 'cot/step-solved')).toHaveLength(2)
    },
  )

  it('that is done again in the last thought there is room for leaves the block partial', async () => {
    const { outcome, thoughts } = await redoneIn(3, { maxThoughts: 3 })
    expect(outcome).toMatchObject({ status: 'partial', result: 'it is seven' })
    expect(outcome.reason).toContain('2 steps of its plan')
    expect(thoughts).toHaveLength(3)
  })

  it('that there is not fails, and the names there are are told', async () => {
    const step: PlanStep = { ...PENDING, strategy: 'magic' }
    const { model, outcome } = await solve('how many?', [
      { current_thinking: 'x', planning: [step], next_thought_needed: true },
      { current_thinking: 'seven', planning: [DONE], next_thought_needed: false },
    ])
    expect(outcome.status).toBe('completed')
    expect(promptOf(model.calls[1])).toMatch(/no strategy "magic"; there are: .*fractal/)
  })

  it('is told of and checked where the option says which there are', async () => {
    const step: PlanStep = { ...PENDING, strategy: 'magic' }
    const model = new ScriptedModel([
      { current_thinking: 'x', planning: [step], next_thought_needed: true },
      { current_thinking: 'seven', planning: [DONE], next_thought_needed: false },
    ])
    const { events } = await solveWith(model, 'how many?', {
      options: { strategies: ['fractal', 'minimal'] },
    })
    expect(promptOf(model.calls[0])).toContain('one of fractal, minimal')
    expect(notes(events, 'cot/thought-refused')).toEqual([
      {
        thought_number: 1,
        problems: ['step 1: there is no strategy "magic"; there are: fractal, minimal'],
      },
    ])
  })
})

/** A plan of one step, whose only sub-step another strategy solves. */
function delegated() {
  const sub: PlanStep = { ...PENDING, strategy: 'minimal' }
  const planning = [{ description: 'all of it', status: 'Pending', sub_steps: [sub] }]
  return { current_thinking: 'others can', planning, next_thought_needed: true }
}

/** The same plan, Done with the result that the sub-step has. */
function counted(plan: readonly PlanStep[], next_thought_needed: boolean) {
  const result = plan[0]?.sub_steps?.[0]?.result ?? '?'
  const sub: PlanStep = { ...DONE, result, strategy: 'minimal' }
  const planning = [
    { description: 'all of it', status: 'Done', result: `all of ${result}`, sub_steps: [sub] },
  ]
  return { current_thinking: `it is ${result}`, planning, next_thought_needed }
}
