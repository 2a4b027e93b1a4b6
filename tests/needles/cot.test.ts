// What must be in the requests of `cot`: at three sizes, ten levels down, after 200 thoughts, and when the run was killed.
import { describe, expect, it } from 'vitest'
import { MAX_PROMPT_TOKENS } from '../../src/kernel/brief/prompt-budget.ts'
import { countRequestTokens } from '../../src/models/tokens.ts'
import type { Event, ModelRequest } from '../../src/protocol/index.ts'
import type { PlanStep, Thought } from '../../src/strategies/chain-of-thought/schema.ts'
import type { Input } from '../cot/solve-cot.ts'
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
  solve,
  textOf,
} from './needles.ts'

/** Characters of each planted text, and the budget. */
const EASILY = { chars: 1_500, promptTokens: MAX_PROMPT_TOKENS }
const JUST = { chars: 5_000, promptTokens: 12_500 }
const NOT = { chars: 5_000, promptTokens: 9_000 }

type Size = typeof EASILY

describe('cot/think', () => {
  for (const size of [EASILY, JUST])
    it(`that fits into ${size.promptTokens} tokens has all that was said, whole, and only grows`, async () => {
      const ran = await solve(chain(size))
      expect(ran.outcome).toMatchObject({ status: 'completed', result: text('THINKING-5', size) })
      const thoughts = ran.of('cot/think')
      expect(thoughts).toHaveLength(6)
      expectNothingLeftOut(thoughts)
      expectGrowing(thoughts)
      expectBound(thoughts, size.promptTokens)
      expectWhole(thoughts.at(-1), {
        problem: text('PROBLEM', size),
        said: text('SAID', size),
        child: text('CHILD', size),
        refused: text('REFUSED', size),
      })
      // As JSON, as they were written.
      const thinking = [1, 2, 3, 4].map((n) => [`${n}`, JSON.stringify(text(`THINKING-${n}`, size))])
      expectWhole(thoughts.at(-1), Object.fromEntries(thinking))
      expect(textOf(thoughts[1] as ModelRequest)).toContain('Result of step 2 "step 2":')
      expect(textOf(thoughts[1] as ModelRequest)).toContain(
        '2. [Done] step 2 (strategy: minimal) → (its result is above)',
      )
      expect(textOf(thoughts[3] as ModelRequest)).toContain('That was not taken:')
      if (size === JUST) expect(tokensOf(thoughts)).toBeGreaterThan(size.promptTokens * 0.8)
    })

  it('that does not fit keeps the problem, a person’s words, the last thought and the plan; old thoughts become their results', async () => {
    const ran = await solve(chain(NOT))
    const thoughts = ran.of('cot/think')
    expectBound(thoughts, NOT.promptTokens)
    expectReadable({ ...ran, sent: ran.sent.filter(({ request }) => request.kind === 'cot/think') })
    const always = ['PROBLEM', 'SAID']
    expectNeedles(thoughts[0], ['PROBLEM'])
    expectNeedles(thoughts[1], [...always, 'THINKING-1', 'CHILD', 'RESULT-1'])
    expectNeedles(thoughts[2], [...always, 'THINKING-2', 'RESULT-1', 'RESULT-2'])
    expectNeedles(thoughts[3], [...always, 'THINKING-2', 'RESULT-1', 'RESULT-2', 'REFUSED'])
    expectNeedles(thoughts[4], [...always, 'THINKING-3', 'RESULT-1', 'RESULT-2', 'RESULT-3'])
    expectNeedles(thoughts[5], [...always, 'THINKING-4', 'RESULT-1', 'RESULT-2', 'RESULT-3', 'RESULT-4'])
    const last = textOf(thoughts[5] as ModelRequest)
    expect(last).not.toContain(needle('THINKING-1'))
    const [, ref = ''] =
      /- your thought 1 \(read_result "([^"]+)"\): step 1 → .*NEEDLE-RESULT-1-END/.exec(last) ?? []
    expect(ran.read(ref)).toContain(needle('THINKING-1'))
    expect(ran.events.filter(isCompaction).length).toBeGreaterThan(0)
  })

  for (const size of [JUST, NOT])
    it(`has the same bytes in ${size.promptTokens} tokens when the run was killed in its middle and resumed`, () =>
      expectSameAfterCrash(chain(size, false)))
})

it('ten levels down, a thought has its problem, the goals and plans above it, and what was found for them', async () => {
  const script = ({ input }: ModelRequest) => {
    const { problem, isFirst } = input as Input
    const level = Number(/^PROBLEM-(\d+)/.exec(problem)?.[1])
    const found = done(`find ${level}`, long(`FOUND-${level}`, 300))
    if (level === 10 || !isFirst) return thought(`solved ${level}`, [found], false)
    const below: PlanStep = {
      description: long(`PROBLEM-${level + 1}`, 1_000),
      status: 'Pending',
      strategy: 'cot',
    }
    return thought(`level ${level}`, [found, below])
  }
  const goal = long('PROBLEM-0', 1_000)
  const ran = await solve({
    goal,
    script,
    strategy: 'cot',
    options: { check: 'never' },
    budget: { depth: 12 },
  })
  const [deepest] = ran.of('cot/think', '1-1-1-1-1-1-1-1-1-1-1')
  const levels = Array.from({ length: 10 }, (_, i) => i)
  expectNeedles(deepest, [...levels.flatMap((i) => [`PROBLEM-${i}`, `FOUND-${i}`]), 'PROBLEM-10'])
})

it('after 200 thoughts on large plans, in Chinese, there are the problem, the last thought, the plan and every result in it', async () => {
  const evaluation = '很长的思考。'.repeat(500)
  const script = ({ kind, input }: ModelRequest) => {
    if (kind === 'minimal/next') return { do: 'return', result: long('CHILD', 3_000) }
    const { thought_number: n, told } = input as Input
    if (n % 20 === 0 && told === undefined) return long(`REFUSED-${n}`, 3_000)
    return { evaluation: `${n}${evaluation}`, ...thought(long(`THINKING-${n}`, 3_000), largePlan(n)) }
  }
  const options = { maxThoughts: 200, maxRepeats: 1_000 }
  const ran = await solve({ goal: long('PROBLEM', 20_000), script, strategy: 'cot', options })
  const thoughts = ran.of('cot/think')
  expect(thoughts.at(-1)?.input).toMatchObject({ thought_number: 200 })
  // Thoughts of which not even a line is left are in the list of all that was found.
  expect(ran.read('1 results')).toMatch(/^"1\/1": you: \{/m)
  expectBound(thoughts, MAX_PROMPT_TOKENS)
  expectReadable({ ...ran, sent: ran.sent.filter(({ request }) => request.kind === 'cot/think') })
  for (const request of thoughts) {
    const { thought_number: n } = request.input as Input
    expectNeedles(request, n === 1 ? ['PROBLEM'] : ['PROBLEM', `THINKING-${n - 1}`, ...resultsAfter(n - 1)])
  }
}, 120_000)

/** Five thoughts: a step is delegated after the first, during which a person speaks; the third is refused once. */
function chain(size: Size, speaks = true): Given {
  const said = Promise.withResolvers<void>()
  if (!speaks) said.resolve()
  const planning = (finished: number): PlanStep[] =>
    [1, 2, 3, 4].map((i) => {
      const description = `step ${i}`
      return i <= finished ? done(description, long(`RESULT-${i}`, 120)) : { description, status: 'Pending' }
    })
  return {
    goal: text('PROBLEM', size),
    strategy: 'cot',
    options: { check: 'never' },
    promptTokens: size.promptTokens,
    async script({ kind, input }) {
      if (kind !== 'cot/think') {
        await said.promise
        return { do: 'return', result: text('CHILD', size) }
      }
      const { thought_number: n, told } = input as Input
      if (n === 3 && told === undefined) return text('REFUSED', size)
      const plan = planning(n).map((step, i) =>
        n === 1 && i === 1 ? { ...step, strategy: 'minimal' } : step,
      )
      return thought(text(`THINKING-${n}`, size), plan, n < 5)
    },
    onEvent(event, signal) {
      if (speaks && event.type === 'model-start' && event.path === '1-1')
        void signal('1', 'message', text('SAID', size)).then(() => said.resolve())
    },
  }
}

/** A person's words, and all else. */
function text(name: string, { chars }: Size): string {
  return long(name, name === 'SAID' ? chars / 10 : chars)
}

function thought(
  thinking: string,
  planning: readonly PlanStep[],
  needed = true,
): Omit<Thought, 'thought_number'> {
  return { current_thinking: thinking, planning, next_thought_needed: needed }
}

function done(description: string, result: string): PlanStep {
  return { description, status: 'Done', result }
}

const LARGE = 30

/** Every fourth plan has a step for another strategy. */
function largePlan(n: number): PlanStep[] {
  const steps = Array.from({ length: LARGE }, (_, i): PlanStep => {
    return done(`${i}${'步骤'.repeat(20)}`, `${'结果'.repeat(30)} ${needle(`STEP-${n}-${i}`)}`)
  })
  return n % 4 === 0
    ? [...steps, { description: `others ${n}`, status: 'Pending', strategy: 'minimal' }]
    : steps
}

/** What the next thought must find of the plan's results. */
function resultsAfter(n: number): string[] {
  const own = Array.from({ length: LARGE }, (_, i) => `STEP-${n}-${i}`)
  return n % 4 === 0 ? [...own, 'CHILD'] : own
}

function tokensOf(requests: readonly ModelRequest[]): number {
  return Math.max(...requests.map((request) => countRequestTokens(request)))
}

function isCompaction(event: Event): boolean {
  return event.type === 'note' && event.name === 'conversation-compacted'
}
