import { describe, expect, it } from 'vitest'
import { reply } from '../../src/testing/index.ts'
import { askUserTool } from '../../src/tools/builtin/ask-user.ts'
import { fileText, goalOf, type Node, planOf, readFile, resultOf, scriptOf } from './fractal-world.ts'
import {
  expectBound,
  expectGrowing,
  expectNeedles,
  expectNothingLeftOut,
  expectReadable,
  expectSameAfterCrash,
  expectWhole,
  type Given,
  leftOutOf,
  long,
  needle,
  type Ran,
  type Script,
  solve,
  textOf,
} from './needles.ts'

const FILES = ['a', 'b', 'c', 'd', 'e']
const SECTIONS = Array.from({ length: 8 }, (_, i): Node => ({ name: `section ${i + 1}` }))
const MEMO: Node = { name: 'memo', files: FILES, children: SECTIONS }
const files = Object.fromEntries(FILES.map((path) => [`file ${path}`, fileText(path)]))

function given(root: Node, more: Partial<Given> = {}): Given {
  return {
    goal: goalOf(root),
    strategy: 'fractal',
    options: { check: 'never', maxToolCalls: 1_000 },
    script: scriptOf(root),
    tools: [readFile],
    ...more,
  }
}

function resultsOf(nodes: readonly Node[]): Record<string, string> {
  return Object.fromEntries(nodes.map((node) => [`result of ${node.name}`, resultOf(node)]))
}

/** Each kind of request of the memo with what must be in it, whole, when there is room. */
function expectAllWhole(ran: Ran): void {
  const own = { goal: goalOf(MEMO), ...files }
  const thinks = ran.of('fractal/think', '1')
  expect(thinks).toHaveLength(FILES.length + 1)
  expectWhole(thinks.at(-1), own)
  const evals = ran.of('fractal/eval', '1')
  expect(evals).toHaveLength(SECTIONS.length + 1)
  for (const [i, request] of evals.entries())
    expectWhole(request, { ...own, plan: planOf(MEMO), ...resultsOf(SECTIONS.slice(0, i)) })
  for (const [i, section] of SECTIONS.entries())
    expectWhole(ran.of('fractal/think', `1-${i + 1}`)[0], {
      ...own,
      plan: planOf(MEMO),
      'its own goal': goalOf(section),
      ...resultsOf(SECTIONS.slice(0, i)),
    })
}

describe('fractal: what each request has', () => {
  it('fits easily: goal, plan, five files read in one Think, eight sections, all whole', async () => {
    const ran = await solve(given(MEMO))
    expectAllWhole(ran)
    expectNothingLeftOut(ran.sent.map(({ request }) => request))
    expectGrowing(ran.of('fractal/think', '1'))
  })

  it('just fits: with exactly the tokens that the longest request takes, nothing is left out', async () => {
    const { sent } = await solve(given(MEMO))
    const { countRequestTokens } = await import('../../src/models/tokens.ts')
    const most = Math.max(...sent.map(({ request }) => countRequestTokens(request)))
    // What is counted in addition: each part may take one token more than alone, and read_result could have to be offered.
    const ran = await solve(given(MEMO, { promptTokens: most + 300 }))
    expectAllWhole(ran)
    expectNothingLeftOut(ran.sent.map(({ request }) => request))
  })

  it('does not fit: goal and plan whole, the end of every section and file, all of it to be read', async () => {
    const ran = await solve(given(MEMO, { promptTokens: 8_000 }))
    const requests = ran.sent.map(({ request }) => request)
    expectBound(requests, 8_000)
    expectReadable(ran)
    for (const request of ran.of('fractal/eval')) {
      expectWhole(request, { goal: goalOf(MEMO), plan: planOf(MEMO) })
    }
    const last = ran.of('fractal/eval').at(-1)
    expectNeedles(
      last,
      SECTIONS.map(({ name }) => `result of ${name}`),
    )
    for (const path of FILES)
      expect(textOf(last as never)).toMatch(
        new RegExp(`read_file {"path":"${path}"}|5 earlier items left out; read_result "1 results"`),
      )
    for (const [i, section] of SECTIONS.entries())
      expectWhole(ran.of('fractal/think', `1-${i + 1}`)[0], { goal: goalOf(section) })
  })

  it('five files read in one turn are all there in the next request', async () => {
    const ran = await solve(given({ name: 'at once', files: FILES, atOnce: true }))
    expect(ran.of('fractal/think')).toHaveLength(2)
    expectWhole(ran.of('fractal/think')[1], files)
    const little = await solve(
      given({ name: 'at once', files: FILES, atOnce: true }, { promptTokens: 5_000 }),
    )
    expectBound(little.of('fractal/think'), 5_000)
    expectReadable(little)
    expectNeedles(
      little.of('fractal/think')[1],
      FILES.map((path) => `file ${path}`),
    )
  })

  it('what a person answers and says stands whole and outside fences, in all that follows', async () => {
    const answer = long('answer')
    const message = long('message')
    const script: Script = (request, io) => {
      const { seen } = request.input as { seen?: readonly { name: string }[] }
      if (seen?.length === 0 && io.path === '1')
        return reply('', { toolCalls: [{ id: 'q', name: 'ask_user', input: { question: 'Which way?' } }] })
      return scriptOf({ ...MEMO, files: [] })(request, io)
    }
    const ran = await solve(
      given(MEMO, {
        script,
        tools: [readFile, askUserTool()],
        answers: { 'Which way?': answer },
        onEvent(event, signal) {
          if (event.type === 'block-start' && event.path === '1-3') void signal('1', 'message', message)
        },
      }),
    )
    const [, afterAnswer] = ran.of('fractal/think', '1')
    for (const request of [afterAnswer, ...ran.of('fractal/eval'), ran.of('fractal/think', '1-8')[0]]) {
      expectWhole(request, { answer })
      expect(withoutFences(textOf(request as never)).includes(answer)).toBe(true)
    }
    for (const request of [ran.of('fractal/eval').at(-1), ran.of('fractal/think', '1-8')[0]])
      expect(withoutFences(textOf(request as never)).includes(`The person says: ${message}`)).toBe(true)
  })

  it('a nested outcome comes back whole, and what the parent knew arrives below', async () => {
    const nested: Node = {
      name: 'outer',
      files: ['a'],
      children: [
        { name: 'first' },
        { name: 'inner', files: ['b'], children: [{ name: 'leaf one' }, { name: 'leaf two' }] },
        { name: 'last' },
      ],
    }
    const ran = await solve(given(nested))
    const [first, inner, last] = nested.children as [Node, Node, Node]
    const above = {
      'outer goal': goalOf(nested),
      'outer plan': planOf(nested),
      'file a': fileText('a'),
      first: resultOf(first),
    }
    expectWhole(ran.of('fractal/think', '1-2')[0], { ...above, goal: goalOf(inner) })
    expectWhole(ran.of('fractal/eval', '1-2').at(-1), {
      ...above,
      plan: planOf(inner),
      'file b': fileText('b'),
      ...resultsOf(inner.children ?? []),
    })
    expectWhole(ran.of('fractal/think', '1-2-2')[0], {
      ...above,
      'inner goal': goalOf(inner),
      'inner plan': planOf(inner),
      'file b': fileText('b'),
      ...resultsOf(inner.children?.slice(0, 1) ?? []),
    })
    expectWhole(ran.of('fractal/think', '1-3')[0], { ...above, inner: resultOf(inner), goal: goalOf(last) })
    expectWhole(ran.of('fractal/eval', '1').at(-1), resultsOf([first, inner, last]))
  })

  it('the closing call of a block that must end sees all results, within what is kept back', async () => {
    const root: Node = { name: 'cut off', children: SECTIONS }
    const ran = await solve(given(root, { tools: [], budget: { calls: 9 } }))
    const close = ran.of('fractal/close').at(-1)
    expectNeedles(close, ['goal of cut off', 'plan of cut off', 'result of section 1'])
  })
})

describe('fractal, ten levels deep', () => {
  function deep(level: number, chars: number): Node {
    const name = `level ${level}`
    if (level === 10) return { name, chars }
    const before: Node = { name: `before ${level}`, chars }
    return { name, chars, files: [`${level}`], children: [before, deep(level + 1, chars)] }
  }
  const leaf = '1-2-2-2-2-2-2-2-2-2-2'

  it('the leaf has the goals, plans, files and results of all ten levels above', async () => {
    const root = deep(0, 600)
    const ran = await solve(given(root, { budget: { depth: 12 } }))
    const chain = Array.from({ length: 10 }, (_, i) => deep(i, 600))
    expectWhole(
      ran.of('fractal/think', leaf)[0],
      Object.fromEntries(
        chain.flatMap((node) => [
          [`goal of ${node.name}`, goalOf(node)],
          [`plan of ${node.name}`, planOf(node)],
          [`file of ${node.name}`, fileText(String(node.files?.[0]))],
          [`result before ${node.name}`, resultOf(node.children?.[0] as Node)],
        ]),
      ),
    )
    expectNothingLeftOut(ran.sent.map(({ request }) => request))
  })

  it('with little room the bound holds at every level, and all of it can be read', async () => {
    const ran = await solve(given(deep(0, 1_500), { promptTokens: 4_000, budget: { depth: 12 } }))
    expectBound(
      ran.sent.map(({ request }) => request),
      4_000,
    )
    expectReadable(ran)
    expectWhole(ran.of('fractal/think', leaf)[0], { goal: goalOf(deep(10, 1_500)) })
    expectNeedles(ran.of('fractal/think', leaf)[0], ['goal of level 0'])
  })
})

describe('fractal, after 200 tool calls in one Think', () => {
  const many = Array.from({ length: 200 }, (_, i) => String(i))
  const root: Node = { name: 'reader', files: many }

  it('compacts by record, keeps its goal, and says where each file can be read', async () => {
    const ran = await solve(given(root, { promptTokens: 12_000 }))
    const thinks = ran.of('fractal/think')
    expect(thinks).toHaveLength(201)
    expectBound(thinks, 12_000)
    expectReadable(ran)
    for (const request of thinks) expectWhole(request, { goal: goalOf(root) })
    for (const [i, request] of thinks.slice(1).entries())
      expectWhole(request, { 'the file just read': fileText(String(i)) })
    const compactions = ran.events.filter(
      (event) => event.type === 'note' && event.name === 'conversation-compacted',
    )
    const broken = thinks.filter((request, i) => {
      const earlier = JSON.stringify(thinks[i - 1]?.messages.slice(0, -1) ?? []).slice(0, -1)
      return !JSON.stringify(request.messages).startsWith(earlier)
    })
    expect(broken.length).toBe(compactions.length)
    expect(compactions.length).toBeLessThan(60)
    expect(leftOutOf(thinks.at(-1) as never).length).toBeGreaterThan(0)
    expect(textOf(thinks.at(-1) as never)).toContain(needle('file 199'))
  })
})

describe('fractal: killed in the middle of a conversation', () => {
  it('makes the same requests when it is resumed, whole and compacted', async () => {
    const root: Node = { name: 'short', files: FILES, children: [{ name: 'only', files: ['f'] }] }
    await expectSameAfterCrash(given(root))
    await expectSameAfterCrash(given(root, { promptTokens: 4_500 }))
  })
})

function withoutFences(text: string): string {
  return text.replace(/<data-([0-9a-f]{12}) [^>]*>[\s\S]*?<\/data-\1>/g, '')
}
