import { describe, expect, it } from 'vitest'
import { createEngine, type StartOptions } from '../../index.ts'
import type { Event } from '../../protocol/index.ts'
import { ScriptedModel } from '../../testing/index.ts'
import type { Chosen, Sampled } from './notes.ts'
import { view } from './view.ts'

const PUZZLE = 'Make 24 from 4, 9, 10 and 13'
const RIGHT = '(9 - (13 - 10)) × 4 = 24'

const answers = (...texts: string[]) => ({ 'best-of/answer': texts.map((answer) => ({ answer })) })

async function sample(goal: string, script: Record<string, unknown[]>, given: StartOptions = {}) {
  const model = new ScriptedModel(script as ConstructorParameters<typeof ScriptedModel>[0])
  const engine = createEngine({ model })
  const run = await engine.start(goal, { strategy: 'best-of', ...given })
  const outcome = await run.outcome
  const events = [...(await engine.events(run.id))]
  expect((await engine.replay(run.id)).differences).toEqual([])
  await engine.close()
  return { outcome, events, model }
}

function notes<T>(events: readonly Event[], name: string): T[] {
  return events.flatMap((event) => (event.type === 'note' && event.name === name ? [event.data as T] : []))
}

const chosenIn = (events: readonly Event[]) => notes<Chosen>(events, 'best-of/chosen')[0]
const verdicts = (events: readonly Event[]) =>
  notes<Sampled>(events, 'best-of/sampled').map(({ verdict }) => verdict)

describe('where a program can verify', () => {
  it('the first right answer ends the sampling', async () => {
    const { outcome, events, model } = await sample(PUZZLE, answers('4 + 9 + 10 + 13 = 24', RIGHT))
    model.assertComplete()
    expect(outcome).toMatchObject({ status: 'completed', result: RIGHT, usage: { calls: 2 } })
    expect(verdicts(events)).toEqual(['refuted', 'verified'])
    expect(chosenIn(events)).toMatchObject({ sample: 2, by: 'program' })
  })

  it('a model that is right at once is asked once', async () => {
    const { outcome } = await sample('compute (3+4)*2', answers('14'))
    expect(outcome).toMatchObject({ status: 'completed', result: '14', usage: { calls: 1 } })
  })

  it.each([
    ['compute 12*7-(45+3*9)', '12 × 7 - (45 + 3 × 9) = 28', '12 × 7 - (45 + 3 × 9) = 12'],
    [
      '计算 3*10+1 和 (88-19)*3',
      '3 × 10 + 1 = 32；(88 - 19) × 3 = 207',
      '3 × 10 + 1 = 31；(88 - 19) × 3 = 207',
    ],
    ['compute (1/3)*3', '(1/3) * 3 = 3', '(1/3) * 3 = 1'],
  ])('%s: a number that stands in the goal is no answer', async (goal, wrong, right) => {
    const { outcome, events } = await sample(goal, answers(wrong, right))
    expect(verdicts(events)).toEqual(['refuted', 'verified'])
    expect(outcome).toMatchObject({ status: 'completed', result: right })
  })

  it('answers that are all wrong end as partial, with the one most come to and what is wrong with it', async () => {
    const { outcome } = await sample('compute (3+4)*2', answers('13', '15', '15'), {
      options: { samples: 3 },
    })
    expect(outcome).toMatchObject({ status: 'partial', result: '15' })
    expect(outcome.reason).toContain('none of 3 samples is right')
    expect(outcome.reason).toContain('14')
  })

  it('can be kept from looking: then samples vote', async () => {
    const options = { samples: 3, verify: false }
    const { outcome, events } = await sample('compute (3+4)*2', answers('15', '15'), { options })
    expect(outcome).toMatchObject({ status: 'completed', result: '15', usage: { calls: 2 } })
    expect(chosenIn(events)).toMatchObject({ by: 'votes', votes: 2, of: 2 })
  })
})

describe('where none can', () => {
  const GOAL = 'Which city is the capital of Australia?'

  it('the majority wins, and no sample is drawn that could not change it', async () => {
    const { outcome, events } = await sample(GOAL, answers('Canberra', '**canberra**.', 'Canberra'))
    expect(outcome).toMatchObject({ status: 'completed', result: 'Canberra', usage: { calls: 3 } })
    expect(chosenIn(events)).toEqual({ sample: 1, by: 'votes', votes: 3, of: 3 })
  })

  it('samples are drawn until the leader cannot be overtaken', async () => {
    const { outcome } = await sample(GOAL, answers('Sydney', 'Canberra', 'Canberra', 'Canberra'))
    expect(outcome).toMatchObject({ result: 'Canberra', usage: { calls: 4 } })
  })

  it('each sample has a seed and a temperature of its own, and begins alike', async () => {
    const { model } = await sample(GOAL, answers('a', 'b', 'b', 'b'))
    const seeds = model.calls.map(({ settings }) => settings?.seed)
    expect(new Set(seeds).size).toBe(4)
    expect(model.calls.every(({ settings }) => settings?.temperature === 0.7)).toBe(true)
    expect(new Set(model.calls.map(({ messages }) => JSON.stringify(messages))).size).toBe(1)
  })

  it('of answers that all differ a judge names one, whatever the order it sees them in', async () => {
    const script = {
      ...answers('one poem', 'another poem', 'a third poem'),
      'best-of/choose': [
        ({ input }: { input: unknown }) => ({
          best: 1 + (input as { answers: string[] }).answers.indexOf('another poem'),
        }),
      ],
    }
    const { outcome, events } = await sample('Write a poem.', script, { options: { samples: 3 } })
    expect(outcome).toMatchObject({ status: 'completed', result: 'another poem' })
    expect(chosenIn(events)).toMatchObject({ sample: 2, by: 'judge' })
  })

  it('a reply that cannot be used has no vote', async () => {
    const script = { 'best-of/answer': [{ answer: 'x' }, { answer: '' }, { answer: 'x' }, { answer: 'x' }] }
    const { outcome, events } = await sample(GOAL, script)
    expect(outcome).toMatchObject({ status: 'completed', result: 'x' })
    expect(verdicts(events)).toContain('failed')
  })

  it('fails with the reason where every sample fails', async () => {
    const script = { 'best-of/answer': [{ answer: '' }, { answer: '' }] }
    const { outcome } = await sample(GOAL, script, { options: { samples: 2 } })
    expect(outcome).toMatchObject({ status: 'failed', code: 'INVALID_FORMAT' })
  })
})

it('at a limit the answer that leads is what there is, and the end is partial (K4, K8)', async () => {
  const { outcome } = await sample(PUZZLE, answers('4 + 9 + 10 + 13', '1 + 1'), { budget: { calls: 2 } })
  expect(outcome).toMatchObject({ status: 'partial', result: '4 + 9 + 10 + 13', code: 'LIMIT' })
})

it('a sample can be a block of another strategy', async () => {
  const script = { 'fractal/think': [{ type: 'RETURN', description: '14' }] }
  const { outcome, events } = await sample('compute (3+4)*2', script, { options: { strategy: 'fractal' } })
  expect(outcome).toMatchObject({ status: 'completed', result: '14' })
  expect(events.filter(({ type }) => type === 'block-start').map(({ path }) => path)).toEqual(['1', '1-1'])
})

it('is shown as a list of its samples in both languages', async () => {
  const { events } = await sample(PUZZLE, answers('4 + 9 + 10 + 13 = 24', RIGHT))
  const form = view.form?.({ path: '1', journal: events }, 'en')
  expect(form).toMatchObject({
    caption: '2 samples · verified by program',
    parts: [
      {
        items: [
          { state: 'failed', tags: ['wrong'] },
          { state: 'done', tags: ['right', 'chosen'] },
        ],
      },
    ],
  })
  expect(view.form?.({ path: '1', journal: events }, 'zh')?.caption).toBe('2 个样本 · 经程序验证')
})
