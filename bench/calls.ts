/** The calls that each strategy makes for ten scripted goals, against the fewest that its document's rules allow. See README.md. */
import { createEngine, type UserTool } from '../src/index.ts'
import { executorTools } from '../src/tools/executors/executor-tools.ts'
import { FEWEST, SEARCH } from './calls-fewest.ts'
import { type Answers, GOALS, NO_REPORT, type ScriptedGoal } from './calls-goals.ts'
import { PROGRAMS } from './calls-programs.ts'
import type { Figures } from './index.ts'
import { rounded } from './measure.ts'
import { leastSaid, READ, sayingModel } from './prompts-programs.ts'

export const about = "model calls of each strategy against the fewest that its document's rules allow"

const GOAL = 1.2

/** Of one goal, or of all. */
export interface Counted {
  readonly made: number
  readonly fewest: number
  /** Of those made: checks of the result before the run ends, and further ballots of a vote. */
  readonly closing: number
  readonly ballots: number
  /** How many of each kind were made. */
  readonly kinds: Readonly<Record<string, number>>
}

export async function run(): Promise<Figures> {
  const counted: Record<string, Counted[]> = {}
  for (const strategy of Object.keys(FEWEST)) {
    counted[strategy] = []
    for (const goal of GOALS) counted[strategy].push(await callsFor(strategy, goal))
  }
  const all = Object.entries(counted).map(([strategy, goals]) => [strategy, together(goals)] as const)
  const by = (figure: (one: Counted) => number) =>
    Object.fromEntries(all.map(([strategy, one]) => [strategy, figure(one)]))
  return {
    figures: {
      ratio: by(ratioOf),
      made: by(({ made }) => made),
      fewest: by(({ fewest }) => fewest),
      closing: by(({ closing }) => closing),
      ballots: by(({ ballots }) => ballots),
    },
    lines: all.flatMap(([strategy, one]) => [
      `${strategy.padEnd(8)} ${lineOf(one)} (goal ${GOAL}): ${kindsText(one)}`,
      ...(counted[strategy] ?? []).map((goal, i) => `  ${GOALS[i]?.title.padEnd(17)} ${lineOf(goal)}`),
    ]),
  }
}

export function ratioOf({ made, fewest, closing, ballots }: Counted): number {
  return rounded(made / (fewest + closing + ballots), 3)
}

function lineOf(one: Counted): string {
  const { made, fewest, closing, ballots } = one
  return `${made} calls, at fewest ${fewest} + ${closing} closing + ${ballots} ballots: ${ratioOf(one)} ×`
}

function kindsText({ kinds }: Counted): string {
  return Object.entries(kinds)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ')
}

function together(list: readonly Counted[]): Counted {
  const sum = (figure: (one: Counted) => number) => list.reduce((all, one) => all + figure(one), 0)
  const kinds = [...new Set(list.flatMap((one) => Object.keys(one.kinds)))]
  return {
    made: sum(({ made }) => made),
    fewest: sum(({ fewest }) => fewest),
    closing: sum(({ closing }) => closing),
    ballots: sum(({ ballots }) => ballots),
    kinds: Object.fromEntries(kinds.map((kind) => [kind, sum((one) => one.kinds[kind] ?? 0)])),
  }
}

/** Runs the goal, and counts each time that the model is asked: also again, after a reply that can't be used. */
export async function callsFor(
  strategy: string,
  goal: ScriptedGoal,
  answers: Answers = PROGRAMS[strategy] ?? {},
): Promise<Counted> {
  const kinds: Record<string, number> = {}
  let ballots = 0
  const model = sayingModel((request) => {
    const { kind, input } = request
    kinds[kind] = (kinds[kind] ?? 0) + 1
    if (kind === 'tot/vote' && Number((input as { vote?: number }).vote) > 1) ballots++
    return answers[kind]?.(goal, input as never) ?? leastSaid({ request })
  })
  const engine = createEngine({ model, tools: TOOLS, store: ':memory:' })
  try {
    const options = OPTIONS[strategy] ?? {}
    const { outcome } = await engine.start(goal.text, { strategy, seed: 'calls', options })
    const { status, reason } = await outcome
    if (status !== 'completed') throw new Error(`${strategy} ended ${status} (${goal.title}): ${reason}`)
  } finally {
    await engine.close()
  }
  const made = Object.values(kinds).reduce((all, count) => all + count, 0)
  return { made, fewest: FEWEST[strategy]?.(goal) ?? 0, closing: kinds['check/result'] ?? 0, ballots, kinds }
}

const READ_REPORT: UserTool = {
  name: READ,
  description: 'Reads one of the reports that were handed in.',
  access: 'read',
  input: {
    type: 'object',
    properties: { path: { type: 'string' }, encoding: { type: 'string' } },
    required: ['path'],
  },
  run(input) {
    const number = Number(/\d+/.exec((input as { path: string }).path)?.[0])
    if (number >= NO_REPORT) throw new Error(`there is no report ${number}`)
    return `This is report ${number}. It goes on in report ${number + 1}.`
  },
}

/** As in a workspace: what a plan expects to see is checked by a program where one can. */
const TOOLS: readonly UserTool[] = [READ_REPORT, ...executorTools([])]

const OPTIONS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  tot: { ...SEARCH },
  // There is no executors.yaml that names the tool.
  planner: { tools: true },
}
