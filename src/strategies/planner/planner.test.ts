import { describe, expect, it } from 'vitest'
import {
  execute,
  goOn,
  makeWorkspace,
  plannerModel,
  probes,
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

describe('probes', () => {
  const CAUSE = 'find the cause'
  const HYPOTHESES = ['the token is expired', 'the gateway times out', 'the pool is empty']
  const probeOf = (hypothesis: string) => `Test the hypothesis: ${hypothesis}`
  const tested = (verdict: string, evidence: string) => returned('completed', 'tested', { verdict, evidence })
  const log = { 'auth.log': 'ok\n', 'gateway.log': 'ok\n504 upstream timed out\n' }
  const looks = [
    execute('look for 401', 'shell: grep -c 401 auth.log', ['exit code 1']),
    execute('look for 504', 'shell: grep 504 gateway.log', ['stdout contains "504"']),
  ]

  it('test each hypothesis by a child with verdict and evidence, until Reflect finds the success signal met', async () => {
    const [first, second] = HYPOTHESES.map(probeOf)
    const run = await solvePlanner(
      CAUSE,
      {
        [`plan ${CAUSE}`]: [probes('the cause of the login error', HYPOTHESES, 'one is confirmed')],
        [`plan ${first}`]: [looks[0]],
        [`reflect ${first}`]: [tested('refuted', 'no 401 in auth.log')],
        [`plan ${second}`]: [looks[1]],
        [`reflect ${second}`]: [tested('confirmed', '504 in gateway.log')],
        'reflect the cause of the login error': [goOn, returned('completed', 'the gateway times out')],
      },
      { files: log },
    )
    expect(run.outcome.status).toBe('completed')
    expect(run.notes('planner/probe-judged')).toEqual([
      { hypothesis: HYPOTHESES[0], verdict: 'refuted', evidence: 'no 401 in auth.log' },
      { hypothesis: HYPOTHESES[1], verdict: 'confirmed', evidence: '504 in gateway.log' },
    ])
    const [refuted = '', confirmed = ''] = run.block('1-1').done
    expect(refuted).toMatch(
      /^\*\*Refuted\*\* the token is expired\nevidence: no 401 in auth\.log\n\n### Completion/,
    )
    expect(confirmed).toMatch(/^\*\*Confirmed\*\* the gateway times out/)
    expect(run.block('1-1').children, 'the third is not probed any more').toHaveLength(2)
    expect(run.prompt('reflect the cause of the login error', 2)).toContain(
      'Success signal: one is confirmed',
    )
    expect(run.block('1-1-1').goal).toMatchObject({
      constraint: 'gather evidence only; repair and change nothing',
    })
  })

  it('without a success signal are all made, and a warning is noted', async () => {
    const run = await solvePlanner(CAUSE, {
      [`plan ${CAUSE}`]: [probes('the cause of the login error', HYPOTHESES)],
      ...Object.fromEntries(
        HYPOTHESES.flatMap((one) => [
          [`plan ${probeOf(one)}`, [execute(`look at ${one}`, 'shell: true')]],
          [`reflect ${probeOf(one)}`, [tested('undecided', '')]],
        ]),
      ),
      'reflect the cause of the login error': [returned('partial', 'nothing is sure')],
      [`reflect ${CAUSE}`]: [returned('partial', 'nothing is sure')],
    })
    expect(run.notes('planner/plan-warned')).toContainEqual({ warning: 'NO_SUCCESS_SIGNAL' })
    expect(run.block('1-1').children).toHaveLength(3)
    const judged = run.requests.filter(
      ({ kind, input }) =>
        kind === 'planner/reflect' &&
        JSON.stringify(input).includes('"goal":"the cause of the login error","plan":[],'),
    )
    expect(judged, 'Reflect is asked once, at the end').toHaveLength(1)
    expect(run.outcome.status).toBe('partial')
  })

  it('that did not decide it are not made again: other hypotheses are', async () => {
    const other = ['the clock is wrong', 'the key is revoked', 'the request is malformed']
    const run = await solvePlanner(CAUSE, {
      [`plan ${CAUSE}`]: [probes('the cause of the login error', HYPOTHESES)],
      ...Object.fromEntries(
        HYPOTHESES.flatMap((one) => [
          [`plan ${probeOf(one)}`, [execute(`look at ${one}`, 'shell: true')]],
          [`reflect ${probeOf(one)}`, [tested('undecided', 'nothing to see')]],
        ]),
      ),
      'plan the cause of the login error': [
        probes('once more', [...HYPOTHESES].reverse(), 'one is confirmed'),
        probes('others', other, 'one is confirmed'),
      ],
      'reflect the cause of the login error': [goOn, returned('failed', 'it is not to be found')],
      [`plan ${probeOf(other[0] as string)}`]: [execute('look', 'shell: date -u +%Y >/dev/null')],
      [`reflect ${probeOf(other[0] as string)}`]: [tested('refuted', 'it is right')],
      'reflect others': [returned('failed', 'not found')],
      [`reflect ${CAUSE}`]: [returned('failed', 'not found')],
    })
    expect(run.outcome).toMatchObject({ status: 'failed', violations: { REPEATS_FAILED_PLAN: 1 } })
  })

  it('must come back with a verdict', async () => {
    const [first] = HYPOTHESES.map(probeOf)
    const run = await solvePlanner(CAUSE, {
      [`plan ${CAUSE}`]: [probes('the cause of the login error', HYPOTHESES, 'one is confirmed')],
      [`plan ${first}`]: [execute('look', 'shell: true')],
      [`reflect ${first}`]: [returned('completed', 'tested'), tested('confirmed', 'seen')],
      'reflect the cause of the login error': [returned('completed', 'found')],
    })
    expect(run.prompt(`reflect ${first}`, 2)).toContain(
      'PROBE_WITHOUT_VERDICT: "verdict" must be one of confirmed',
    )
    expect(run.outcome.violations).toEqual({ PROBE_WITHOUT_VERDICT: 1 })
  })

  it('that could not be tested come back as undecided, and the next is tested', async () => {
    const [first, second] = HYPOTHESES.map(probeOf)
    const run = await solvePlanner(CAUSE, {
      [`plan ${CAUSE}`]: [probes('the cause of the login error', HYPOTHESES, 'one is confirmed')],
      [`plan ${first}`]: ['what?', 'what?', 'what?'],
      [`plan ${second}`]: Array.from({ length: 4 }, () => execute('look', 'shell: exit 3')),
      [`close ${second}`]: [returned('partial', 'looked once', { verdict: 'refuted', evidence: 'exit 3' })],
      'reflect the cause of the login error': [goOn, returned('failed', 'not found')],
      [`reflect ${CAUSE}`]: [returned('failed', 'not found')],
    })
    expect(run.notes('planner/probe-judged')).toEqual([
      { hypothesis: HYPOTHESES[0], verdict: 'undecided', evidence: '' },
      { hypothesis: HYPOTHESES[1], verdict: 'refuted', evidence: 'exit 3' },
    ])
    const [failed = '', partial = ''] = run.block('1-1').done
    expect(failed).toMatch(/^\[failed: 3 replies[^\]]*\]\s\*\*Undecided\*\* the token is expired$/)
    expect(partial).toMatch(/^\[partial: [^\]]*\]\s\*\*Refuted\*\* the gateway times out\nevidence: exit 3\n/)
  })

  it('where there is no depth left are executed as they are, and judged all the same', async () => {
    const [first] = HYPOTHESES.map(probeOf)
    const run = await solvePlanner(
      CAUSE,
      {
        [`plan ${CAUSE}`]: [probes('the cause of the login error', HYPOTHESES, 'one is confirmed')],
        [`act ${first}`]: [looks[1]?.executor_call],
        [`reflect ${first}`]: [goOn, tested('confirmed', '504 is there')],
        'reflect the cause of the login error': [returned('completed', 'found')],
      },
      { files: log, options: { maxDepth: 2 } },
    )
    expect(run.prompt(`reflect ${first}`)).toContain('504 upstream timed out')
    expect(run.prompt(`reflect ${first}`)).toContain('There is no depth left: answer with plan-return.')
    expect(run.outcome.violations).toEqual({ NO_DEPTH_LEFT: 1 })
    expect(run.block('1-1').done[0]).toMatch(/^\*\*Confirmed\*\* the token is expired/)
  })

  it('can be made by another strategy', async () => {
    const thought = {
      current_thinking: 'It is refuted: there is no 401.',
      planning: [{ description: 'judge it', status: 'Done', result: 'refuted: there is no 401' }],
      next_thought_needed: false,
    }
    const run = await solvePlanner(
      CAUSE,
      {
        [`plan ${CAUSE}`]: [probes('the cause of the login error', HYPOTHESES, 'one is confirmed')],
        'cot/think': [thought],
        'reflect the cause of the login error': [returned('completed', 'found')],
      },
      { options: { probeStrategy: 'cot' } },
    )
    expect(run.block('1-1-1')).toMatchObject({ strategy: 'cot@2', outcome: { status: 'completed' } })
    expect(run.block('1-1').done[0]).toContain('no 401')
  })
})
