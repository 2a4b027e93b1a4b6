// The loop of one task: what is refused, how it looks back, how it ends.
import { describe, expect, it } from 'vitest'
import {
  doing,
  finish,
  nested,
  solveDual,
  type TaskInput,
  tool,
  use,
} from '../../../../tests/dual/scripted-tasks.ts'
import { ThinkonError } from '../../../protocol/index.ts'

const look = tool('look', async (input) => ({ seen: input }))

describe('a decision', () => {
  it('that can not be taken is told and asked again', async () => {
    const { of, outcome, notes } = await solveDual('all', doing([{ action: 'fly' }, use('saw')]), {
      tools: [look],
    })
    expect(outcome.status).toBe('completed')
    expect(of('act do it')[1]?.prompt).toContain(
      '{"action":"fly"}\nThis can\'t be used: There is no action "fly"; there are: finish,',
    )
    expect(of('act do it')[2]?.prompt).toContain('There is no tool "saw"; there are: look, read_result.')
    expect((await notes('dual/action-refused')).map(({ iteration }) => iteration)).toEqual([1, 1])
  })

  it.each([
    ['no JSON at all', 'one JSON object that has an "action"'],
    [[], 'one JSON object that has an "action"'],
    [{}, 'There is no action given'],
    [{ action: 'finish' }, 'The action finish needs "result".'],
    [{ action: 'finish', result: '  ' }, 'The action finish needs "result".'],
    [nested(''), 'The action request_plan_and_execution needs "plan_request_payload".'],
    [{ action: 'wait' }, 'There is no action "wait"'],
    [
      { action: 'finish', result: { price: 15 } },
      '"result" of the action finish must be a text, not an object.',
    ],
    [
      { action: 'request_plan_and_execution', plan_request_payload: ['a', 'b'] },
      '"plan_request_payload" of the action request_plan_and_execution must be a text, not a list.',
    ],
  ])('%j is refused', async (said, problem) => {
    const { of } = await solveDual('all', doing([said]))
    expect(of('act do it')[1]?.prompt).toContain(problem)
  })

  it('may say a text as a number', async () => {
    const { block, of } = await solveDual('all', doing([{ action: 'finish', result: 15 }]))
    expect((await block('1-1')).outcome?.result).toBe('15')
    expect(of('act do it')).toHaveLength(1)
  })

  it('takes null for a field that is left out', async () => {
    const said = { action: 'require_tool', tool: 'look', params: null, aside: null }
    const { of, outcome } = await solveDual('all', doing([said]), { tools: [look] })
    expect(outcome.status).toBe('completed')
    expect(of('act do it')[1]?.prompt).toContain('{"seen":{}}')
  })

  it('that stays unusable fails the task after three asks', async () => {
    const { of, block, outcome } = await solveDual(
      'all',
      doing(() => ({ action: 'fly' })),
    )
    expect(of('act do it')).toHaveLength(3)
    expect((await block('1-1')).outcome).toMatchObject({ status: 'failed', code: 'INVALID_FORMAT' })
    expect(outcome.status).toBe('partial')
  })

  it.each([
    ['allowToolCall', 'require_tool'],
    ['allowPlanAndExec', 'request_plan_and_execution'],
    ['allowRAG', 'knowledge_enhance'],
    ['allowUserInteract', 'ask_for_clarification'],
    ['allowAIForge', 'require_ai_blueprint'],
  ])('%s switches %s on and off', async (option, action) => {
    const hidden = (name: string) => ({ ...tool(name, async () => []), hidden: true as const })
    const blueprints = ['blueprint__list', 'blueprint__load', 'blueprint__fill'].map(hidden)
    const tools = [look, tool('search_files', async () => []), ...blueprints]
    const on = await solveDual('all', doing([]), { tools })
    expect(on.of('act do it')[0]?.input.actions).toContain(action)
    const off = await solveDual('all', doing([use('look')]), { tools, options: { [option]: false } })
    expect(off.of('act do it')[0]?.input.actions).not.toContain(action)
    expect(off.of('act do it')[0]?.prompt).not.toContain(`- ${action} {`)
    if (option === 'allowToolCall')
      expect(off.of('act do it')[1]?.prompt).toContain('There is no action "require_tool"')
  })

  it('has only the tools that it may use', async () => {
    const tools = [look, tool('other', async () => '')]
    const { of } = await solveDual('all', doing([use('other')]), { tools, options: { tools: ['look'] } })
    expect(of('act do it')[0]?.input.tools).toEqual(['look'])
    expect(of('act do it')[1]?.prompt).toContain('There is no tool "other"; there are: look.')
  })
})

describe('the end of iterations', () => {
  it('is partial with what there is, never completed', async () => {
    let n = 0
    const { outcome, block, of, notes } = await solveDual(
      'all',
      doing(() => use('look', { n: n++ })),
      { tools: [look], options: { maxIterations: 4 } },
    )
    expect(of('act do it')).toHaveLength(4)
    expect((await block('1-1')).outcome).toMatchObject({
      status: 'partial',
      result: 'closed with what there was',
      reason: '1-1: the limit of iterations (maxIterations, 4) is reached, and the task is not finished',
    })
    expect(outcome.status).toBe('partial')
    expect(await notes('dual/loop-ended')).toMatchObject([{ code: 'LIMIT' }])
    expect(of('close do it')[0]?.prompt).toMatch(/Result of look \{"n":3\}[\s\S]*ends here: 1-1: the limit/)
  })

  it.each([[{ result: ' ' }], ['no JSON']])(
    'says what was called and what came of it, where the closing summary is %j',
    async (closing) => {
      let n = 0
      const script = { ...doing(() => use('look', { n: n++ })), 'close do it': [closing] }
      const { block } = await solveDual('all', script, { tools: [look], options: { maxIterations: 2 } })
      expect((await block('1-1')).outcome).toMatchObject({
        status: 'partial',
        result: 'look {"n":0}: {"seen":{"n":0}}; look {"n":1}: {"seen":{"n":1}}',
      })
    },
  )
})

describe('spinning', () => {
  it('with equal actions is reflected on when it is seen, then aborts the task with its partial result', async () => {
    const { block, outcome, notes, of } = await solveDual(
      'all',
      doing(() => use('look', { at: 'it' })),
      { tools: [look] },
    )
    expect(await notes('dual/loop-reflected')).toMatchObject([{ iteration: 3, level: 'standard' }])
    expect(of('reflect do it')[0]?.prompt).toContain(
      'The last 3 actions were the same, and nothing new came of them.',
    )
    expect((await block('1-1')).outcome).toMatchObject({
      status: 'partial',
      code: 'LOOP',
      result: 'closed with what there was',
    })
    expect(outcome.status).toBe('partial')
    expect(of('act do it')).toHaveLength(4)
  })

  it('a second time is reflected on harder', async () => {
    const same = [1, 2, 3].map(() => use('look', { at: 'it' }))
    const other = [4, 5, 6].map(() => use('look', { at: 'that' }))
    const { notes, outcome, of } = await solveDual('all', doing([...same, ...other]), { tools: [look] })
    expect(outcome.status).toBe('completed')
    expect(await notes('dual/loop-reflected')).toMatchObject([
      { iteration: 3, level: 'standard' },
      { iteration: 6, level: 'deep' },
    ])
    expect(of('reflect do it')[1]?.prompt).toContain('Question the approach itself')
  })

  it('in other words is judged by the model from all that it did, and going on aborts the task', async () => {
    let n = 0
    const { block, notes, of } = await solveDual(
      'all',
      doing(() => use('look', { n: n++ }), {
        'reflect do it': () => ({ advice: 'you ask the same in other words', spinning: true }),
      }),
      { tools: [look] },
    )
    expect(await notes('dual/loop-reflected')).toMatchObject([
      { iteration: 8, spinning: true, level: 'standard' },
      { iteration: 9, spinning: true, level: 'deep' },
      { iteration: 10, spinning: true, level: 'deep' },
    ])
    expect(of('act do it')).toHaveLength(10)
    const last = of('reflect do it')[2]?.prompt ?? ''
    expect(last.match(/^Result of look/gm)).toHaveLength(10)
    expect(last).toContain('When you last looked back you were going round in circles.')
    expect((await block('1-1')).outcome).toMatchObject({ status: 'partial', code: 'LOOP' })
  })

  it('in other words that the loop gets out of is forgotten', async () => {
    let n = 0
    const { outcome, notes } = await solveDual(
      'all',
      doing(({ iteration }: TaskInput) => (iteration < 25 ? use('look', { n: n++ }) : finish('done')), {
        'reflect do it': ({ iteration }) => ({ advice: 'other words', spinning: iteration % 8 === 0 }),
      }),
      { tools: [look] },
    )
    expect(outcome.status).toBe('completed')
    expect((await notes('dual/loop-reflected')).map(({ iteration }) => iteration)).toEqual([8, 9, 16, 17, 24])
  })

  it('has thresholds that can be set', async () => {
    let n = 0
    const { of, block } = await solveDual(
      'all',
      doing(() => use('look', { n: n++ }), { 'reflect do it': () => ({ advice: '', spinning: true }) }),
      { tools: [look], options: { sameLogicSpinThreshold: 1 } },
    )
    expect(of('act do it')).toHaveLength(8)
    expect((await block('1-1')).outcome).toMatchObject({ status: 'partial', code: 'LOOP' })
    const twice = await solveDual(
      'all',
      doing(() => use('look', { at: 'it' })),
      { tools: [look], options: { sameActionTypeSpinThreshold: 2 } },
    )
    expect(twice.of('reflect do it')[0]?.input.iteration).toBe(2)
  })

  it('with a counter in the result ends the loop as well', async () => {
    let n = 0
    const counter = tool('count', async () => `asked ${n++} times`)
    const { block, notes, of } = await solveDual(
      'all',
      doing(() => use('count')),
      { tools: [counter] },
    )
    expect((await notes('dual/loop-reflected')).map(({ iteration, level }) => [iteration, level])).toEqual([
      [3, 'standard'],
      [4, 'deep'],
    ])
    expect(of('act do it')).toHaveLength(5)
    expect((await block('1-1')).outcome).toMatchObject({ status: 'partial', code: 'LOOP' })
  })

  it('is not what results in other words are', async () => {
    let n = 0
    const words = tool('draw', async () => ['ace', 'king', 'queen', 'jack', 'ten'][n++])
    const { outcome, notes } = await solveDual('all', doing([1, 2, 3, 4, 5].map(() => use('draw'))), {
      tools: [words],
    })
    expect(outcome.status).toBe('completed')
    expect(await notes('dual/loop-reflected')).toEqual([])
  })
})

describe('reflection', () => {
  const broken = tool('broken', async () => {
    throw new ThinkonError('BAD_INPUT', 'no')
  })

  it('is critical after an error, standard every eighth iteration, and calls no model otherwise', async () => {
    let n = 0
    const act = ({ iteration }: TaskInput) =>
      iteration === 5 ? use('broken') : iteration === 17 ? finish('done') : use('look', { n: n++ })
    const { notes, of } = await solveDual('all', doing(act), { tools: [look, broken] })
    expect((await notes('dual/loop-reflected')).map(({ iteration, level }) => [iteration, level])).toEqual([
      [5, 'critical'],
      [8, 'standard'],
      [16, 'standard'],
    ])
    expect(of('reflect do it')[0]?.prompt).toContain('The last action failed.')
  })

  it('stays in the conversation', async () => {
    const act = ({ iteration }: TaskInput) => (iteration < 6 ? use('broken', { iteration }) : finish('done'))
    const { of } = await solveDual(
      'all',
      doing(act, {
        'reflect do it': ({ iteration }) => ({ advice: `lesson ${iteration}`, spinning: false }),
      }),
      { tools: [broken] },
    )
    const prompts = of('act do it').map(({ prompt }) => prompt)
    expect(prompts[1]).toContain('Looking back (critical): lesson 1\n')
    for (const n of [1, 2, 3, 4, 5]) expect(prompts[5]).toContain(`Looking back (critical): lesson ${n}\n`)
  })

  it('can be switched off', async () => {
    const { of } = await solveDual('all', doing([use('broken'), use('broken', { n: 1 })]), {
      tools: [broken],
      options: { reflection: false },
    })
    expect(of('reflect do it')).toEqual([])
  })

  it('that the model can not make does not stop the loop', async () => {
    const { outcome } = await solveDual(
      'all',
      doing([use('broken')], { 'reflect do it': () => new Error('no') }),
      {
        tools: [broken],
      },
    )
    expect(outcome.status).toBe('completed')
  })
})
