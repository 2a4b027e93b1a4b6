// The coordinator: its phases, its plans, the order in which tasks are carried out, how it ends.
import { describe, expect, it } from 'vitest'
import { gate, pause, turns } from '../../../../tests/conformance/async.ts'
import { violations } from '../../../../tests/conformance/invariants.ts'
import {
  changes,
  finish,
  isNote,
  plan,
  solveDual,
  startDual,
  type TaskInput,
  tool,
  use,
} from '../../../../tests/dual/scripted-tasks.ts'
import type { ModelRequest } from '../../../protocol/index.ts'
import { reply } from '../../../testing/index.ts'

describe('a coordinator', () => {
  it('notes its five phases, and sums up what the tasks came to', async () => {
    const { outcome, notes, events, engine, run } = await solveDual('make tea', {
      'plan make tea': [plan('boil water', 'brew tea')],
      'sum make tea': ({ done }: TaskInput) => ({ result: `tea: ${done.join(', ')}` }),
    })
    expect(outcome).toMatchObject({
      status: 'completed',
      result: 'tea: boil water is done, brew tea is done',
    })
    expect((await notes('dual/phase-begun')).map(({ phase }) => phase)).toEqual([
      'plan-request',
      'plan-generation',
      'review',
      'refinement',
      'execution',
    ])
    expect(violations(events, { waitsForChildren: true })).toEqual([])
    expect((await engine.replay(run.id)).differences).toEqual([])
  })

  it('sums up in its own words when the model gives none', async () => {
    const { outcome } = await solveDual('make tea', {
      'plan make tea': [plan('boil water', 'brew tea')],
      'sum make tea': [new Error('the model is gone')],
    })
    expect(outcome).toMatchObject({
      status: 'completed',
      result: '1-1 boil water: boil water is done\n1-2 brew tea: brew tea is done',
    })
  })

  it('sums up in its own words where the summary is empty: an empty result is not completed', async () => {
    const { outcome, notes } = await solveDual('make tea', {
      'plan make tea': [plan('boil water', 'brew tea')],
      'sum make tea': [{ result: ' \n' }],
    })
    expect(outcome.result).toBe('1-1 boil water: boil water is done\n1-2 brew tea: brew tea is done')
    expect(await notes('dual/summary-failed')).toHaveLength(1)
  })

  it('cuts nothing off a result when it sums up in its own words', async () => {
    const poem = 'The kettle sings.\n'.repeat(100)
    const { outcome } = await solveDual('make tea', {
      'plan make tea': [plan('boil water', 'brew tea')],
      'act boil water': [finish(poem)],
      'sum make tea': ['no JSON'],
    })
    expect(outcome.result).toContain(poem.trim())
  })

  it('begins with the plan it was given', async () => {
    const { action: _, ...given } = plan('boil water')
    const { outcome, of } = await solveDual('make tea', {}, { options: { plan: given } })
    expect(outcome.status).toBe('completed')
    expect(of('plan make tea')).toEqual([])
  })

  it('summarises at the limit with what it kept back, and says which limit it was', async () => {
    const { outcome, asked } = await solveDual(
      'make tea',
      { 'plan make tea': [plan('boil water', 'brew tea')], 'sum make tea': [{ result: 'warm water' }] },
      { budget: { calls: 3 } },
    )
    expect(outcome).toMatchObject({ status: 'partial', limit: 'calls', result: 'warm water' })
    expect(asked.at(-1)?.input).toMatchObject({ closing: true })
  })
})

describe('the plan engine', () => {
  const look = tool('look', async () => ({ there: 'a kettle' }))
  const write = tool('write', async () => 'written', 'write')

  it('looks with tools that read, by an action or by native calls, and has none that write', async () => {
    const { of, outcome, model } = await solveDual(
      'make tea',
      {
        'plan make tea': [
          use('look'),
          reply('', { toolCalls: [{ id: 'a', name: 'look', input: { at: 'shelf' } }] }),
          plan('boil water'),
        ],
      },
      { tools: [look, write] },
    )
    expect(outcome.status).toBe('completed')
    const asked = of('plan make tea')
    expect(asked[0]?.input.tools).toEqual(['look', 'read_result'])
    expect(asked[1]?.prompt).toMatch(/<data-\w+ from="look">\n\{"there":"a kettle"\}/)
    expect(asked[2]?.input.iteration).toBe(3)
    expect(roles(model.calls[2])).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
      'user',
    ])
  })

  it('is told when it asks for a tool that it does not have', async () => {
    const { of } = await solveDual(
      'make tea',
      { 'plan make tea': [use('write'), plan('boil water')] },
      { tools: [look, write] },
    )
    expect(of('plan make tea')[1]?.prompt).toContain(
      'There is no tool "write" to look with; there are: look, read_result.',
    )
  })

  it('tells what is wrong with a plan, and takes the one that is right', async () => {
    const { of, notes, outcome } = await solveDual('make tea', {
      'plan make tea': [
        plan({ name: 'brew', after: ['boil'] }),
        plan({ name: 'brew', after: ['boil'] }, { name: 'boil', after: ['brew'] }),
        plan(),
        plan('boil', { name: 'brew', after: ['boil'] }),
      ],
    })
    expect(outcome.status).toBe('completed')
    const prompts = of('plan make tea').map(({ prompt }) => prompt)
    expect(prompts).toHaveLength(4)
    expect(prompts[1]).toContain('The task "brew" depends on "boil", which is no task of the plan.')
    expect(prompts[2]).toContain('Tasks wait for each other in a circle')
    expect(prompts[3]).toContain('The plan has no sub-tasks')
    expect(await notes('dual/plan-refused')).toHaveLength(3)
  })

  it('is asked again three times at most, then fails and says why', async () => {
    const { of, outcome } = await solveDual('make tea', { 'plan make tea': () => plan() })
    expect(of('plan make tea')).toHaveLength(4)
    expect(outcome).toMatchObject({ status: 'failed', code: 'INVALID_FORMAT' })
    expect(outcome.reason).toContain('The plan has no sub-tasks')
  })

  it('does not look for ever', async () => {
    let n = 0
    const { of, outcome } = await solveDual(
      'make tea',
      { 'plan make tea': () => use('look', { at: n++ }) },
      { tools: [look], options: { maxPlanIterations: 5 } },
    )
    expect(of('plan make tea')).toHaveLength(5)
    expect(outcome).toMatchObject({ status: 'failed', code: 'INVALID_FORMAT' })
  })

  it('drops tasks without a name, and says so', async () => {
    const given = plan('boil water')
    const { notes, events } = await solveDual('make tea', {
      'plan make tea': [{ ...given, tasks: [...given.tasks, { subtask_goal: 'nameless' }] }],
    })
    expect(await notes('dual/plan-warned')).toEqual([{ dropped: 1 }])
    expect(changes(events).filter((change) => change.endsWith('completed'))).toEqual([
      '1-1 completed',
      '1 completed',
    ])
  })
})

describe('the tasks of a plan', () => {
  const NESTED = plan(
    { name: 'dough', parts: ['flour', 'water'] },
    { name: 'bake', after: ['heat'] },
    { name: 'oven', parts: [{ name: 'heat', after: ['dough'] }] },
  )

  it('are carried out depth first, only the leaves, and wait for what they depend on', async () => {
    const { asked, events, outcome } = await solveDual('bread', { 'plan bread': [NESTED] })
    expect(outcome.status).toBe('completed')
    expect(asked.flatMap(({ key }) => (key.startsWith('act ') ? [key.slice(4)] : []))).toEqual([
      'flour',
      'water',
      'heat',
      'bake',
    ])
    expect(changes(events)).toEqual([
      '1-1-1 processing',
      '1-1-1 completed',
      '1-1-2 processing',
      '1-1-2 completed',
      '1-1 completed',
      '1-3-1 processing',
      '1-3-1 completed',
      '1-3 completed',
      '1-2 processing',
      '1-2 completed',
      '1 completed',
    ])
  })

  it('know the request, their parents, themselves, the plan, and what was done before', async () => {
    const { of } = await solveDual('bread', { 'plan bread': [NESTED] })
    const prompt = of('act water')[0]?.prompt
    expect(prompt).toMatch(/<\|USER_REQUEST_(\w+)\|>\nbread\n<\|USER_REQUEST_END_\1\|>/)
    expect(prompt).toContain(
      '<|PARENT_TASK|>\nTask: all of it\nGoal: it is all there\nTask: dough\nGoal: dough\n<|PARENT_TASK_END|>',
    )
    expect(prompt).toContain('<|CURRENT_TASK|>\nTask: water\nGoal: water\n<|CURRENT_TASK_END|>')
    expect(prompt).toMatch(/<\|PROGRESS_TASK_(\w+)\|>[\s\S]*<\|PROGRESS_TASK_END_\1\|>/)
    expect(prompt).toContain('-[x] 1-1-1. "flour" (Finished:flour is done)')
    expect(prompt).toContain('-[-] 1-1-2. "water"')
    expect(prompt).toContain('It is read-only')
    expect(prompt).toMatch(
      /Result of the task: flour \[completed\]\n<data-(\w+) from="result">\nflour is done\n<\/data-\1>/,
    )
  })

  it('run at once up to the limit and never more, really at the same time', async () => {
    let running = 0
    let most = 0
    const act = async ({ name }: TaskInput) => {
      most = Math.max(most, ++running)
      await pause(20)
      running--
      return finish(`${name} is done`)
    }
    for (const [concurrency, expected] of [
      [1, 1],
      [3, 3],
    ]) {
      most = 0
      const { outcome } = await solveDual(
        'many',
        { 'plan many': [plan('a', 'b', 'c', 'd', 'e', 'f', 'g')], act },
        { options: { concurrency } },
      )
      expect(outcome.status).toBe('completed')
      expect(most).toBe(expected)
    }
  })

  it('that are ready begin when one has ended, whatever the others do', async () => {
    const slow = gate()
    const { of, see, outcome } = await startDual(
      'many',
      {
        'plan many': [plan('slow', 'quick', { name: 'next', after: ['quick'] })],
        'act slow': async () => {
          await slow.opened
          return finish('at last')
        },
      },
      { options: { concurrency: 2 } },
    )
    await see('the third has ended', isNote('dual/task-changed', { index: '1-3', to: 'completed' }))
    expect(of('act next')).toHaveLength(1)
    slow.open()
    expect((await outcome()).status).toBe('completed')
  })

  it('go on where one fails, but for those that depend on it: the plan is partial, and the summary told of it', async () => {
    const { outcome, asked, events, of } = await solveDual(
      'bread',
      {
        'plan bread': [plan('flour', 'water', { name: 'bake', after: ['water'] }, 'eat')],
        'act water': [finish('a drop', { status: 'partial', reason: 'the tap is dry' })],
      },
      { options: { maxReplans: 0 } },
    )
    expect(outcome).toMatchObject({ status: 'partial' })
    expect(outcome.reason).toBe('1: 1-2 "water" was aborted: partial: the tap is dry; 1 task was not begun')
    expect(asked.map(({ key }) => key)).toEqual([
      ...['plan bread', 'act flour', 'act water', 'act eat', 'sum bread'],
    ])
    expect(changes(events).slice(-3)).toEqual(['1-2 aborted', '1-4 processing', '1-4 completed'])
    expect(of('sum bread')[0]?.prompt).toContain('-[ ] 1-3. "bake"')
  })

  it('that run beside one that fails go on to their end', async () => {
    const slow = gate()
    const started = await startDual(
      'many',
      {
        'plan many': [plan('slow', 'broken', { name: 'never', after: ['broken'] })],
        'act slow': async () => {
          await slow.opened
          return finish('at last')
        },
        'act broken': [finish('', { result: 'nothing', status: 'failed', reason: 'no' })],
      },
      { options: { concurrency: 2 } },
    )
    await started.see('one failed', isNote('dual/task-changed', { index: '1-2', to: 'aborted' }))
    await turns(10)
    slow.open()
    expect(await started.outcome()).toMatchObject({
      status: 'partial',
      reason: '1: 1-2 "broken" was aborted: failed: no; 1 task was not begun',
    })
    expect(started.of('act never')).toEqual([])
  })
})

describe('the result', () => {
  const look = tool('look', async () => ({ there: 'a kettle' }))

  it('is that of the last task, which depends on all others and is told so: nothing is summed up', async () => {
    const { outcome, of, asked } = await solveDual('bread', {
      'plan bread': [plan('flour', { name: 'dough', after: ['flour'] }, { name: 'bake', after: ['dough'] })],
      'act bake': [finish('a loaf')],
    })
    expect(outcome).toMatchObject({ status: 'completed', result: 'a loaf' })
    expect(asked.map(({ key }) => key)).toEqual(['plan bread', 'act flour', 'act dough', 'act bake'])
    expect(of('act bake')[0]?.prompt).toContain('Your result is the answer to <|USER_REQUEST|>')
    expect(of('act dough')[0]?.prompt).not.toContain('Your result is the answer')
    for (const result of ['flour is done', 'dough is done'])
      expect(of('act bake')[0]?.prompt).toContain(result)
  })

  it('is summed up where no task was told that it is the last', async () => {
    const { outcome } = await solveDual('bread', { 'plan bread': [plan('flour', 'water')] })
    expect(outcome.result).toBe('flour is done; water is done')
  })

  it('is told by the last task in the form of the value that a run is to give; no other task hears of it', async () => {
    const output = { type: 'object', properties: { cups: { type: 'integer' } }, required: ['cups'] } as const
    const { outcome, replies } = await solveDual(
      'make tea',
      {
        'plan make tea': [plan('boil water', { name: 'brew tea', after: ['boil water'] })],
        'act brew tea': [finish('{"cups":2}')],
      },
      { output },
    )
    expect(outcome).toMatchObject({ status: 'completed', value: { cups: 2 } })
    const told = replies.filter(({ prompt }) => prompt.includes('"cups": whole number')).map(({ key }) => key)
    expect(told).toEqual(expect.arrayContaining(['plan make tea', 'act brew tea']))
    expect(told).not.toContain('act boil water')
  })

  it('that the check sends back is done again by the last task, with the earlier one and what is wrong in view', async () => {
    const page = 'The page. '.repeat(100)
    const { outcome, of } = await solveDual(
      'write a page',
      {
        'plan write a page': [use('look'), plan('write it')],
        'act write it': [finish(page), finish('the better page')],
        'check write a page': [{ problems: ['the kettle is missing'], fits: false }],
      },
      { tools: [look] },
    )
    expect(outcome).toMatchObject({ status: 'completed', result: 'the better page' })
    // Who checks sees what it was made from.
    expect(of('check write a page')[0]?.prompt).toContain('a kettle')
    const again = of('act write it')[1]?.prompt
    expect(again).toContain('the kettle is missing')
    expect(again).toContain(page.trim())
  })

  it('that the check sends back is summed up again where it was summed up', async () => {
    const page = 'The page. '.repeat(100)
    const { outcome, of } = await solveDual('write a page', {
      'plan write a page': [plan('a', 'b')],
      'sum write a page': [{ result: page }, { result: 'the better page' }],
      'check write a page': [{ problems: ['b is missing'], fits: false }],
    })
    expect(outcome).toMatchObject({ status: 'completed', result: 'the better page' })
    expect(of('check write a page')[0]?.prompt).toContain('b is done')
    expect(of('sum write a page')[1]?.prompt).toContain('b is missing')
    expect(of('sum write a page')[1]?.prompt).toContain(page.trim())
  })
})

describe('what reaches every level', () => {
  it('a message to the run is in the next prompt of whoever goes on, and in those of tasks that begin later', async () => {
    const first = gate()
    const { run, of, see, outcome } = await startDual(
      'many',
      {
        'plan many': [plan('a', 'b')],
        'act a': [
          async () => {
            await first.opened
            return use('look')
          },
        ],
      },
      { tools: [tool('look', async () => 'seen')] },
    )
    await see('it runs', (event) => event.type === 'model-start' && event.path === '1-1')
    await run.signal('1-1', 'message', 'mind the gap')
    await run.signal('1', 'message', 'take the train')
    first.open()
    await outcome()
    expect(of('act a')[1]?.prompt).toContain('The person says: mind the gap')
    expect(of('act b')[0]?.prompt).toContain('The person says: take the train')
    expect(of('act b')[0]?.prompt).toContain('The person says: mind the gap')
  })

  it('a cancel ends tasks, nested plans and their tasks at once', async () => {
    const { run, see, outcome, events } = await startDual('many', {
      'plan many': [plan('a')],
      'act a': [{ action: 'request_plan_and_execution', plan_request_payload: 'the parts of a' }],
      'plan the parts of a': [plan('deep')],
      'act deep': () => new Promise(() => {}),
    })
    await see('the deepest runs', (event) => event.type === 'model-start' && event.path === '1-1-1-1')
    await run.cancel('enough')
    expect(await outcome()).toMatchObject({ status: 'cancelled', reason: expect.stringContaining('enough') })
    expect(violations(await events())).toEqual([])
  })
})

function roles(request: ModelRequest | undefined): string[] {
  return request?.messages.map(({ role }) => role) ?? []
}
