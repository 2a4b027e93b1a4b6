// The strategy with functions of a program's own: plan templates, context providers, a result handler.
import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/index.ts'
import { dualEngine } from '../../src/strategies/dual-engine/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { finish, plan, solveDual } from './dual-runs.ts'

const template = {
  main_task: 'tea',
  main_task_goal: 'a cup of it',
  tasks: [{ subtask_name: 'boil water', subtask_goal: 'it boils' }],
}

describe('a plan template', () => {
  it('plans instead of the model, as a step on record that a replay does not ask again', async () => {
    let asked = 0
    const dual = dualEngine({
      name: 'kitchen',
      planTemplate(request) {
        asked++
        return request === 'make tea' ? template : null
      },
    })
    const script = { 'dual/decide': [finish('it boils')] }
    const run = await solveDual('make tea', script, { strategy: 'kitchen', engine: { strategies: [dual] } })
    expect(run.outcome).toMatchObject({ status: 'completed', result: 'it boils' })
    expect(run.notes('dual/template-used')).toEqual([{ main_task: 'tea' }])
    const steps = run.events.flatMap((event) => (event.type === 'tool-start' ? [event.name] : []))
    expect(steps).toContain('kitchen/plan-template')
    expect((await run.engine.replay(run.id)).differences).toEqual([])
    expect(asked).toBe(1)
  })

  it('that gives null leaves the planning to the model', async () => {
    const dual = dualEngine({ planTemplate: async () => null })
    const script = {
      'dual/plan': [plan('boil water')],
      'dual/decide': [finish('it boils')],
    }
    const run = await solveDual('make tea', script, { engine: { strategies: [dual] } })
    expect(run.outcome).toMatchObject({ status: 'completed', result: 'it boils' })
  })

  it('that can not be used fails the run and says why', async () => {
    const dual = dualEngine({ planTemplate: () => ({ ...template, tasks: [] }) })
    const { outcome } = await solveDual('make tea', [], { engine: { strategies: [dual] } })
    expect(outcome).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('dual/plan-template gave no usable plan: The plan has no sub-tasks'),
    })
  })

  it('is asked again for a plan that a loop requests', async () => {
    const requests: string[] = []
    const dual = dualEngine({
      planTemplate(request) {
        requests.push(request)
        return template
      },
    })
    const inner = { action: 'request_plan_and_execution', plan_request_payload: 'heat the kettle' }
    const script = {
      'dual/decide': [inner, finish('hot'), finish('it boils')],
    }
    const run = await solveDual('make tea', script, { engine: { strategies: [dual] } })
    expect(run.outcome).toMatchObject({ status: 'completed', result: 'it boils' })
    expect(requests).toEqual(['make tea', 'heat the kettle'])
  })
})

describe('context providers', () => {
  const contextProviders = [
    { name: 'house rules', provide: (request: string) => `no smoking (${request})` },
    {
      name: 'broken',
      provide: () => {
        throw new Error('out of order')
      },
    },
  ]

  it('put their texts, fenced, into every prompt of every level; one that fails is told and left out', async () => {
    const dual = dualEngine({ contextProviders })
    const inner = { action: 'request_plan_and_execution', plan_request_payload: 'heat the kettle' }
    const run = await solveDual(
      'make tea',
      {
        'dual/plan': [plan('boil water'), plan('light the stove')],
        'dual/decide': [inner, finish('hot'), finish('it boils')],
      },
      { engine: { strategies: [dual] } },
    )
    expect(run.outcome.status).toBe('completed')
    const prompts = [...run.prompts('dual/plan'), ...run.prompts('dual/decide')]
    expect(prompts).toHaveLength(5)
    for (const prompt of prompts) {
      expect(prompt.match(/<data-\w+ from="house rules">\nno smoking \(make tea\)\n<\/data-/g)).toHaveLength(
        1,
      )
    }
    expect(run.notes('dual/context-missing')).toEqual([{ provider: 'broken', problem: 'out of order' }])
  })
})

describe('a result handler', () => {
  it('is told once how the outermost coordinator ended, with the tree', async () => {
    const told: unknown[] = []
    const dual = dualEngine({ resultHandler: (result) => void told.push(result) })
    const inner = { action: 'request_plan_and_execution', plan_request_payload: 'heat the kettle' }
    const run = await solveDual(
      'make tea',
      {
        'dual/plan': [plan('boil water', 'pour'), plan('light the stove')],
        'dual/decide': [inner, finish('hot'), finish('it boils'), finish('spilt', { status: 'failed' })],
        'dual/summarize': [{ result: 'no tea' }],
      },
      { engine: { strategies: [dual] } },
    )
    expect(run.outcome.status).toBe('partial')
    expect(told).toMatchObject([
      {
        status: 'partial',
        result: 'no tea',
        tree: { index: '1', subtasks: [{ status: 'completed' }, { status: 'aborted' }] },
      },
    ])
    expect((await run.engine.replay(run.id)).differences).toEqual([])
    expect(told).toHaveLength(1)
  })

  it('that throws changes nothing', async () => {
    const dual = dualEngine({
      resultHandler() {
        throw new Error('no paper')
      },
    })
    const script = {
      'dual/plan': [plan('boil water')],
      'dual/decide': [finish('it boils')],
    }
    const run = await solveDual('make tea', script, { engine: { strategies: [dual] } })
    expect(run.outcome).toMatchObject({ status: 'completed', result: 'it boils' })
    expect(run.notes('dual/result-unhandled')).toEqual([{ problem: 'no paper' }])
  })
})

describe("an action of one's own", () => {
  it('is offered to the loop, verified, and taken like any other', async () => {
    const dual = dualEngine({
      actions: [
        {
          name: 'smell',
          description: 'Smells at something.',
          params: { at: { type: 'string' } },
          required: ['at'],
          streamFields: [],
          verify: ({ at }) => (at === 'gas' ? 'Gas is not to be smelled at.' : null),
          begin: ({ at }) => ({ ops: [], read: () => ({ text: `the ${at} smells of roses` }) }),
        },
      ],
    })
    const script = {
      'dual/plan': [plan('boil water')],
      'dual/decide': [{ action: 'smell', at: 'gas' }, { action: 'smell', at: 'tea' }, finish('it boils')],
    }
    const run = await solveDual('make tea', script, { engine: { strategies: [dual] } })
    expect(run.outcome).toMatchObject({ status: 'completed', result: 'it boils' })
    expect(run.notes('dual/action-refused')).toMatchObject([{ problem: 'Gas is not to be smelled at.' }])
    expect(run.notes('dual/action-ended')).toMatchObject([{ about: 'the tea smells of roses' }, {}])
  })
})

describe('a plan that is skipped as a whole', () => {
  it('is partial, and says so', async () => {
    const model = new ScriptedModel({
      'dual/plan': [plan('boil water')],
      'dual/decide': [() => new Promise(() => {})],
      'dual/summarize': [{ result: 'no tea' }],
    })
    const engine = createEngine({ model })
    const run = await engine.start('make tea', { strategy: 'dual' })
    for await (const event of run.events) {
      if (event.type === 'model-start' && event.request.kind === 'dual/decide')
        await run.signal('1', 'subtask', { do: 'skip', subtask_index: '1', reason: 'no time' })
    }
    const outcome = await run.outcome
    await engine.close()
    expect(outcome).toMatchObject({ status: 'partial', result: 'no tea' })
    expect(outcome.reason).toContain('the whole plan was skipped')
  })
})
