import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine, type EngineOptions, type StartOptions } from '../../engine.ts'
import { type Event, ThinkonError } from '../../protocol/index.ts'
import { reply, ScriptedModel } from '../../testing/index.ts'

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

function blockIn(events: readonly Event[], path: string) {
  return events.find((event) => event.type === 'block-start' && event.path === path)
}

const classified = (kind: string, more: object = {}) => ({
  kind,
  needs_tools: false,
  checkable: false,
  size: 'small',
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
    const { events } = await solveAuto({ 'cot/think': [THOUGHT] }, {}, {}, 'What is a shed?')
    expect(blockIn(events, '1')).toMatchObject({ strategy: 'auto@1' })
  })

  it('asks no model when a rule decides', async () => {
    const { outcome, events, kinds } = await solveAuto({ 'cot/think': [THOUGHT] }, {}, {}, 'What is a shed?')
    expect(kinds).toEqual(['cot/think'])
    expect(chosenIn(events)).toMatchObject({ by: 'rule', rule: 'question', strategy: 'cot' })
    expect(outcome).toMatchObject({ status: 'completed', result: 'thought through' })
    expect(blockIn(events, '1-1')).toMatchObject({ goal: 'What is a shed?', strategy: 'cot@1' })
  })

  it('asks once, cheaply, when none does; what was said is the reason', async () => {
    const { outcome, events, kinds, model } = await solveAuto({
      'auto/classify': [classified('question')],
      'cot/think': [THOUGHT],
    })
    expect(kinds).toEqual(['auto/classify', 'cot/think'])
    expect(chosenIn(events)).toEqual({
      by: 'model',
      strategy: 'cot',
      reason: 'question, small, no tools, not checkable',
    })
    expect(model.calls[0]).toMatchObject({
      role: 'judge',
      settings: { temperature: 0, maxOutputTokens: 200 },
    })
    expect(outcome.result).toBe('thought through')
  })

  it('knows whether there are tools', async () => {
    const script = { 'auto/classify': [classified('work', { needs_tools: true })] }
    const without = await solveAuto({
      ...script,
      [GOAL]: [classified('work', { needs_tools: true }), RESULT],
    })
    expect(chosenIn(without.events)).toMatchObject({ strategy: 'fractal' })
    const asked = await solveAuto(script, { tools: [LOOK] })
    expect(chosenIn(asked.events)).toMatchObject({ strategy: 'planner' })
    expect(asked.model.calls[0]?.input).toEqual({ goal: GOAL, hasTools: true })
  })

  it.each<[what: string, said: unknown]>([
    ['no JSON', 'a question, I would say'],
    ['an unknown kind', classified('riddle')],
    ['an unknown size', classified('question', { size: 'tiny' })],
    ['a text for a truth', classified('question', { checkable: 'yes' })],
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
    const { events } = await solveAuto(() => 'no thoughts', {}, { options }, 'Debug the parser')
    expect(blockIn(events, '1-1')).toMatchObject({
      strategy: 'tot@1',
      options: { beam: 2, task_type: 'planning' },
    })
  })

  it('gives it the options that the run has for it, behind all others', async () => {
    const start = {
      options: { options: { tot: { beam: 2 } } },
      strategyOptions: { tot: { beam: 9, branching: 2, task_type: 'planning' } },
    }
    const { events } = await solveAuto(() => 'no thoughts', {}, start, 'Debug the parser')
    expect(blockIn(events, '1-1')).toMatchObject({
      options: { beam: 2, branching: 2, task_type: 'debugging' },
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
    const spent = reply(classified('question'), { usage: { inputTokens: 100, outputTokens: 100 } })
    const { outcome } = await solveAuto(
      { 'auto/classify': [spent], 'cot/think': () => ({ ...THOUGHT, next_thought_needed: true }) },
      {},
      { budget: { calls: 4 } },
    )
    expect(outcome).toMatchObject({ status: 'partial', limit: 'calls' })
    expect(outcome.usage.calls).toBeLessThanOrEqual(4)
  })
})
