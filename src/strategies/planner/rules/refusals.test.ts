// What the Planner answers against the rules: told by name, asked again, counted; three times, and the block ends.
import { describe, expect, it } from 'vitest'
import {
  execute,
  goOn,
  probes,
  returned,
  sections,
  solvePlanner,
  steps,
} from '../../../../tests/planner/planner-runs.ts'
import { schemaPrompt } from '../../../models/structured/schema-prompt.ts'
import { messageText } from '../../../protocol/index.ts'
import type { JsonSchema } from '../../../schema/check-schema.ts'

const good = execute('say it', 'shell: echo hello')

describe('an answer that breaks a rule', () => {
  it.each<[name: string, count: number, answer: unknown]>([
    ['NOT_AN_OBJECT', 1, 'I would begin with a look around.'],
    ['WRONG_TYPE', 1, { type: 'plan-return', result: 'done', status: 'completed' }],
    ['EXECUTE_WITHOUT_CALL', 1, { ...good, executor_call: undefined }],
    ['CALL_UNKNOWN_EXECUTOR', 1, execute('say it', 'magic: say hello')],
    ['TOO_FEW_ITEMS', 1, steps('say it', ['say it'])],
    [
      'PROBE_HAS_SEQUENCE_WORD',
      1,
      probes('why', ['first, the token', 'the pool is empty', 'the key is wrong']),
    ],
    ['STEP_HAS_GUESS_WORD', 3, steps('say it', ['maybe look around', 'maybe say hello', 'maybe leave'])],
    ['UNKNOWN_FIELD', 1, { ...good, thinking: 'it is easy' }],
    ['STRUCTURE_FIELD', 1, { ...good, id: '1-1' }],
    ['THINKON_PATH', 1, execute('say it', 'shell: cat .thinkon/runs.db')],
    ['TIMESTAMP', 1, execute('say it at 2026-11-15T07:35:00Z', 'shell: true')],
  ])('%s is told by name in the next prompt, and counted', async (name, count, answer) => {
    const run = await solvePlanner('say hello', { 'plan say hello': [answer, good] })
    expect(run.outcome).toMatchObject({ status: 'completed', violations: { [name]: count } })
    expect(run.prompt('plan say hello', 2)).toMatch(
      new RegExp(`can't be used:\n(?:- .*\n)*- ${name}\\b.*: \\S`),
    )
    expect(run.prompt('plan say hello', 1)).not.toContain(name)
    expect(run.notes('planner/reply-refused')).toMatchObject([{ names: Array(count).fill(name) }])
  })

  it('may have extra fields in its goal and executor_call; the top level and new_block are closed', async () => {
    const core4 = { intent: 'greet', deliverable: 'a line', metric: 'said', constraint: 'politely' }
    const goal = { ...core4, non_goals: 'no speech', owner: ['me'] }
    const plan = execute(goal as typeof core4, 'shell: echo hello')
    const executor_call = { ...plan.executor_call, timeout: '5s' }
    const closed = { ...plan, new_block: { ...plan.new_block, note: 'x' } }
    const run = await solvePlanner('say hello', { 'plan say hello': [closed, { ...plan, executor_call }] })
    expect(run.prompt('plan say hello', 2)).toContain('UNKNOWN_FIELD (new_block.note)')
    expect(run.outcome).toMatchObject({ status: 'completed', violations: { UNKNOWN_FIELD: 1 } })
    expect(run.block('1-1').goal, 'what they say is not lost').toEqual({
      ...core4,
      constraint: 'politely; non_goals: no speech; owner: ["me"]',
    })
  })

  it('is not invited: no prompt says that objects may have more fields', async () => {
    const run = await solvePlanner('say hello', { 'plan say hello': [good] })
    for (const { schema, messages } of run.requests) {
      const told = messages.map(messageText).join('')
      const asked = schemaPrompt((schema ?? {}) as JsonSchema, { told, isOpen: true })
      expect(told + asked).not.toMatch(/more fields/i)
    }
    expect(run.requests[0] && messageText(run.requests[0].messages[0] as never)).toContain(
      'The object and its "new_block" have these fields and no others',
    )
  })

  it('that is no JSON is told as that', async () => {
    const run = await solvePlanner('say hello', { 'plan say hello': ['I would look around.', good] })
    expect(run.prompt('plan say hello', 2)).toContain('- NOT_AN_OBJECT: The answer is no JSON; answer with')
  })

  it('may write null for what is not there, as the document does, also after a failure', async () => {
    const plan = {
      ...steps('the house', ['ground', 'walls', 'roof']),
      executor_call: null,
      update_plan: null,
    }
    const run = await solvePlanner('a house', {
      'plan a house': [execute('a house', 'shell: false'), plan],
      'reflect a house': [goOn, returned('completed', 'it stands')],
      'plan the house': [execute('ground', 'shell: true', [], { update_plan: [] })],
      'reflect the house': [returned('completed', 'it stands')],
    })
    expect(run.outcome).toMatchObject({ status: 'completed' })
    expect(run.outcome.violations).toBeUndefined()
  })

  it('may write null for a part of the goal that is empty and for no inputs', async () => {
    const { new_block, executor_call, ...plan } = execute('-', 'shell: true')
    const goal = { intent: 'look', deliverable: 'the list', metric: '', constraint: null }
    const run = await solvePlanner('a house', {
      'plan a house': [
        { ...plan, new_block: { ...new_block, goal }, executor_call: { ...executor_call, inputs: null } },
      ],
      'reflect a house': [returned('completed', 'it stands')],
    })
    expect(run.outcome).toMatchObject({ status: 'completed' })
    expect(run.outcome.violations).toBeUndefined()
  })

  it('is counted at the root, with those of all blocks below', async () => {
    const run = await solvePlanner('a house', {
      'plan a house': [steps('x', ['one']), steps('the house', ['ground', 'walls', 'roof'])],
      'plan the house': [
        'nonsense',
        steps('x', ['one']),
        execute('ground', 'shell: true', [], { update_plan: [] }),
      ],
      'reflect the house': ['nonsense', returned('completed', 'it stands')],
    })
    expect(run.outcome.violations).toEqual({ TOO_FEW_ITEMS: 2, NOT_AN_OBJECT: 2 })
    expect(run.block('1-1').outcome?.violations).toEqual({ TOO_FEW_ITEMS: 1, NOT_AN_OBJECT: 2 })
    expect(run.block('1-1-1').outcome?.violations).toBeUndefined()
  })

  it('with a timestamp that the goal itself has is none', async () => {
    const goal = 'find what happened at 2026-11-15T07:35:00Z'
    const run = await solvePlanner(goal, {
      [`plan ${goal}`]: [execute('look at 2026-11-15T07:35:00Z', 'shell: true')],
    })
    expect(run.outcome.violations).toBeUndefined()
  })

  it('three times in a row fails the block with INVALID_FORMAT; what was counted is in the outcome', async () => {
    const run = await solvePlanner('say hello', { 'plan say hello': ['one', 'two', 'three', good] })
    expect(run.outcome).toMatchObject({
      status: 'failed',
      code: 'INVALID_FORMAT',
      reason: '3 replies in a row were refused, the last for NOT_AN_OBJECT',
      violations: { NOT_AN_OBJECT: 3 },
    })
  })

  it('is counted, too, when the model then fails for good', async () => {
    const run = await solvePlanner('say hello', { 'plan say hello': ['one', new Error('gone')] })
    expect(run.outcome).toMatchObject({
      status: 'failed',
      code: 'MODEL_ERROR',
      violations: { NOT_AN_OBJECT: 1 },
    })
  })
})

describe('a plan in ordinary English', () => {
  it('is not refused: what is documented or listed is no guess, and events and races have an order', async () => {
    const run = await solvePlanner('the handler', {
      'plan the handler': [
        steps('the docs', [
          'Document that callers may pass null',
          'List the assumptions of each option',
          'Check the links',
        ]),
        probes(
          'the race',
          ['Both workers read the row, then write it', 'A timer fires first', 'The lock is lost'],
          'one holds',
        ),
      ],
      'plan the docs': [execute('all of it', 'shell: true', [], { update_plan: [] })],
      'reflect the handler': [goOn],
      'plan the race': [execute('look', 'shell: true', [], { update_plan: [] })],
    })
    expect(run.outcome.status).toBe('completed')
    expect(run.outcome.violations).toBeUndefined()
  })
})

describe('a plan that mixes steps and hypotheses', () => {
  const mixed = steps('the cause', ['first, read the log', 'maybe the token is expired', 'then restart it'])
  const pure = probes(
    'the cause',
    ['the token is expired', 'the pool is empty', 'the key is wrong'],
    'one holds',
  )
  const judged = {
    'plan the cause': [execute('look', 'shell: true')],
    'reflect the cause': [
      returned('completed', 'found', {
        verdicts: [{ hypothesis: 1, verdict: 'confirmed', evidence: 'it is' }],
      }),
    ],
  }

  it('goes back and comes as PLAN_PROBES', async () => {
    const run = await solvePlanner('why', { 'plan why': [mixed, pure], ...judged })
    expect(run.prompt('plan why', 2)).toContain('answer as PLAN_PROBES with hypotheses only')
    expect(run.outcome).toMatchObject({ status: 'completed', violations: { PLAN_MIXED: 1 } })
    expect(run.notes('planner/probe-judged')).toHaveLength(1)
  })

  it.each([
    ['no sequence word', ['read the log', 'the token is probably expired', 'restart it']],
    ['a guess in a step', ['read the log', 'fix what may be broken', 'restart it']],
  ])('comes as PLAN_PROBES whichever words are used: %s', async (_, plan) => {
    const run = await solvePlanner('why', { 'plan why': [steps('the cause', plan), pure], ...judged })
    expect(run.prompt('plan why', 2)).toContain('answer as PLAN_PROBES with hypotheses only')
    expect(run.outcome).toMatchObject({ status: 'completed', violations: { PLAN_MIXED: 1 } })
  })

  it('does not pass as clean steps either', async () => {
    const cleaned = steps('the cause', ['read the log', 'read the token', 'restart it'])
    const run = await solvePlanner('why', { 'plan why': [mixed, cleaned, pure], ...judged })
    expect(run.prompt('plan why', 3)).toContain('PLAN_MIXED (plan_type): The plan before mixed')
    expect(run.outcome).toMatchObject({ status: 'completed', violations: { PLAN_MIXED: 2 } })
  })
})

describe('what has failed is not done again as it was', () => {
  const fails = execute('fetch it', 'shell: cat missing.txt')

  it('the same command is refused, also under another goal and with other spaces', async () => {
    const run = await solvePlanner('read it', {
      'plan read it': [
        fails,
        execute('get it', 'shell:   cat   missing.txt'),
        execute('make it', 'shell: echo text > missing.txt && cat missing.txt'),
      ],
    })
    expect(run.prompt('plan read it', 3)).toContain(
      'REPEATS_FAILED_COMMAND (executor_call): This very command with these inputs and expectations was tried and failed',
    )
    expect(run.outcome).toMatchObject({ status: 'completed', violations: { REPEATS_FAILED_COMMAND: 1 } })
    expect(run.block('1').children).toHaveLength(2)
  })

  it('the same command with another expectation is another command; with the same in other words it is not', async () => {
    const look = (expected: readonly string[]) =>
      execute('look for 504', 'shell: grep 504 /dev/null', expected)
    const run = await solvePlanner('read it', {
      'plan read it': [look(['exit code 0']), look(['Exit code 0.']), look(['exit code 1'])],
    })
    expect(run.outcome).toMatchObject({ status: 'completed', violations: { REPEATS_FAILED_BLOCK: 1 } })
    expect(run.block('1').children).toHaveLength(2)
  })

  it('the same block is refused, its goal in four parts, too', async () => {
    const goal = { intent: 'fetch it', deliverable: 'the text', metric: 'whole', constraint: 'none' }
    const run = await solvePlanner('read it', {
      'plan read it': [
        execute(goal, 'shell: cat missing.txt'),
        execute({ ...goal }, 'shell: cat missing.txt'),
        execute('make it', 'shell: echo text > missing.txt'),
      ],
    })
    expect(run.outcome.violations).toEqual({ REPEATS_FAILED_BLOCK: 1 })
  })

  it('the same items are refused, finer ones are not', async () => {
    const plan = ['open it', 'read it', 'close it']
    const run = await solvePlanner('read the file', {
      'plan read the file': [
        steps('the file', plan),
        steps('the file, again', ['1. Open it', '2. Read it.', '3. Close it']),
        execute('just make it', 'shell: true'),
      ],
      'plan the file': [execute('open it', 'shell: false')],
      'reflect the file': [returned('failed', 'it is not there')],
    })
    expect(run.outcome).toMatchObject({ status: 'completed', violations: { REPEATS_FAILED_PLAN: 1 } })
  })

  it('a similar goal must be split: the same goal does not fail eight times', async () => {
    const again = (i: number) => execute('Fetch the text.', `shell: cat missing${i}.txt`)
    const run = await solvePlanner('read it', {
      'plan read it': [
        execute('fetch the text', 'shell: cat missing.txt'),
        again(1),
        steps('fetch the text in steps', ['make it', 'read it', 'check it']),
      ],
      'plan fetch the text in steps': [execute('make and read it', 'shell: true', [], { update_plan: [] })],
    })
    expect(run.prompt('plan read it', 3)).toContain(
      'REPEATS_FAILED_GOAL (new_block.goal): A similar goal was tried and failed: "fetch the text"; split it into finer steps',
    )
    expect(run.outcome).toMatchObject({ status: 'completed', violations: { REPEATS_FAILED_GOAL: 1 } })
    expect(run.block('1').children).toHaveLength(2)
    const stubborn = await solvePlanner('read it', {
      'plan read it': [
        execute('fetch the text', 'shell: cat missing.txt'),
        ...[1, 2, 3, 4, 5, 6, 7].map(again),
      ],
      'reflect read it': [goOn],
      'close read it': [returned('partial', 'no text')],
    })
    expect(stubborn.outcome).toMatchObject({
      status: 'partial',
      code: 'LOOP',
      reason: '3 replies in a row were refused, the last for REPEATS_FAILED_GOAL',
    })
    expect(stubborn.block('1').children).toHaveLength(1)
  })

  it('three times in a row closes the block as partial with LOOP and a summary', async () => {
    const run = await solvePlanner('read it', {
      'plan read it': [fails, fails, fails, fails],
      'reflect read it': [goOn],
      'close read it': [
        { type: 'plan-return', status: 'partial', result: sections('Partly completed: no file') },
      ],
    })
    expect(run.outcome).toMatchObject({
      status: 'partial',
      code: 'LOOP',
      reason: '3 replies in a row were refused, the last for REPEATS_FAILED_BLOCK',
      result: 'Partly completed: no file',
      details: sections('Partly completed: no file'),
      violations: { REPEATS_FAILED_BLOCK: 3 },
    })
    expect(run.block('1').children, 'it was run once').toHaveLength(1)
    expect(run.prompt('close read it')).toContain('It has to end here (3 replies in a row were refused')
    expect(run.notes('planner/block-closed')).toHaveLength(1)
  })

  it('what another block failed with may be done', async () => {
    const run = await solvePlanner('read it', {
      'plan read it': [
        steps('all of it', ['one', 'two', 'three']),
        execute('again', 'shell: cat missing.txt'),
      ],
      'plan all of it': [execute('fetch it', 'shell: cat missing.txt')],
      'reflect all of it': [returned('failed', 'not there')],
      'reflect read it': [goOn, returned('failed', 'not there')],
    })
    expect(run.outcome.violations).toBeUndefined()
    expect(run.block('1').children).toHaveLength(2)
  })
})
