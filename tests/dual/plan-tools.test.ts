// Who plans is told of all tools there are, and may use those that read; and a plan of one task tells it once.
import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/index.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { call, finish, newWorkspace, plan, solveDual } from './dual-runs.ts'

const tool = (name: string, access: Tool['access'], description: string): Tool => ({
  name,
  access,
  description,
  run: async () => `${name} was used`,
})

const TOOLS = [
  tool('lookup', 'read', 'Looks something up.'),
  tool('post', 'network', 'Posts a message to the team.'),
  tool('deploy', 'execute', 'Deploys the service to the cluster that the input names.'),
  tool('store', 'write', 'Stores a record.'),
]

const planned = async (options: Record<string, unknown> = {}, first: object = call('lookup', {})) => {
  const script = { 'dual/plan': [first, plan('ship it')], 'dual/decide': [finish('shipped')] }
  const model = new ScriptedModel(script)
  return { ...(await solveDual('ship it', model, { engine: { model, tools: TOOLS }, options })), model }
}

describe('who plans', () => {
  it('is told of all tools: with those that read it may look itself, of the others it knows what they do', async () => {
    const run = await planned()
    const [first, second] = run.prompts('dual/plan')
    expect(first).toContain('You can look with: lookup')
    expect(first).toContain('- post (network): Posts a message to the team.')
    expect(first).toContain('- deploy (execute): Deploys the service to the cluster that the input names.')
    expect(first).toContain('- store (write): Stores a record.')
    const offered = run.requests('dual/plan')[0]?.tools?.map(({ name }) => name)
    expect(offered).toEqual(expect.arrayContaining(['lookup']))
    expect(offered).not.toEqual(expect.arrayContaining(['post']))
    expect(second).toContain('lookup was used')
    expect(run.outcome.status).toBe('completed')
  })

  it('leaves what it looked at to the tasks, who are told that it may have changed since', async () => {
    const run = await planned()
    const [task] = run.prompts('dual/decide')
    expect(task).toContain('What was looked at for the plan, as it was then:')
    expect(task).toMatch(/Don't fetch again what stands here whole,\s+unless it has changed since/)
  })

  it('is refused a tool that does more, and told what it can look with', async () => {
    const run = await planned({}, call('deploy', {}))
    expect(run.prompts('dual/plan')[1]).toMatch(/There is no tool "deploy" to look with; there are: lookup/)
  })

  it('is told of those alone that tasks may use', async () => {
    const some = await planned({ tools: ['lookup', 'store'] })
    expect(some.prompts('dual/plan')[0]).toContain('- store (write)')
    expect(some.prompts('dual/plan')[0]).not.toContain('deploy')
    const none = await planned({ allowToolCall: false }, plan('ship it'))
    expect(none.prompts('dual/plan')[0]).not.toMatch(/lookup|store|deploy/)
  })

  it('knows all of it also where the plan is changed, and within a plan', async () => {
    const inner = { action: 'request_plan_and_execution', plan_request_payload: 'the hard part' }
    const model = new ScriptedModel({
      'dual/plan': [plan('ship it'), plan('ship it'), plan('one thing')],
      'dual/decide': [inner, finish('one'), finish('shipped')],
    })
    const run = await solveDual('ship it', model, {
      engine: { model, tools: TOOLS },
      options: { review: 'manual' },
      answers: { 'review-plan': ['shorter, please'] },
    })
    expect(run.prompts('dual/plan')).toHaveLength(3)
    for (const prompt of run.prompts('dual/plan')) expect(prompt).toContain('- deploy (execute): Deploys')
  })
})

describe('a task is told', () => {
  const count = (text: string | undefined, part: string) => (text?.split(part).length ?? 0) - 1

  it('once where it is the only one of its plan', async () => {
    const script = { 'dual/plan': [plan('carry the table')], 'dual/decide': [finish('carried')] }
    const run = await solveDual('furnish the room', script, { workspace: newWorkspace() })
    const [prompt] = run.prompts('dual/decide')
    expect(count(prompt, 'Task: carry the table\nGoal: carry the table is done')).toBe(1)
    // Its name is in its goal.
    expect(count(prompt, 'carry the table')).toBe(2)
    expect(prompt).not.toContain('<|PROGRESS_TASK')
  })

  it('with the progress of the plan where there are others', async () => {
    const script = { 'dual/plan': [plan('carry', 'sweep')], 'dual/decide': [finish('a'), finish('b')] }
    const run = await solveDual('furnish', { ...script, 'dual/summarize': [{ result: 'done' }] })
    for (const prompt of run.prompts('dual/decide')) expect(prompt).toContain('<|PROGRESS_TASK')
  })
})

it('an engine without tools says nothing of any', async () => {
  const model = new ScriptedModel({ 'dual/plan': [plan('think')], 'dual/decide': [finish('thought')] })
  const engine = createEngine({ model })
  const run = await engine.start('think', { strategy: 'dual' })
  await run.outcome
  await engine.close()
  expect(JSON.stringify(model.calls[0]?.messages)).not.toContain('You can look with')
})
