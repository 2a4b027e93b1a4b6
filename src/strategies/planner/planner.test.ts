import { describe, expect, it } from 'vitest'
import {
  execute,
  goOn,
  makeWorkspace,
  plannerModel,
  returned,
  solvePlanner,
  steps,
} from '../../../tests/planner/planner-runs.ts'
import { createEngine } from '../../index.ts'
import { openTools } from '../../tools/open-tools.ts'

const PLAN = ['write a', 'write b', 'check both']

describe('the plan of a block', () => {
  it('is worked off first in, first out: one child an item', async () => {
    const run = await solvePlanner('two files', {
      'plan two files': [steps('both files', PLAN)],
      'plan both files': [
        execute('write a', 'shell: echo 1 > a'),
        execute('write b', 'shell: echo 2 > b'),
        execute('check both', 'shell: cat a b', ['exit code 0', 'stdout contains "2"']),
      ],
    })
    expect(run.outcome.status).toBe('completed')
    expect(run.plans('1-1')).toEqual([PLAN, PLAN.slice(1), PLAN.slice(2), []])
    expect(run.block('1-1').children).toHaveLength(3)
    expect(run.file('a') + run.file('b')).toBe('1\n2\n')
    expect(run.block('1-1').done[2]).toContain('1\n2')
    expect((await run.engine.replay(run.id)).differences).toEqual([])
  })

  it('is replaced at once by update_plan, and then nothing is taken off', async () => {
    const run = await solvePlanner('two files', {
      'plan two files': [steps('both files', PLAN)],
      'plan both files': [
        execute('write a', 'shell: echo 1 > a', [], { update_plan: ['write c', 'write d'] }),
        execute('write c', 'shell: echo 3 > c'),
        execute('write d', 'shell: echo 4 > d'),
      ],
    })
    expect(run.plans('1-1')).toEqual([PLAN, ['write c', 'write d'], ['write d'], []])
    const replaced = run.events.findIndex((event) => event.type === 'todo-set' && event.todo[0] === 'write c')
    const began = run.events.findIndex((event) => event.type === 'block-start' && event.path === '1-1-1')
    expect(replaced, 'replaced before the child begins').toBeLessThan(began)
    expect(run.prompt('plan both files', 2)).toContain('plan:\n[\n  "write c",\n  "write d"\n]')
  })

  it('keeps the item of a child that failed', async () => {
    const run = await solvePlanner('two files', {
      'plan two files': [steps('both files', PLAN)],
      'plan both files': [
        execute('write a', 'shell: echo 1 > nowhere/a'),
        execute('write a elsewhere', 'shell: mkdir nowhere && echo 1 > nowhere/a'),
        execute('write b', 'shell: echo 2 > b'),
        execute('check both', 'shell: cat nowhere/a b'),
      ],
    })
    expect(run.outcome.status).toBe('completed')
    expect(run.block('1-1-1').outcome?.status).toBe('failed')
    expect(run.plans('1-1')).toEqual([PLAN, PLAN.slice(1), PLAN.slice(2), []])
    expect(run.prompt('plan both files', 2)).toContain('[failed: ')
    expect(run.prompt('plan both files', 2)).toContain('"write a"')
  })

  it('gets the item of a failed child back in front when update_plan dropped it', async () => {
    const run = await solvePlanner('two files', {
      'plan two files': [steps('both files', PLAN)],
      'plan both files': [
        execute('write a', 'shell: false', [], { update_plan: ['check both', 'write b'] }),
        execute('write a anew', 'shell: echo 1 > a', [], { update_plan: [] }),
      ],
    })
    expect(run.plans('1-1')).toEqual([
      PLAN,
      ['check both', 'write b'],
      ['write a', 'check both', 'write b'],
      [],
    ])
  })

  it('gets an item back that was worked on out of turn, and failed', async () => {
    const run = await solvePlanner('two files', {
      'plan two files': [steps('both files', PLAN)],
      'plan both files': [
        execute('write b', 'shell: false', [], { update_plan: ['write a', 'check both'] }),
        execute('write b anew', 'shell: true', [], { update_plan: [] }),
      ],
    })
    expect(run.plans('1-1')[2]).toEqual(['write b', 'write a', 'check both'])
  })

  it('keeps the item of a child that ended as partial', async () => {
    const run = await solvePlanner('two files', {
      'plan two files': [steps('both files', PLAN)],
      'plan both files': [
        steps('write a in parts', ['one', 'two', 'three']),
        execute('all', 'shell: true', [], { update_plan: [] }),
      ],
      'plan write a in parts': [execute('one', 'shell: true')],
      'reflect write a in parts': [returned('partial', 'only one')],
    })
    expect(run.block('1-1-1').outcome).toMatchObject({
      status: 'partial',
      reason: 'Partly completed: only one',
    })
    expect(run.plans('1-1'), 'nothing is taken off; then it is replaced').toEqual([PLAN, []])
  })

  it('has the item of a skipped child taken off', async () => {
    const workspace = makeWorkspace()
    const model = plannerModel({
      'plan two files': [steps('both files', PLAN)],
      'plan both files': [
        steps('write a for ever', ['one', 'two', 'three']),
        execute('write b', 'shell: echo 2 > b', [], { update_plan: [] }),
      ],
      'plan write a for ever': [() => new Promise(() => {})],
    })
    const engine = createEngine({ model, tools: () => openTools({ workspace }) })
    const approval = { workspace, asks: 'yes' as const }
    const run = await engine.start('two files', { strategy: 'planner', workspace, approval })
    for await (const event of run.events)
      if (event.type === 'model-start' && event.path === '1-1-1')
        await run.signal('1-1-1', 'skip', 'never mind')
    expect((await run.outcome).status).toBe('completed')
    const plans = [...(await engine.events(run.id))].flatMap((event) =>
      event.type === 'todo-set' && event.path === '1-1' ? [event.todo] : [],
    )
    expect(plans).toEqual([PLAN, PLAN.slice(1), []])
    await engine.close()
  })

  it('is made with what a person said meanwhile', async () => {
    const workspace = makeWorkspace()
    const model = plannerModel({
      'plan two files': [execute('write a', 'shell: echo 1 > a'), execute('write b', 'shell: echo 2 > b')],
      'reflect two files': [goOn],
    })
    const engine = createEngine({ model, tools: () => openTools({ workspace }) })
    const approval = { workspace, asks: 'yes' as const }
    const run = await engine.start('two files', { strategy: 'planner', workspace, approval })
    for await (const event of run.events)
      if (event.type === 'block-start' && event.path === '1-1')
        await run.signal('1', 'message', 'b is urgent')
    expect((await run.outcome).status).toBe('completed')
    const plans = model.calls.filter(({ kind }) => kind === 'planner/plan')
    expect(JSON.stringify(plans[0]?.messages)).not.toContain('b is urgent')
    expect(JSON.stringify(plans[1]?.messages)).toContain('b is urgent')
    await engine.close()
  })

  it('is not begun at the root: what the root is to do is its first child', async () => {
    const run = await solvePlanner('say hello', {
      'plan say hello': [execute('say it', 'shell: echo hello')],
    })
    expect(run.plans('1')).toEqual([])
    expect(run.outcome).toMatchObject({ status: 'completed', usage: { calls: 4 } })
    expect(run.requests.map(({ kind }) => kind)).toEqual(['planner/plan', 'planner/reflect'])
  })
})
