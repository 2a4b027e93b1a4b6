// What must be in the requests of `dual`: at three sizes, ten plans deep, after 200 iterations, and when the run was killed.
import { describe, expect, it } from 'vitest'
import { MAX_PROMPT_TOKENS } from '../../src/kernel/brief/prompt-budget.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { countRequestTokens } from '../../src/models/tokens.ts'
import type { ModelRequest } from '../../src/protocol/index.ts'
import { reply } from '../../src/testing/index.ts'
import { finish, nested, type TaskInput, use } from '../dual/scripted-tasks.ts'
import {
  expectBound,
  expectGrowing,
  expectNeedles,
  expectNothingLeftOut,
  expectReadable,
  expectSameAfterCrash,
  expectWhole,
  type Given,
  long,
  needle,
  type Ran,
  type Script,
  solve,
  textOf,
} from './needles.ts'

const text = long
const texts = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, text(name)]))

/** Gives the text of the name it is asked for. */
const read: Tool = {
  name: 'read',
  description: 'Reads a text.',
  access: 'read',
  run: async (input) => {
    const { name } = input as { name: string }
    if (name === 'broken') throw new Error(text('ERROR'))
    return text(name)
  },
}

const GATHER = '1-1'
const NEST = '1-2'
const BELOW = '1-2-1'
const WRITE = '1-3'

const looks = (...names: readonly string[]) =>
  reply('', { toolCalls: names.map((name) => ({ id: `call ${name}`, name: 'read', input: { name } })) })

const task = (subtask_name: string, goal: string, ...depends_on: readonly string[]) => ({
  subtask_name,
  subtask_goal: goal,
  depends_on,
})

const plan = (...tasks: readonly object[]) => ({
  action: 'plan',
  main_task: text('MAIN-TASK'),
  main_task_goal: 'it is all there',
  tasks,
})

/** By the request alone: what the loop has done is in its input. */
const script: Script = ({ kind, input }) => {
  const { name, request, iteration, problem } = input as TaskInput & { problem?: string }
  if (kind === 'dual/plan') return request === text('PAYLOAD') ? planBelow(iteration) : planRoot(iteration)
  if (kind === 'dual/reflect') return { advice: text('ADVICE'), spinning: false }
  if (kind === 'dual/summarize') return { result: text('SUMMARY') }
  if (kind !== 'dual/decide') return { problems: [], fits: true }
  if (name === 'nest' && iteration === 1 && problem === undefined) return { action: text('REFUSED') }
  return DECISIONS[name]?.[iteration - 1]
}

function planRoot(iteration: number): unknown {
  if (iteration === 1) return looks('FILE-1', 'FILE-2')
  if (iteration === 2) return { ...plan(), main_task: text('REFUSED-PLAN') }
  return plan(
    task('gather', text('TASK-GATHER')),
    task('nest', text('TASK-NEST')),
    task('write', text('TASK-WRITE'), 'gather'),
  )
}

function planBelow(iteration: number): unknown {
  return iteration === 1 ? looks('FILE-BELOW') : plan(task('dig', text('TASK-DIG')))
}

const DECISIONS: Readonly<Record<string, readonly unknown[]>> = {
  gather: [
    { action: 'ask_for_clarification', question: 'Which one?' },
    use('read', { name: 'broken' }),
    looks('FILE-3', 'FILE-4'),
    finish(text('RESULT-GATHER')),
  ],
  nest: [looks('FILE-5'), nested(text('PAYLOAD')), finish(text('RESULT-NEST'))],
  dig: [finish(text('RESULT-DIG'))],
  write: [finish(text('RESULT-WRITE'))],
}

const GOAL = text('GOAL')
const GIVEN: Given = {
  goal: GOAL,
  strategy: 'dual',
  script,
  tools: [read],
  options: { contexts: [{ name: 'rules', text: text('CONTEXT') }], check: 'never' },
  answers: { 'Which one?': text('ANSWER') },
}

/** The requests of each kind, and what must stand in them. */
const TABLE: readonly [what: string, request: (ran: Ran) => ModelRequest | undefined, needs: string[]][] = [
  ['the plan', ({ of }) => of('dual/plan', '1').at(-1), ['GOAL', 'CONTEXT', 'FILE-1', 'FILE-2']],
  [
    'a task',
    ({ of }) => of('dual/decide', GATHER)[0],
    ['GOAL', 'CONTEXT', 'FILE-1', 'FILE-2', 'MAIN-TASK', 'TASK-GATHER'],
  ],
  [
    'its last decision',
    ({ of }) => of('dual/decide', GATHER).at(-1),
    ['GOAL', 'FILE-1', 'FILE-2', 'TASK-GATHER', 'ANSWER', 'ERROR', 'ADVICE', 'FILE-3', 'FILE-4'],
  ],
  [
    'a reflection',
    ({ of }) => of('dual/reflect', GATHER)[0],
    ['GOAL', 'TASK-GATHER', 'ANSWER', 'ERROR', 'FILE-1'],
  ],
  [
    'a later task that does not depend on it',
    ({ of }) => of('dual/decide', NEST)[0],
    ['GOAL', 'FILE-1', 'FILE-2', 'RESULT-GATHER', 'ANSWER', 'TASK-NEST'],
  ],
  [
    'a plan within a plan',
    ({ of }) => of('dual/plan', BELOW)[0],
    ['GOAL', 'CONTEXT', 'PAYLOAD', 'FILE-1', 'FILE-2', 'FILE-5', 'RESULT-GATHER', 'ANSWER'],
  ],
  [
    'a task of it',
    ({ of }) => of('dual/decide', `${BELOW}-1`)[0],
    ['GOAL', 'CONTEXT', 'PAYLOAD', 'FILE-1', 'FILE-5', 'FILE-BELOW', 'RESULT-GATHER', 'ANSWER', 'TASK-DIG'],
  ],
  [
    'the loop that gets its outcome',
    ({ of }) => of('dual/decide', NEST).at(-1),
    ['GOAL', 'TASK-NEST', 'FILE-5', 'RESULT-DIG'],
  ],
  [
    'a task that depends on another',
    ({ of }) => of('dual/decide', WRITE)[0],
    ['GOAL', 'FILE-1', 'RESULT-GATHER', 'RESULT-NEST', 'ANSWER', 'TASK-WRITE'],
  ],
  [
    'the summary',
    ({ of }) => of('dual/summarize', '1')[0],
    ['GOAL', 'CONTEXT', 'ANSWER', 'RESULT-GATHER', 'RESULT-NEST', 'RESULT-WRITE'],
  ],
]

/** These are whole whatever the budget is (B1). */
const WHOLE = new Set([
  'GOAL',
  'ANSWER',
  'MAIN-TASK',
  'TASK-GATHER',
  'TASK-NEST',
  'TASK-WRITE',
  'TASK-DIG',
  'PAYLOAD',
])

describe('the requests of dual', () => {
  it('have all they need, whole, where it fits easily', async () => {
    const ran = await solve(GIVEN)
    expect(ran.outcome).toMatchObject({ status: 'completed', result: text('SUMMARY') })
    expectNothingLeftOut(ran.sent.map(({ request }) => request))
    for (const [what, request, needs] of TABLE) {
      expect(request(ran), what).toBeDefined()
      expectWhole(request(ran), texts(...needs))
    }
    expectWhole(ran.of('dual/plan', BELOW)[0], texts('TASK-NEST'))
    // A refused reply stays in view, with what is wrong with it.
    expect(textOf(ran.of('dual/plan', '1').at(-1) as ModelRequest)).toContain(needle('REFUSED-PLAN'))
    expect(textOf(ran.of('dual/decide', NEST)[1] as ModelRequest)).toContain(needle('REFUSED'))
    for (const { tools, kind } of ran.of('dual/decide')) expect(tools?.length, kind).toBeGreaterThan(0)
  })

  it('have the same where it just fits', async () => {
    const easily = await solve(GIVEN)
    const most = Math.max(...easily.sent.map(({ request }) => countRequestTokens(request)))
    const promptTokens = Math.ceil(most * 1.04) + 400
    const just = await solve({ ...GIVEN, promptTokens })
    expectNothingLeftOut(just.sent.map(({ request }) => request))
    expectBound(
      just.sent.map(({ request }) => request),
      promptTokens,
    )
    for (const [, request, needs] of TABLE) expectWhole(request(just), texts(...needs))
  })

  it('keep what must be whole where it does not fit, and the head, the end and a reference of what is shortened', async () => {
    const promptTokens = 8_000
    const ran = await solve({ ...GIVEN, promptTokens })
    expectBound(
      ran.sent.map(({ request }) => request),
      promptTokens,
    )
    expectReadable(ran)
    for (const [, request, needs] of TABLE) {
      expectWhole(request(ran), texts(...needs.filter((name) => WHOLE.has(name))))
    }
    // What a task depends on is shortened last.
    const [write] = ran.of('dual/decide', WRITE)
    expectNeedles(write, ['RESULT-GATHER'])
  })

  it('begin with what the one before began with, byte for byte', async () => {
    const ran = await solve(GIVEN)
    for (const path of ['1', BELOW]) expectGrowing(ran.of('dual/plan', path))
    for (const path of [GATHER, NEST, WRITE, `${BELOW}-1`])
      expectGrowing(
        ran.sent
          .filter((sent) => sent.path === path && /^dual\/(decide|reflect)$/.test(sent.request.kind))
          .map(({ request }) => request),
      )
    // The tasks of a plan begin alike: what they share stands first.
    const [gather, nest] = [GATHER, NEST].map((path) => ran.of('dual/decide', path)[0]?.messages ?? [])
    expect(nest?.[0]).toEqual(gather?.[0])
    expect(nest?.[1]?.content.slice(0, 5)).toEqual(gather?.[1]?.content.slice(0, 5))
  })

  it('are the same when the run was killed in the middle and resumed', async () => {
    // A question would wait for the process that was killed.
    const quiet: Script = (request, io) => {
      const { name, iteration } = request.input as TaskInput
      return name === 'gather' && iteration === 1 ? looks('FILE-0') : script(request, io)
    }
    const given = { ...GIVEN, script: quiet }
    const whole = await solve(given)
    const points = whole.events.flatMap(({ seq, type }) => (/^(model|tool)-end$/.test(type) ? [seq] : []))
    await expectSameAfterCrash(
      given,
      points.filter((_, i) => i % 4 === 1),
    )
  }, 60_000)
})

describe('ten plans deep', () => {
  const DEPTH = 10
  const deep: Script = ({ kind, input }) => {
    const { request, name, history = [] } = input as TaskInput
    const level = Number(/PAYLOAD-(\d+) line/.exec(request ?? '')?.[1] ?? 0)
    if (kind === 'dual/plan') return plan(task(`level ${level}`, text(`TASK-${level}`)))
    if (kind !== 'dual/decide') return { problems: [], fits: true, advice: '', spinning: false }
    if (level === DEPTH || history.length === 2) return finish(text(`RESULT-${name.split(' ')[1]}`))
    return history.length === 0 ? looks(`FOUND-${level}`) : nested(text(`PAYLOAD-${level + 1}`))
  }
  const given: Given = { goal: GOAL, strategy: 'dual', script: deep, tools: [read], budget: { depth: 40 } }

  it('a task knows what the run is for, what it is for itself, and all that was found above it', async () => {
    const ran = await solve(given)
    expect(ran.outcome.status).toBe('completed')
    const last = ran.of('dual/decide', `1${'-1-1'.repeat(DEPTH)}-1`)[0]
    const found = Array.from({ length: DEPTH }, (_, i) => `FOUND-${i}`)
    expectWhole(last, texts('GOAL', `TASK-${DEPTH}`, `PAYLOAD-${DEPTH}`, ...found))
    expectNothingLeftOut(ran.of('dual/decide'))
  })

  it('within a small budget it keeps what must be whole, and most of what its caller found', async () => {
    const promptTokens = 7_000
    const ran = await solve({ ...given, promptTokens })
    expect(ran.outcome.status).toBe('completed')
    expectBound(
      ran.sent.map(({ request }) => request),
      promptTokens,
    )
    expectReadable(ran)
    const last = ran.of('dual/plan', `1${'-1-1'.repeat(DEPTH)}`)[0]
    expectWhole(last, texts('GOAL', `PAYLOAD-${DEPTH}`))
    expectNeedles(last, [`FOUND-${DEPTH - 1}`])
  })
})

describe('after 200 iterations', () => {
  it.each([MAX_PROMPT_TOKENS, 9_000])(
    'a loop within %i tokens knows its task and what a person said',
    async (promptTokens) => {
      const script: Script = ({ kind, input }) => {
        const { iteration } = input as TaskInput
        if (kind === 'dual/plan') return plan(task('read all', text('TASK')))
        if (kind === 'dual/compact') return { summary: 'some pages were read' }
        if (kind !== 'dual/decide') return { problems: [], fits: true, advice: '', spinning: false }
        if (iteration === 1) return { action: 'ask_for_clarification', question: 'Which one?' }
        return iteration === 200 ? finish('done') : looks(`PAGE-${iteration}`)
      }
      const ran = await solve({
        goal: GOAL,
        strategy: 'dual',
        script,
        tools: [read],
        promptTokens,
        options: { maxIterations: 300 },
        answers: { 'Which one?': text('ANSWER') },
      })
      const decisions = ran.of('dual/decide')
      expect(decisions).toHaveLength(200)
      expectBound(decisions, promptTokens)
      expectReadable(ran)
      expectWhole(decisions.at(-1), texts('GOAL', 'TASK', 'ANSWER', 'PAGE-199'))
      expect(ran.of('dual/compact').length).toBeGreaterThan(0)
    },
    60_000,
  )
})
