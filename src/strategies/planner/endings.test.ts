// How blocks end: Reflect and its four sections, depth, limits, goals in four parts.
import { describe, expect, it } from 'vitest'
import {
  execute,
  goOn,
  plannerModel,
  returned,
  sections,
  solvePlanner,
  steps,
} from '../../../tests/planner/planner-runs.ts'

const say = { 'plan say hello': [execute('say it', 'shell: echo hello')] }
const zh = (completion: string) =>
  `### 完成情况\n${completion}\n\n### 提交物\n- a\n\n### 指标情况\n- 通过\n\n### 约束符合性\n符合。`

describe('Reflect', () => {
  it.each<[first: string, status: string]>([
    ['Completed: all of it', 'completed'],
    ['**Completed** — all of it', 'completed'],
    ['Partly completed: a half', 'partial'],
    ['Not completed: the disk is full', 'failed'],
  ])('ends the block as the first section says: "%s"', async (first, status) => {
    const answer = { type: 'plan-return', status: 'completed', result: sections(first) }
    const { outcome } = await solvePlanner('say hello', { ...say, 'reflect say hello': [answer] })
    expect(outcome).toMatchObject({ status, result: first, details: sections(first) })
    if (status !== 'completed') expect(outcome.reason).toBe(first)
  })

  it.each<[first: string, status: string]>([
    ['已完成：全部', 'completed'],
    ['部分完成：一半', 'partial'],
    ['未完成：磁盘已满', 'failed'],
  ])('does so in Chinese for a goal in Chinese: "%s"', async (first, status) => {
    const answer = { type: 'plan-return', status: 'completed', result: zh(first) }
    const run = await solvePlanner('打招呼', {
      'plan 打招呼': [execute('说你好', 'shell: echo 你好', ['退出码 0'])],
      'reflect 打招呼': [answer],
    })
    expect(run.outcome).toMatchObject({ status, result: '- a', details: zh(first) })
    const rules = JSON.stringify(run.requests.at(-1)?.messages[0])
    expect(rules).toContain('### 完成情况, ### 提交物, ### 指标情况, ### 约束符合性')
  })

  it.each<[what: string, answer: unknown, told: string]>([
    [
      'without one of the sections',
      { type: 'plan-return', status: 'completed', result: '### Completion\nCompleted\n\n### Metrics\n-' },
      'RETURN_WITHOUT_SECTION: "### Deliverables" is missing',
    ],
    [
      'with sections in another language',
      { type: 'plan-return', status: 'completed', result: zh('已完成') },
      'RETURN_WITHOUT_SECTION: "### Completion" is missing',
    ],
    [
      'that does not say how it ended',
      { type: 'plan-return', status: 'completed', result: sections('It went well') },
      'RETURN_STATUS_UNCLEAR: the section "Completion" must begin with one of "Completed"',
    ],
    [
      'whose status is none of the known words',
      { type: 'plan-return', status: 'success', result: sections('Completed: said') },
      'RETURN_STATUS_UNKNOWN: "status" must be one of completed, partial, failed',
    ],
    ['without a result', { type: 'plan-return', status: 'completed' }, 'RETURN_WITHOUT_RESULT'],
    ['of another type', { type: 'plan-next' }, 'WRONG_TYPE: "type" must be "go-on" or "plan-return"'],
    ['that is no object', 'fine', 'NOT_AN_OBJECT'],
  ])('is asked again after an answer %s', async (_, answer, told) => {
    const run = await solvePlanner('say hello', {
      ...say,
      'reflect say hello': [answer, returned('completed', 'said')],
    })
    expect(run.prompt('reflect say hello', 2)).toContain(told)
    expect(run.outcome).toMatchObject({
      status: 'completed',
      violations: { [told.split(/[: ]/)[0] ?? '']: expect.any(Number) },
    })
  })

  it('may leave out the status, as the document’s form does: the first section says it', async () => {
    const answer = { type: 'plan-return', result: sections('Partly completed: a half') }
    const run = await solvePlanner('say hello', { ...say, 'reflect say hello': [answer] })
    expect(run.outcome).toMatchObject({ status: 'partial' })
    expect(run.outcome.violations).toBeUndefined()
  })

  it('has its reasons reach the Planner, and that of the block below', async () => {
    const reason = 'the second half is missing'
    const run = await solvePlanner(
      'say hello',
      {
        'plan say hello': [
          execute('one', 'shell: true'),
          steps('the rest', ['say two', 'say three', 'say four']),
        ],
        'reflect say hello': [{ type: 'go-on', reason }, returned('completed', 'said')],
        'plan the rest': [steps('two', ['a', 'b', 'c'], { update_plan: [] })],
        'act two': [{ command: 'shell: true', inputs: {}, expected_observations: [] }],
      },
      { options: { maxDepth: 2 } },
    )
    expect(run.prompt('plan say hello', 2)).toContain(`Reflect says: ${reason}`)
    expect(run.prompt('plan the rest')).toContain(`Reflect said of the block above it: ${reason}`)
    expect(run.prompt('act two'), 'Act knows the plan that it is to execute').toContain('"a",\n  "b",\n  "c"')
  })

  it('is asked after each child, and before the next plan', async () => {
    const run = await solvePlanner('say hello', {
      'plan say hello': [execute('one', 'shell: true'), execute('two', 'shell: echo 2')],
      'reflect say hello': [goOn, returned('completed', 'said')],
    })
    expect(run.requests.map(({ kind }) => kind.slice(8))).toEqual(['plan', 'reflect', 'plan', 'reflect'])
  })

  it('alone may end a block: what it says of a block that can not go on is its outcome', async () => {
    const run = await solvePlanner('say hello', {
      'plan say hello': [execute('say it', 'shell: exit 1')],
      'reflect say hello': [returned('failed', 'nobody is there')],
    })
    expect(run.outcome).toMatchObject({ status: 'failed', reason: 'Not completed: nobody is there' })
  })
})

describe('depth', () => {
  const NEAR = 'There is hardly any depth left'

  it('at max_depth - 1 the prompt leans to EXECUTE, not before', async () => {
    const run = await solvePlanner(
      'a house',
      {
        'plan a house': [steps('the house', ['ground', 'walls', 'roof'])],
        'plan the house': [execute('ground', 'shell: true', [], { update_plan: [] })],
      },
      { options: { maxDepth: 2 } },
    )
    expect(run.prompt('plan a house')).not.toContain(NEAR)
    expect(run.prompt('plan the house')).toContain(NEAR)
    expect(run.prompt('plan the house')).toContain('max_depth is 2')
    expect(run.outcome.status).toBe('completed')
  })

  it('at max_depth the block is executed without planning', async () => {
    const run = await solvePlanner(
      'a house',
      {
        'plan a house': [steps('the house', ['ground', 'walls', 'roof'])],
        'act the house': [
          { command: 'shell: echo built > house', inputs: {}, expected_observations: ['house exists'] },
        ],
      },
      { options: { maxDepth: 1 } },
    )
    expect(run.outcome.status).toBe('completed')
    expect(run.file('house')).toBe('built\n')
    expect(run.requests.map(({ kind }) => kind.slice(8))).toEqual(['plan', 'act', 'reflect'])
  })

  it('of none at all has the goal executed as it is', async () => {
    const call = { command: 'shell: echo hello', inputs: {}, expected_observations: [] }
    const run = await solvePlanner('say hello', { 'act say hello': [call] }, { budget: { depth: 0 } })
    expect(run.outcome).toMatchObject({ status: 'completed', result: expect.stringContaining('hello') })
  })

  it('at the end of it a call keeps the rules of one: told, and asked again; a strategy has no room there', async () => {
    const call = { command: 'shell: true', inputs: {}, expected_observations: [] }
    const run = await solvePlanner(
      'say hello',
      { 'act say hello': [{ ...call, command: 'cot: think' }, { command: 'shell: true' }, call] },
      { budget: { depth: 0 } },
    )
    expect(run.prompt('act say hello', 2)).toContain('CALL_UNKNOWN_EXECUTOR')
    expect(run.outcome).toMatchObject({
      status: 'completed',
      violations: { CALL_UNKNOWN_EXECUTOR: 1, CALL_INCOMPLETE: 2 },
    })
  })

  it('at the end of it says in four sections that no executor can do it', async () => {
    const run = await solvePlanner(
      'say hello',
      { 'act say hello': [{ cannot: 'there is no voice' }] },
      { budget: { depth: 0 } },
    )
    expect(run.outcome).toMatchObject({
      status: 'failed',
      reason: 'there is no voice',
      result: 'Not completed: could not be executed: there is no voice',
      details: expect.stringMatching(
        /^### Completion\nNot completed: could not be executed: there is no voice\n\n### Del/,
      ),
    })
  })
})

describe('a limit', () => {
  it('closes the block as partial, with a summary of what there is', async () => {
    const run = await solvePlanner(
      'count on',
      {
        'plan count on': Array.from({ length: 20 }, (_, i) => execute(`count ${i}`, `shell: echo ${i}`)),
        'reflect count on': Array.from({ length: 20 }, () => goOn),
        'close count on': [returned('partial', 'counted a while')],
      },
      { budget: { calls: 12 } },
    )
    expect(run.outcome).toMatchObject({
      status: 'partial',
      code: 'LIMIT',
      limit: 'calls',
      result: expect.stringContaining('Partly completed: counted a while'),
    })
    expect(run.prompt('close count on')).toContain('It has to end here')
  })

  it('closes with what there is when the summary can not be used', async () => {
    const run = await solvePlanner(
      'count on',
      {
        'plan count on': Array.from({ length: 20 }, (_, i) => execute(`count ${i}`, `shell: echo ${i}`)),
        'reflect count on': Array.from({ length: 20 }, () => goOn),
        'close count on': ['so much for that'],
      },
      { budget: { calls: 12 } },
    )
    expect(run.outcome).toMatchObject({ status: 'partial', limit: 'calls' })
    expect(run.outcome.result).toContain('shell: echo 0')
  })
})

describe('a goal in four parts', () => {
  const core4 = { intent: '写登录页', deliverable: 'login.html', metric: '含有表单', constraint: '不用框架' }

  it('is the root goal as an object: in the Context JSON, the journal and the words of the result', async () => {
    const run = await solvePlanner(core4, {
      'plan 写登录页': [
        execute('写 login.html', "shell: echo '<form>' > login.html", ['文件包含 <form> 标签']),
      ],
      observe: [{ verdicts: [{ observation: '文件包含 <form> 标签', verdict: 'met' }] }],
      'reflect 写登录页': [{ type: 'plan-return', status: 'completed', result: zh('已完成：有了') }],
    })
    expect(run.block('1').goal).toEqual(core4)
    expect(run.prompt('plan 写登录页')).toContain(
      '写登录页\n交付物: login.html\n度量: 含有表单\n约束: 不用框架\n',
    )
    expect(JSON.parse(run.file('.thinkon/thinking-context.json')).think.goal).toEqual(core4)
    expect(run.outcome.status).toBe('completed')
    expect(run.block('1-1').outcome?.result).toContain('### 完成情况')
  })

  it('may be the goal of any block', async () => {
    const run = await solvePlanner('a page', {
      'plan a page': [execute({ ...core4, intent: 'write the page' }, 'shell: true')],
    })
    expect(run.block('1-1').goal).toMatchObject({ intent: 'write the page', metric: '含有表单' })
  })

  it.each<[what: string, goal: object]>([
    ['of three', { intent: 'x', deliverable: 'y', metric: 'z' }],
    ['of five', { ...core4, owner: 'me' }],
    ['that are no texts', { ...core4, metric: 3 }],
  ])('is refused with parts %s', async (_, goal) => {
    await expect(solvePlanner(goal as never, {}, { model: plannerModel({}) })).rejects.toThrow(
      /intent, deliverable, metric, constraint/,
    )
  })
})
