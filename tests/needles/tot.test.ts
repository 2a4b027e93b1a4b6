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
  GOAL_CHARS,
  leftOutOf,
  long,
  type Script,
  solve,
  textOf,
} from './needles.ts'

const PROBLEM = long('problem', GOAL_CHARS)
const CONSTRAINTS = [long('constraint one', 1_000), long('constraint two', 1_000)]
const CRITERIA = long('criteria', 1_500)
const STEPS = ['step one of them', 'step two of them', 'step three of them']

interface Input {
  readonly thoughts?: readonly string[]
  readonly content?: string
  readonly num_candidates?: number
  readonly draw?: { readonly n: number }
  readonly candidates?: readonly { readonly node_id: string; readonly thoughts: readonly string[] }[]
}

/** Thoughts are named by their way: `thought 1`, `thought 1.2`. The first of each step is the best. */
function thought(way: string): string {
  return `(${way}) ${long(`thought ${way}`, 1_200)}`
}

function wayOf(text: string | undefined): string {
  return /^\(([\d.]+)\)/.exec(text ?? '')?.[1] ?? ''
}

const script: Script = (request: ModelRequest) => {
  const { kind, input } = request
  const { thoughts = [], content, num_candidates = 1, draw, candidates = [] } = input as Input
  if (kind === 'tot/decompose')
    return {
      thought_granularity: 'one paragraph',
      intermediate_steps: STEPS,
      depth_estimate: 3,
      constraints: CONSTRAINTS,
      success_criteria: CRITERIA,
    }
  if (kind === 'tot/generate') {
    const above = wayOf(thoughts.at(-1))
    const names = draw === undefined ? Array.from({ length: num_candidates }, (_, i) => i + 1) : [draw.n]
    return {
      candidates: names.map((n) => ({ content: thought(above === '' ? `${n}` : `${above}.${n}`) })),
    }
  }
  if (kind === 'tot/evaluate') {
    const last = Number(wayOf(content).split('.').at(-1))
    return { score: 9 - last, confidence: 0.8, reasoning: 'so it seems' }
  }
  if (kind === 'tot/vote') {
    // Ballots are shuffled: the scores go by the thoughts, not by where they stand. A model knows them by the names that it is shown.
    const shown = [...textOf(request).matchAll(/^\[(\w+)\](?:, after .*)?:$/gm)].map(([, name]) => name)
    const ways = candidates.map((candidate) => wayOf(candidate.thoughts.at(-1))).sort()
    return {
      evaluations: candidates.map(({ thoughts: path }, i) => ({
        node_id: shown[i],
        score: 9 - ways.indexOf(wayOf(path.at(-1))),
        confidence: 0.8,
        reasoning: 'compared',
      })),
    }
  }
  return { answer: 'the answer', reasoning_trace: [], confidence: 0.9, verification: { is_valid: true } }
}

function given(evaluation: string, more: Partial<Given> = {}): Given {
  return {
    goal: PROBLEM,
    strategy: 'tot',
    options: {
      task_type: 'planning',
      depth: 3,
      branching: 3,
      beam: 2,
      search: 'BFS',
      evaluation,
      check: 'never',
    },
    script,
    ...more,
  }
}

const ALWAYS = {
  problem: PROBLEM,
  'constraint one': CONSTRAINTS[0] as string,
  'constraint two': CONSTRAINTS[1] as string,
  criteria: CRITERIA,
}

/** Each kind of request with what must be whole in it, whatever the budget. */
function expectTable(requests: readonly ModelRequest[]): void {
  for (const request of requests) {
    const { kind, input } = request
    const { thoughts = [], content, candidates = [] } = input as Input
    if (kind === 'tot/decompose') expectWhole(request, { problem: PROBLEM })
    else expectWhole(request, ALWAYS)
    expectWhole(request, Object.fromEntries(thoughts.map((text) => [wayOf(text), text])))
    if (kind === 'tot/evaluate') expectWhole(request, { content: content as string })
    if (kind === 'tot/vote') {
      const ways = candidates.flatMap((candidate) => candidate.thoughts)
      expectWhole(request, Object.fromEntries(ways.map((text) => [wayOf(text), text])))
      for (const text of new Set(ways)) expect(textOf(request).split(text).length - 1, 'stands once').toBe(1)
      // An id tells which candidate was made first.
      expect(textOf(request)).not.toMatch(/node_\d/)
    }
    if (kind === 'tot/generate') {
      const depth = thoughts.length + 1
      expect(textOf(request)).toContain(`This is step ${depth} of 3: ${STEPS[depth - 1]}`)
      expect(textOf(request)).toContain('One thought is: one paragraph.')
      expect(textOf(request).includes('with it the solution is whole')).toBe(depth === 3)
      expect(textOf(request)).not.toContain('votes)')
    }
  }
}

describe.each(['independent_scoring', 'comparative_voting'])('tot with %s', (evaluation) => {
  it('fits easily: problem, constraints, criteria, path and candidates are whole in every request', async () => {
    const ran = await solve(given(evaluation))
    const requests = ran.sent.map(({ request }) => request)
    const kinds = new Set(requests.map(({ kind }) => kind))
    for (const kind of ['tot/decompose', 'tot/generate', 'tot/synthesize']) expect(kinds).toContain(kind)
    expect(kinds).toContain(evaluation === 'comparative_voting' ? 'tot/vote' : 'tot/evaluate')
    expectTable(requests)
    expectNothingLeftOut(requests)
    const last = ran.of('tot/synthesize').at(-1)
    expectNeedles(last, ['thought 1', 'thought 1.1', 'thought 1.1.1', 'thought 1.1.2'])
    expect(textOf(last as ModelRequest)).toMatch(
      /What was said of the last thought .*:\n.*\n(?:compared|so it seems)/,
    )
  })

  it('just fits: with the tokens of the longest request nothing is left out', async () => {
    const { sent } = await solve(given(evaluation))
    const most = Math.max(...sent.map(({ request }) => countRequestTokens(request)))
    const ran = await solve(given(evaluation, { promptTokens: most + 300 }))
    expectNothingLeftOut(ran.sent.map(({ request }) => request))
  })

  it('does not fit: what must be whole is, and the rest keeps within the budget', async () => {
    const { sent } = await solve(given(evaluation))
    const ran = await solve(given(evaluation, { promptTokens: 3_600 }))
    const requests = ran.sent.map(({ request }) => request)
    expectTable(requests)
    for (const [i, request] of requests.entries()) {
      const whole = countRequestTokens(sent[i]?.request as ModelRequest)
      expect(countRequestTokens(request)).toBeLessThanOrEqual(Math.max(3_600, whole + 300))
    }
    expectBound(ran.of('tot/decompose'), 3_600)
    expect(leftOutOf(ran.of('tot/synthesize')[0] as ModelRequest).length).toBeGreaterThan(0)
    expectReadable(ran)
  })

  it('killed after any event makes the same requests', async () => {
    await expectSameAfterCrash(given(evaluation), [3, 9, 17, 30, 45])
  })
})

describe('tot below another block', () => {
  it('has what its parent found, whole, and what a person said', async () => {
    const goal = long('outer goal', GOAL_CHARS)
    const outer: Script = (request, io) => {
      const { done = [] } = request.input as { done?: readonly string[] }
      if (request.kind === 'fractal/think')
        return io.path === '1'
          ? { type: 'TODO', description: long('outer plan') }
          : { type: 'RETURN', description: long('sibling') }
      if (request.kind !== 'fractal/eval') return script(request, io)
      if (done.length === 0) return { type: 'CALL', description: 'find out first' }
      if (done.length === 1) return { type: 'CALL', description: PROBLEM, strategy: 'tot' }
      return { type: 'RETURN', description: 'done' }
    }
    const message = long('message', 800)
    const ran = await solve({
      goal,
      strategy: 'fractal',
      options: { check: 'never' },
      strategyOptions: { tot: { task_type: 'planning', depth: 2, branching: 2, check: 'never' } },
      script: outer,
      onEvent(event, signal) {
        if (event.type === 'block-start' && event.path === '1-1') void signal('1', 'message', message)
      },
    })
    const above = { goal, plan: long('outer plan'), sibling: long('sibling'), problem: PROBLEM, message }
    for (const kind of ['tot/decompose', 'tot/generate', 'tot/synthesize'])
      for (const request of ran.of(kind, '1-2')) expectWhole(request, above)
    expect(ran.of('tot/generate', '1-2').length).toBeGreaterThan(0)
    expectWhole(ran.of('fractal/eval').at(-1), { answer: 'the answer' })
  })
})
