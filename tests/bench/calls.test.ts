// `npm run bench -- calls`: all ten goals, and that a superfluous call is seen.
import { expect, it } from 'vitest'
import { callsFor, ratioOf, run } from '../../bench/calls.ts'
import { FEWEST } from '../../bench/calls-fewest.ts'
import { type Answers, GOALS, type ScriptedGoal } from '../../bench/calls-goals.ts'
import { PROGRAMS } from '../../bench/calls-programs.ts'

const STRATEGIES = ['fractal', 'planner', 'tot', 'cot', 'dual']

it('makes at most 1.2 times the calls that the documents demand, over ten goals', async () => {
  const { figures, lines } = await run()
  const { ratio, made, fewest, closing, ballots } = figures as Record<string, Record<string, number>>
  expect(GOALS).toHaveLength(10)
  for (const strategy of STRATEGIES) {
    const least = Number(fewest?.[strategy]) + Number(closing?.[strategy]) + Number(ballots?.[strategy])
    expect(made?.[strategy], strategy).toBeGreaterThanOrEqual(least)
    expect(ratio?.[strategy], strategy).toBeCloseTo(Number(made?.[strategy]) / least, 3)
    expect(ratio?.[strategy], strategy).toBeLessThanOrEqual(1.2)
    // A result is held against its goal once at most.
    expect(closing?.[strategy]).toBeLessThanOrEqual(GOALS.length)
  }
  expect(lines).toHaveLength(STRATEGIES.length * (1 + GOALS.length))
})

it('counts the fewest calls by the rules of the documents', () => {
  const fewest = (title: string) => STRATEGIES.map((strategy) => FEWEST[strategy]?.(goalOf(title)))
  // A Think; a plan and a Reflect; decompose, generate, three scores, synthesize; a thought; a plan and a decision.
  expect(fewest('answered at once')).toEqual([1, 2, 6, 1, 2])
  // Three turns; probes planned and judged, and two looks; as before; a thought; a plan and three decisions.
  expect(fewest('two looks')).toEqual([3, 6, 6, 1, 4])
  // Think, Eval and Think for each part, Eval; three children; layers of one, two and two parents, each with three samples, and a vote.
  expect(fewest('three parts')).toEqual([8, 6, 20, 3, 4])
  // The part that fails: Eval, a look and a Think more; a child more; an expansion more; a thought more; an iteration more.
  expect(fewest('mended')).toEqual([12, 8, 18, 4, 6])
})

it.each(STRATEGIES)('a reply that can not be used and is asked for again is seen in %s', async (strategy) => {
  const goal = goalOf('three parts')
  const before = await callsFor(strategy, goal)
  const after = await callsFor(strategy, goal, unreadableFirst(PROGRAMS[strategy] ?? {}))
  expect(after).toMatchObject({ fewest: before.fewest, closing: before.closing, ballots: before.ballots })
  expect(after.made).toBe(before.made + 1)
  expect(ratioOf(after)).toBeGreaterThan(ratioOf(before))
})

it('a step that the goal does not need is seen', async () => {
  const goal = goalOf('three parts')
  const think = PROGRAMS.cot?.['cot/think']
  const idle: Answers = {
    ...PROGRAMS.cot,
    // Once it is done it thinks again.
    'cot/think'(asked, input: { thoughts: readonly unknown[] }) {
      const thoughts = input.thoughts.slice(0, 2)
      const said = JSON.parse(String(think?.(asked, { thoughts } as never)))
      return JSON.stringify({ ...said, next_thought_needed: input.thoughts.length < 3 })
    },
  }
  const { made, fewest } = await callsFor('cot', goal, idle)
  expect(made).toBe(fewest + 2)
})

function goalOf(title: string): ScriptedGoal {
  const goal = GOALS.find((one) => one.title === title)
  if (goal === undefined) throw new Error(`there is no goal "${title}"`)
  return goal
}

/** The very first reply is of no use. */
function unreadableFirst(answers: Answers): Answers {
  let asked = 0
  return Object.fromEntries(
    Object.entries(answers).map(([kind, answer]) => [
      kind,
      (goal: ScriptedGoal, input: never) => (++asked === 1 ? 'I see.' : answer(goal, input)),
    ]),
  )
}
