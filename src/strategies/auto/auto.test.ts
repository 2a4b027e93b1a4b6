import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine, type EngineOptions, type StartOptions } from '../../engine.ts'
import { type Event, type ModelRequest, messageText, ThinkonError } from '../../protocol/index.ts'
import { reply, ScriptedModel } from '../../testing/index.ts'
import { CHOICES } from './schema.ts'

const GOAL = 'Tidy up the shed'
const LOOK = { name: 'look', description: 'looks', access: 'read' as const, run: async () => 'seen' }

async function solveAuto(script: object, options: EngineOptions = {}, start: StartOptions = {}, goal = GOAL) {
  const model = new ScriptedModel(script as never)
  const engine = createEngine({ model, ...options })
  onTestFinished(() => engine.close())
  const run = await engine.start(goal, start)
  const outcome = await run.outcome
  const events = [...(await engine.events(run.id))]
  const { differences } = await engine.replay(run.id)
  expect(differences).toEqual([])
  return { outcome, events, kinds: model.calls.map(({ kind }) => kind), model }
}

function chosenIn(events: readonly Event[]): unknown {
  const note = events.find((event) => event.type === 'note' && event.name === 'auto/strategy-chosen')
  return note?.type === 'note' ? note.data : undefined
}

function textOf(request: ModelRequest | undefined): string {
  return (request?.messages ?? []).map((message) => messageText(message)).join('\n')
}

function blockIn(events: readonly Event[], path: string) {
  return events.find((event) => event.type === 'block-start' && event.path === path)
}

const classified = (strategy: string, more: object = {}) => ({
  strategy,
  needs: [],
  reason: 'it seems so',
  ...more,
})
const THOUGHT = {
  current_thinking: 'thought through',
  planning: [{ description: 'think', status: 'Done', result: 'thought through' }],
  next_thought_needed: false,
}
const RESULT = { type: 'RETURN', description: 'written down' }

describe('auto', () => {
  it('is the default strategy', async () => {
    const { events } = await solveAuto({ 'fractal/think': [RESULT] }, {}, {}, 'What is a shed?')
    expect(blockIn(events, '1')).toMatchObject({ strategy: 'auto@2' })
  })

  it.each([{}, { tools: [LOOK] }])(
    'answers a small plain question in one call, with tools or without: %j',
    async (options) => {
      const { outcome, events, kinds } = await solveAuto(
        { 'fractal/think': [RESULT] },
        options,
        {},
        'What is a shed?',
      )
      expect(kinds).toEqual(['fractal/think'])
      expect(chosenIn(events)).toEqual({
        by: 'rule',
        rule: 'question',
        strategy: 'fractal',
        reason: expect.any(String),
      })
      expect(outcome).toMatchObject({ status: 'completed', result: 'written down' })
      expect(blockIn(events, '1-1')).toMatchObject({
        goal: 'What is a shed?',
        strategy: expect.stringMatching(/^fractal@/),
      })
    },
  )

  it('hands the goal on so that it stands once in what the chosen strategy asks, and below it', async () => {
    const script = {
      'fractal/think': [{ type: 'TODO', description: '1. ask' }, RESULT],
      'fractal/eval': [{ type: 'CALL', description: 'ask around' }, RESULT],
    }
    const { model } = await solveAuto(script, {}, {}, 'What is a shed?')
    expect(model.calls).toHaveLength(4)
    for (const request of model.calls) expect(textOf(request).split('What is a shed?')).toHaveLength(2)
    expect(textOf(model.calls[2])).toContain('All of this serves this goal:\nWhat is a shed?')
  })

  it('asks once, cheaply, when no rule decides; what was said is the reason', async () => {
    const { outcome, events, kinds, model } = await solveAuto({
      'auto/classify': [classified('cot')],
      'cot/think': [THOUGHT],
    })
    expect(kinds).toEqual(['auto/classify', 'cot/think'])
    expect(chosenIn(events)).toEqual({ by: 'model', strategy: 'cot', reason: 'it seems so' })
    expect(model.calls[0]).toMatchObject({ role: 'judge', settings: { temperature: 0 } })
    expect(outcome.result).toBe('thought through')
  })

  it('tells the model which tools there are, and the whole of the goal', async () => {
    const script = { 'auto/classify': [classified('fractal')], 'fractal/think': [RESULT] }
    const goal = `Tidy up the shed. ${'It is full. '.repeat(900)}Needle at the end.`
    const asked = await solveAuto(script, { tools: [LOOK] }, {}, goal)
    expect(asked.model.calls[0]?.input).toMatchObject({ goal, tools: ['look', 'read_result'] })
    const text = textOf(asked.model.calls[0])
    expect(text).toContain(goal)
    expect(text).toContain('look, read_result')
    for (const strategy of CHOICES) expect(text).toContain(`- ${strategy}: `)
    const without = await solveAuto(script)
    expect(textOf(without.model.calls[0])).toContain('Tools:\nnone')
  })

  it('shows head and tail of a very long goal', async () => {
    const goal = `Needle at the start. ${'It is full. '.repeat(9_000)}Needle at the end.`
    const { model } = await solveAuto(() => classified('fractal'), {}, { budget: { calls: 2 } }, goal)
    const text = textOf(model.calls[0])
    expect(text).toContain('Needle at the start.')
    expect(text).toContain('Needle at the end.')
    expect(text).toMatch(/characters left out/)
    expect(text.length).toBeLessThan(20_000)
  })

  it('lets what the goal needs win over the choice of the model, and says so', async () => {
    const goal = `${'Once more, and take your time. '.repeat(8)}What is in data.csv?`
    const script = { 'auto/classify': [classified('cot')], 'fractal/think': [RESULT] }
    const { events, kinds } = await solveAuto(script, { tools: [LOOK] }, {}, goal)
    expect(kinds).toEqual(['auto/classify', 'fractal/think'])
    expect(chosenIn(events)).toEqual({
      by: 'model',
      strategy: 'fractal',
      overruled: 'cot',
      reason: 'it seems so',
      needs: ['files'],
    })
  })

  it('never reports a goal as completed that nobody could look at', async () => {
    const { outcome, events, kinds } = await solveAuto(
      { 'fractal/think': [RESULT] },
      {},
      {},
      'How many rows does sales.csv have?',
    )
    expect(kinds).toEqual(['fractal/think'])
    expect(chosenIn(events)).toMatchObject({ rule: 'no-tools', needs: ['files'], lacks: ['files'] })
    expect(outcome).toMatchObject({
      status: 'partial',
      result: 'written down',
      reason: 'the goal needs files, and this run has no tools for it',
    })
  })

  it.each<[what: string, said: unknown]>([
    ['no JSON', 'a question, I would say'],
    ['an unknown strategy', classified('riddle')],
    ['an unknown need', classified('cot', { needs: ['luck'] })],
    ['a text for a list', classified('cot', { needs: 'files' })],
    ['nothing', null],
    ['a list', []],
  ])('goes on with fractal when the classification is %s', async (_, said) => {
    const { outcome, events } = await solveAuto({ 'fractal/think': [RESULT], [GOAL]: [said] })
    expect(chosenIn(events)).toEqual({
      by: 'default',
      strategy: 'fractal',
      reason: 'the classification can not be read',
    })
    expect(outcome).toMatchObject({ status: 'completed', result: 'written down' })
  })

  it('goes on with fractal when the model that classifies is out, and says so', async () => {
    const out = new ThinkonError('MODEL_ERROR', 'the model is out')
    const { events } = await solveAuto({ [GOAL]: [out, RESULT] })
    expect(chosenIn(events)).toEqual({ by: 'default', strategy: 'fractal', reason: 'the model is out' })
  })

  it('gives the chosen strategy the options that the caller has for it, before those of the rule', async () => {
    const options = { options: { tot: { beam: 2, task_type: 'planning' }, cot: { maxThoughts: 3 } } }
    const { events } = await solveAuto(() => 'no thoughts', {}, { options }, 'A slogan for a zoo')
    expect(blockIn(events, '1-1')).toMatchObject({
      strategy: expect.stringMatching(/^tot@/),
      options: { beam: 2, task_type: 'planning' },
    })
  })

  it('gives it the options that the run has for it, behind all others', async () => {
    const start = {
      options: { options: { tot: { beam: 2 } } },
      strategyOptions: { tot: { beam: 9, branching: 2, task_type: 'planning' } },
    }
    const { events } = await solveAuto(() => 'no thoughts', {}, start, 'A slogan for a zoo')
    expect(blockIn(events, '1-1')).toMatchObject({
      options: { beam: 2, branching: 2, task_type: 'creative_writing' },
    })
  })

  it('ends as who it chose ended, with the reason', async () => {
    const { outcome } = await solveAuto(() => 'no thoughts', {}, {}, 'What is a shed?')
    expect(outcome.status).toBe('failed')
    expect(outcome.reason).toBeTypeOf('string')
  })

  it('refuses options that are none', async () => {
    const given = (options: unknown) => solveAuto({}, {}, { options: { options } })
    await expect(given(3)).rejects.toThrow('options must be an object keyed by strategy names, not 3')
    await expect(given({ cot: 5 })).rejects.toThrow('options.cot must be an object')
    await expect(given({ tto: {} })).rejects.toThrow('strategy "tto" is unknown: did you mean "tot"?')
    await expect(solveAuto({}, {}, { options: { strategy: 'cot' } })).rejects.toThrow('auto has no option')
  })

  it('stays within the limits of the run, the classification included', async () => {
    const spent = reply(classified('cot'), { usage: { inputTokens: 100, outputTokens: 100 } })
    const { outcome } = await solveAuto(
      { 'auto/classify': [spent], 'cot/think': () => ({ ...THOUGHT, next_thought_needed: true }) },
      {},
      { budget: { calls: 4 } },
    )
    expect(outcome).toMatchObject({ status: 'partial', limit: 'calls' })
    expect(outcome.usage.calls).toBeLessThanOrEqual(4)
  })
})
