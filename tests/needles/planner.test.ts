import { describe, expect, it } from 'vitest'
import { countRequestTokens } from '../../src/models/tokens.ts'
import type { ModelRequest } from '../../src/protocol/index.ts'
import {
  expectBound,
  expectNeedles,
  expectNothingLeftOut,
  expectReadable,
  expectSameAfterCrash,
  expectWhole,
  type Given,
  long,
  type Ran,
  type Script,
  solve,
  textOf,
} from './needles.ts'
import {
  deliverableOf,
  fileText,
  goalOf,
  type Node,
  planOf,
  readFile,
  reasonOf,
  reportOf,
  scriptOf,
  signalOf,
} from './planner-world.ts'

const LEAVES = Array.from({ length: 6 }, (_, i): Node => ({ name: `leaf ${i + 1}`, file: `f${i + 1}` }))
const STEPS: Node = { name: 'steps', children: LEAVES }
const PAGE: Node = {
  name: 'page',
  children: [{ name: 'before', file: 'b' }, STEPS, { name: 'after', file: 'a' }],
}

function given(root: Node, more: Partial<Given> = {}): Given {
  return {
    goal: goalOf(root),
    strategy: 'planner',
    options: { check: 'never' },
    script: scriptOf(root),
    tools: [readFile],
    ...more,
  }
}

const filesOf = (leaves: readonly Node[]) =>
  Object.fromEntries(leaves.map(({ file = '' }) => [`file ${file}`, fileText(file)]))
const goalsOf = (nodes: readonly Node[]) =>
  Object.fromEntries(nodes.map((node) => [`goal of ${node.name}`, goalOf(node)]))

/** Each kind of request with what must be in it, whole, when there is room. */
function expectAllWhole(ran: Ran): void {
  const root = {
    goal: goalOf(PAGE),
    'what was done before': fileText('b'),
    'of which goal': goalOf({ name: 'before' }),
  }
  const own = {
    ...root,
    steps: goalOf(STEPS),
    signal: signalOf(STEPS),
    ...Object.fromEntries(planOf(STEPS).map((item) => [item, JSON.stringify(item).slice(1, -1)])),
  }
  const plans = ran.of('planner/plan', '1-2')
  const reflects = ran.of('planner/reflect', '1-2')
  expect([plans.length, reflects.length]).toEqual([6, 6])
  for (const [i, request] of plans.entries())
    expectWhole(request, {
      ...own,
      ...filesOf(LEAVES.slice(0, i)),
      ...goalsOf(LEAVES.slice(0, i)),
      ...(i > 0 && { 'the last reason of Reflect': reasonOf(STEPS) }),
    })
  for (const [i, request] of reflects.entries())
    expectWhole(request, { ...own, ...filesOf(LEAVES.slice(0, i + 1)), ...goalsOf(LEAVES.slice(0, i + 1)) })
  for (const [i, leaf] of LEAVES.entries())
    expectWhole(ran.of('planner/observe', `1-2-${i + 1}`)[0], {
      goal: goalOf(leaf),
      expected: long(`expected of ${leaf.name}`, 200),
      ...filesOf([leaf]),
    })
  expectWhole(ran.of('planner/reflect', '1').at(-1), {
    ...root,
    'what a nested plan brought': deliverableOf(STEPS),
    ...filesOf([{ name: 'after', file: 'a' }]),
  })
}

/** The share of the request that the earlier one begins with. */
function shared(earlier: ModelRequest, request: ModelRequest): boolean {
  const before = earlier.messages.slice(0, -1).map((message) => message.content)
  const text = (content: unknown) => (Array.isArray(content) ? content.join('') : String(content))
  return before.every((content, i) => text(request.messages[i]?.content).startsWith(text(content)))
}

describe('planner: what each request has', () => {
  it('fits easily: goals, plan, signal, reasons, results under their sub-goals, all whole; requests only grow', async () => {
    const ran = await solve(given(PAGE))
    expect(ran.outcome.result).toBe(deliverableOf(PAGE))
    expect(ran.outcome.details).toBe(reportOf(PAGE))
    expectAllWhole(ran)
    expectNothingLeftOut(ran.sent.map(({ request }) => request))
    const turns = ran.sent.filter(({ request, path }) => path === '1-2' && request.kind !== 'planner/observe')
    for (const [i, { request }] of turns.entries())
      if (i > 0) expect(shared(turns[i - 1]?.request as ModelRequest, request), `request ${i + 1}`).toBe(true)
  })

  it('just fits: with exactly the tokens that the longest request takes, nothing is left out', async () => {
    const { sent } = await solve(given(PAGE))
    const most = Math.max(...sent.map(({ request }) => countRequestTokens(request)))
    const ran = await solve(given(PAGE, { promptTokens: most + 300 }))
    expectAllWhole(ran)
    expectNothingLeftOut(ran.sent.map(({ request }) => request))
  })

  it('does not fit: own goal and plan whole, the end of every result, all of it to be read', async () => {
    const promptTokens = 9_000
    const ran = await solve(given(PAGE, { promptTokens }))
    const requests = ran.sent.map(({ request }) => request)
    expectBound(requests, promptTokens)
    expectReadable(ran)
    for (const request of [...ran.of('planner/plan', '1-2'), ...ran.of('planner/reflect', '1-2')]) {
      expectWhole(request, { goal: goalOf(STEPS), signal: signalOf(STEPS) })
      expectNeedles(request, ['plan of steps', 'goal of page'])
    }
    expectNeedles(
      ran.of('planner/reflect', '1-2').at(-1),
      LEAVES.map(({ file }) => `file ${file}`),
    )
    for (const leaf of LEAVES)
      expectWhole(
        ran.of('planner/observe').find((request) => textOf(request).includes(goalOf(leaf))),
        {
          expected: long(`expected of ${leaf.name}`, 200),
        },
      )
  })

  it('refuses aloud what must be whole and does not fit the window', async () => {
    const root: Node = { ...PAGE, chars: 40_000 }
    const ran = await solve(given(root, { window: 8_000 }))
    expect(ran.outcome).toMatchObject({ status: 'failed', code: 'CONTEXT_OVERFLOW' })
    expect(ran.sent).toEqual([])
  })

  it('what a person says stands whole and outside fences, in all that follows, above and below', async () => {
    const message = long('message')
    const ran = await solve(
      given(PAGE, {
        onEvent(event, signal) {
          if (event.type === 'block-start' && event.path === '1-1') void signal('1', 'message', message)
        },
      }),
    )
    const later = [...ran.of('planner/plan', '1-2'), ran.of('planner/reflect', '1').at(-1)]
    for (const request of later)
      expect(withoutFences(textOf(request as never))).toContain(`The person says: ${message}`)
  })
})

describe('planner: probes', () => {
  const CAUSE = `(cause)\n${long('goal of cause')}`
  const HYPOTHESES = ['one', 'two', 'three'].map((name) =>
    long(`hypothesis ${name}`, 250).replaceAll('\n', ' '),
  )
  const evidence = (name: string) => long(`evidence ${name}`, 400).replaceAll('\n', ' ')
  const names = ['one', 'two', 'three']

  const script: Script = ({ kind, input }) => {
    const { think, path } = input as {
      think: { done: readonly string[] }
      path: readonly unknown[]
    }
    const name = names[think.done.length] as string
    if (kind === 'planner/plan')
      return path.length === 0
        ? {
            type: 'plan-next',
            plan_type: 'PLAN_PROBES',
            new_block: { goal: 'which one it is', plan: HYPOTHESES, done: [] },
            success_signal: 'one is confirmed',
          }
        : {
            type: 'plan-next',
            plan_type: 'EXECUTE',
            new_block: { goal: `look at ${name}`, plan: [], done: [] },
            executor_call: { command: 'read_file', inputs: { path: name }, expected_observations: [] },
          }
    const tested = think.done.length
    const verdicts = [
      { hypothesis: tested, verdict: 'refuted', evidence: evidence(names[tested - 1] as string) },
    ]
    if (path.length > 0 && tested < 3) return { type: 'go-on', reason: 'not yet', verdicts }
    const result =
      '### Completion\nCompleted: tested\n\n### Deliverables\n-\n\n### Metrics\n-\n\n### Constraints\nkept'
    return { type: 'plan-return', status: 'completed', deliverable: 'none of them', result, verdicts }
  }

  it('know the hypotheses, their evidence, and what the probes before them found', async () => {
    const ran = await solve(given(PAGE, { goal: CAUSE, script }))
    expect(ran.outcome.result).toBe('none of them')
    const plans = ran.of('planner/plan', '1-1')
    const reflects = ran.of('planner/reflect', '1-1')
    expect([plans.length, reflects.length]).toEqual([3, 3])
    for (const [i, name] of names.entries()) {
      const known = {
        'the goal above': CAUSE,
        ...Object.fromEntries(HYPOTHESES.map((hypothesis, n) => [`hypothesis ${n + 1}`, hypothesis])),
        ...Object.fromEntries(names.slice(0, i).map((before) => [`evidence ${before}`, evidence(before)])),
        ...Object.fromEntries(names.slice(0, i).map((before) => [`file ${before}`, fileText(before)])),
      }
      expectWhole(plans[i], known)
      expectWhole(reflects[i], { ...known, 'what it looked at': fileText(name) })
      for (const request of [plans[i], reflects[i]])
        expect(textOf(request as ModelRequest).split(HYPOTHESES[i] as string), 'it stands once').toHaveLength(
          2,
        )
    }
    expectWhole(
      ran.of('planner/reflect', '1').at(-1),
      Object.fromEntries(names.map((name) => [`evidence ${name}`, evidence(name)])),
    )
  })

  it('have the same verdicts in view after a crash at any event', async () => {
    await expectSameAfterCrash(given(PAGE, { goal: CAUSE, script }))
  })
})

describe('planner: where there is no depth left', () => {
  it('what was executed is judged whole, and can be read where it does not fit', async () => {
    const result =
      '### Completion\nCompleted: tested\n\n### Deliverables\n-\n\n### Metrics\n-\n\n### Constraints\nkept'
    const script: Script = ({ kind }) => {
      if (kind === 'planner/act')
        return { command: 'read_file', inputs: { path: 'x' }, expected_observations: [] }
      if (kind === 'planner/plan')
        return {
          type: 'plan-next',
          plan_type: 'PLAN_STEPS',
          new_block: { goal: 'which one', plan: ['one', 'two', 'three'], done: [] },
          success_signal: 'one is seen',
        }
      return { type: 'plan-return', status: 'completed', result }
    }
    const given = {
      goal: 'find it',
      strategy: 'planner',
      options: { check: 'never', maxDepth: 2 },
      script,
      tools: [readFile],
    } satisfies Given
    const ran = await solve(given)
    expectWhole(ran.of('planner/reflect', '1-1')[0], { 'what was executed': fileText('x') })
    const little = await solve({ ...given, promptTokens: 4_000 })
    expectBound(
      little.sent.map(({ request }) => request),
      4_000,
    )
    expectReadable(little)
    expectNeedles(little.of('planner/reflect', '1-1')[0], ['file x'])
  })
})

describe('planner: refused replies', () => {
  const refused = long('refused reply')
  const script: Script = (request, io) => {
    const { told = [] } = request.input as { told?: readonly string[] }
    if (told.length === 0 && request.kind !== 'planner/observe') return refused
    return scriptOf(PAGE)(request, io)
  }

  it('stay in view with what is wrong, also after a crash', async () => {
    const ran = await solve(given(PAGE, { script }))
    const kinds = ['planner/plan', 'planner/reflect'] as const
    for (const kind of kinds)
      for (const request of ran.of(kind, '1').filter((_, i) => i % 2 === 1)) {
        expectWhole(request, { refused })
        expect(textOf(request)).toContain('NOT_AN_OBJECT')
        expect(request.messages[2]).toEqual({ role: 'assistant', content: refused })
      }
    const small: Node = { name: 'small', children: [{ name: 'only', file: 'o' }] }
    const again: Script = (request, io) => {
      const { told = [] } = request.input as { told?: readonly string[] }
      return told.length === 0 && request.kind === 'planner/plan' ? refused : scriptOf(small)(request, io)
    }
    await expectSameAfterCrash(given(small, { script: again }))
    await expectSameAfterCrash(given(small, { script: again, promptTokens: 6_500 }))
  })
})

describe('planner, ten levels deep', () => {
  function deep(level: number, chars: number): Node {
    const name = `level ${level}`
    const before: Node = { name: `before ${level}`, file: `${level}`, chars }
    if (level === 9) return { name, chars, children: [before] }
    return { name, chars, children: [before, deep(level + 1, chars)] }
  }
  const last = '1-2-2-2-2-2-2-2-2-2'

  it('the last block has the goals and results of all levels above', async () => {
    const ran = await solve(given(deep(0, 600), { budget: { depth: 12 } }))
    const chain = Array.from({ length: 10 }, (_, i) => deep(i, 600))
    expectWhole(ran.of('planner/reflect', last)[0], {
      ...goalsOf(chain),
      ...filesOf(chain.map((node) => node.children?.[0] as Node)),
    })
    expectNothingLeftOut(ran.sent.map(({ request }) => request))
  })

  it('with little room the bound holds at every level, and all of it can be read', async () => {
    const promptTokens = 6_000
    const ran = await solve(given(deep(0, 1_500), { promptTokens, budget: { depth: 12 } }))
    expectBound(
      ran.sent.map(({ request }) => request),
      promptTokens,
    )
    expectReadable(ran)
    expectWhole(ran.of('planner/reflect', last)[0], { goal: goalOf(deep(9, 1_500)) })
    expectNeedles(ran.of('planner/reflect', last)[0], ['goal of level 0', 'file 9'])
  })
})

describe('planner, after 200 results of one block', () => {
  it('keeps goal and plan whole, the newest result, and says where the others are', async () => {
    const many = Array.from(
      { length: 200 },
      (_, i): Node => ({ name: `part ${i}`, file: `${i}`, chars: 300 }),
    )
    const root: Node = { name: 'many', children: many }
    const promptTokens = 12_000
    const ran = await solve(given(root, { promptTokens }))
    const reflects = ran.of('planner/reflect', '1')
    expect(reflects).toHaveLength(200)
    expectBound(
      ran.sent.map(({ request }) => request),
      promptTokens,
    )
    expectReadable(ran)
    for (const [i, request] of reflects.entries()) {
      expectWhole(request, { goal: goalOf(root) })
      expectNeedles(request, [`file ${i}`])
    }
  }, 600_000)
})

function withoutFences(text: string): string {
  return text.replace(/<data-([0-9a-f]{12}) [^>]*>[\s\S]*?<\/data-\1>/g, '')
}
