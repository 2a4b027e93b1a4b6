import { describe, expect, it } from 'vitest'
import { shippedAbacus } from '../../../tests/abacus.ts'
import { solve } from '../../../tests/tot/solve.ts'
import { createEngine } from '../../index.ts'
import type { Model } from '../../kernel/model.ts'
import { memoryStore } from '../../store/memory.ts'
import { crashAt } from '../../testing/index.ts'
import type { ThoughtMessage } from './protocol.ts'

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

it.each([
  ['with votes', { evaluation: 'comparative_voting', branching: 3, beam: 2 }],
  ['with two trees', { trees: 2, branching: 2, beam: 1 }],
  ['with revisions', { revise: 4, branching: 1, beam: 1, widen: false }],
  ['with adaptive width', { adaptive: true, samples: 2, branching: 3, beam: 2 }],
])('resumed after a crash, it comes to the same: %s', async (_, options) => {
  const goal = 'Make 24 from 4, 9, 10 and 13'
  const whole = await solve(goal, shippedAbacus(), { seed: 's', id: 'run', options })
  for (let n = 3; n < whole.events.length; n += Math.ceil(whole.events.length / 12)) {
    const store = memoryStore()
    const first = createEngine({ model: shippedAbacus(), store: crashAt(store, n) })
    const start = { strategy: 'tot', id: 'run', seed: 's', options }
    await first
      .start(goal, start)
      .then((run) => run.outcome)
      .catch(() => {})
    await first.close()
    const second = createEngine({ model: shippedAbacus(), store })
    const { status, result } = await (await second.resume('run')).outcome
    const notes = [...(await second.events('run'))].filter(({ type }) => type === 'note')
    await second.close()
    expect({ n, status, result }).toEqual({ n, status: whole.outcome.status, result: whole.outcome.result })
    expect({ n, notes: notes.length }).toEqual({
      n,
      notes: whole.events.filter(({ type }) => type === 'note').length,
    })
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
