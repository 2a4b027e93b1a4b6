// A strategy over another: the outer one solves the root and has each child solved by the inner one, in its own way of choosing.

import type { ModelIo } from '../../src/kernel/model.ts'
import { type Goal, goalTitle, type ModelRequest } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import {
  cotUnderTest,
  dualUnderTest,
  fractalUnderTest,
  plannerUnderTest,
  type StrategyUnderTest,
  type Task,
  totUnderTest,
} from './tasks.ts'

export const STRATEGIES_UNDER_TEST = {
  fractal: fractalUnderTest,
  planner: plannerUnderTest,
  tot: totUnderTest,
  cot: cotUnderTest,
  dual: dualUnderTest,
} as const

export type Tested = keyof typeof STRATEGIES_UNDER_TEST

export interface Pair {
  readonly outer: Tested
  readonly inner: Tested
}

const NAMES = Object.keys(STRATEGIES_UNDER_TEST) as Tested[]

/** Every ordered pair; over itself, a strategy names itself where it would otherwise only go on. */
export const PAIRS: readonly Pair[] = NAMES.flatMap((outer) => NAMES.map((inner) => ({ outer, inner })))

export function pairUnderTest({ outer, inner }: Pair): StrategyUnderTest {
  return {
    name: outer,
    wraps: true,
    ...(inner === 'planner' && { retells: true as const }),
    ...OPTIONS[outer](inner),
    model(given) {
      const root = toolsBelow(given)
      const ofOuter = STRATEGIES_UNDER_TEST[outer].model(root)
      const ofInner = STRATEGIES_UNDER_TEST[inner].model(root)
      return new ScriptedModel(async (request: ModelRequest, io: ModelIo) => {
        const isRoot = goalOf(request) === root.goal
        const { value } = await (isRoot ? ofOuter : ofInner).call(request, io)
        return isRoot ? CHOOSING[outer](value as Reply, inner) : value
      })
    },
  }
}

/** What lets the outer one choose the inner; a chain below has the options of the one above, and needs `minimal` for tools. */
const OPTIONS: Readonly<Record<Tested, (inner: Tested) => Pick<StrategyUnderTest, 'options'>>> = {
  fractal: (inner) => ({ options: { strategies: [inner] } }),
  planner: (inner) => ({ options: { strategies: [inner] } }),
  cot: (inner) => ({ options: { strategies: [inner, 'minimal'] } }),
  dual: (inner) => ({ options: { strategies: [inner] } }),
  tot: () => ({}),
}

type Reply = Readonly<Record<string, unknown>>

/** What the outer strategy's script says, with the inner one named as whoever solves the children. */
const CHOOSING: Readonly<Record<Tested, (reply: Reply, inner: Tested) => unknown>> = {
  fractal: (reply, strategy) => (reply.type === 'CALL' ? { ...reply, strategy } : reply),
  planner: (reply, inner) => {
    if (reply.plan_type !== 'PLAN_STEPS') return reply
    const { goal } = reply.new_block as { goal: string }
    const executor_call = { command: `${inner}: ${goal}`, inputs: {}, expected_observations: [] }
    const new_block = { goal, plan: [], done: [] }
    return { type: 'plan-next', plan_type: 'EXECUTE', new_block, executor_call }
  },
  cot: ({ planning, ...reply }, strategy) => ({
    ...reply,
    planning: (planning as Reply[]).map((step) => ({ ...step, strategy })),
  }),
  tot: (reply, strategy) => {
    if (reply.candidates === undefined) return reply
    const candidates = reply.candidates as { metadata?: Reply }[]
    return {
      candidates: candidates.map(({ metadata, ...candidate }) => ({
        ...candidate,
        ...(metadata && { metadata: { ...metadata, strategy } }),
      })),
    }
  },
  dual: (reply, strategy) =>
    reply.action === 'request_plan_and_execution'
      ? { action: 'solve_with_strategy', strategy, goal: reply.plan_request_payload }
      : reply,
}

/** What needs tools is the inner strategy's to do. */
function toolsBelow(task: Task): Task {
  const { tools, children, ...root } = task
  if (tools === undefined || children !== undefined) return task
  return {
    ...root,
    children: [{ goal: `${task.goal}, below`, tools, ...(root.result && { result: root.result }) }],
  }
}

/** Whose request it is: each strategy tells the goal in its own words. */
function goalOf({ input }: ModelRequest): string {
  const { goal, problem, think } = input as { goal?: Goal; problem?: string; think?: { goal: Goal } }
  return goalTitle(think?.goal ?? problem ?? goal ?? '')
}
