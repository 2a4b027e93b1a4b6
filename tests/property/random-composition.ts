// Compositions at random: any strategy has parts solved by any other, within budgets, as a few numbers say.

import fc from 'fast-check'
import { createEngine, type Engine } from '../../src/engine.ts'
import { estimateTokens } from '../../src/kernel/budget.ts'
import type { Model } from '../../src/kernel/model.ts'
import { seededRandom } from '../../src/kernel/random.ts'
import type { Strategy } from '../../src/kernel/strategy.ts'
import {
  type Event,
  type Limits,
  type ModelRequest,
  messageText,
  type Outcome,
} from '../../src/protocol/index.ts'
import { inTime } from '../conformance/async.ts'

export const FIVE = ['fractal', 'planner', 'tot', 'cot', 'dual'] as const
/** `box` gives what is in it a budget of its own. */
const ALL = [...FIVE, 'box'] as const

export interface Composition {
  strategy: (typeof ALL)[number]
  /** Decides what the model says, and what that costs. */
  seed: number
  limits: Partial<Limits>
  /** In percent: model errors and replies that can't be read. */
  failures: number
  fallbacks: Readonly<Record<string, string>>
}

export const composition: fc.Arbitrary<Composition> = fc.record({
  strategy: fc.constantFrom(...ALL),
  seed: fc.nat(10_000_000),
  limits: fc.record({
    depth: fc.integer({ min: 0, max: 5 }),
    calls: fc.integer({ min: 1, max: 50 }),
    tokens: fc.integer({ min: 1_000, max: 200_000 }),
  }),
  failures: fc.constantFrom(0, 0, 10),
  fallbacks: fc.constantFrom({}, {}, { tot: 'cot', fractal: 'tot' }, { cot: 'fractal', dual: 'planner' }),
})

export interface Composed {
  engine: Engine
  id: string
  outcome: Outcome
  events: Event[]
}

export async function runComposition(given: Composition): Promise<Composed> {
  const engine = createEngine({ model: randomModel(given), strategies: [box] })
  const strategies = { strategies: ALL }
  const run = await engine.start('the whole', {
    strategy: given.strategy,
    seed: String(given.seed),
    budget: given.limits,
    fallbacks: given.fallbacks,
    strategyOptions: { fractal: strategies, planner: strategies, cot: strategies, dual: strategies },
  })
  const outcome = await inTime(run.outcome, 'the run ends')
  return { engine, id: run.id, outcome, events: [...(await engine.events(run.id))] }
}

const box: Strategy<Record<string, unknown>> = {
  name: 'box',
  version: 1,
  options: (given) => ({ ...given }),
  async solve(context) {
    const pick = (count: number) => Math.floor(context.random() * count)
    const budgets = [{ calls: 1 + pick(12) }, { tokens: 1 + pick(40_000) }, { depth: pick(3) }]
    const strategy = FIVE[pick(FIVE.length)] as string
    const {
      usage: _,
      status,
      ...child
    } = await context.one(
      context.call(`${context.block.goal}, boxed`, { strategy, budget: budgets[pick(3)] as Partial<Limits> }),
    )
    return status === 'completed' ? child.result : { ...child, status: 'partial' }
  },
}

/** Says the same for the same place in a run; costs no more than was asked for. */
function randomModel({ seed, failures }: Composition): Model {
  return {
    id: 'random',
    async call(request, { path, n, signal }) {
      signal.throwIfAborted()
      const random = seededRandom(`${seed}/${path}/${n}`)
      const pick = (count: number) => Math.floor(random() * count)
      const most = request.messages.reduce((sum, message) => sum + estimateTokens(messageText(message)), 0)
      const usage = {
        inputTokens: pick(most + 1),
        outputTokens: pick((request.settings?.maxOutputTokens ?? 4_096) + 1),
      }
      if (pick(200) < failures) throw new Error('the model is out')
      if (pick(200) < failures) return { text: 'Certainly! {', usage }
      const value =
        SAYS[request.kind]?.({ request, pick, goal: `part ${n} of ${path}, ${pick(1_000)}` }) ?? {}
      return { text: JSON.stringify(value), value, usage }
    },
  }
}

interface Asked {
  request: ModelRequest
  pick(count: number): number
  goal: string
}

const someone = ({ pick }: Asked) => ALL[pick(ALL.length)] as string
const SECTIONS =
  '### Completion\nCompleted: done\n\n### Deliverables\n-\n\n### Metrics\n-\n\n### Constraints\nkept'

const SAYS: Readonly<Record<string, (asked: Asked) => unknown>> = {
  'fractal/think': ({ pick, goal }) => ({ type: pick(3) === 0 ? 'RETURN' : 'TODO', description: goal }),
  'fractal/eval': (asked) =>
    asked.pick(4) === 0
      ? { type: 'RETURN', description: asked.goal }
      : { type: 'CALL', description: asked.goal, ...(asked.pick(5) > 0 && { strategy: someone(asked) }) },
  'fractal/close': () => ({ type: 'RETURN', description: 'closed' }),
  'planner/plan': planNext,
  'planner/act': () => ({ cannot: 'there is nothing to act with' }),
  'planner/reflect': ({ pick }) =>
    pick(3) === 0
      ? { type: 'plan-return', status: 'completed', result: SECTIONS }
      : { type: 'go-on', reason: 'there is more' },
  'planner/close': () => ({ type: 'plan-return', status: 'partial', result: SECTIONS }),
  'cot/think': thought,
  'tot/task-type': () => ({ task_type: 'planning', reason: 'parts' }),
  'tot/decompose': ({ pick }) => ({
    thought_granularity: 'part',
    intermediate_steps: ['one', 'two'],
    depth_estimate: 1 + pick(3),
    constraints: [],
    success_criteria: 'it is there',
  }),
  'tot/generate': (asked) => ({ candidates: [0, 1].map((i) => candidate(asked, i)) }),
  'tot/evaluate': ({ pick }) => ({ score: pick(11), confidence: pick(11) / 10, reasoning: 'so so' }),
  'tot/synthesize': ({ goal, pick }) => ({
    answer: goal,
    reasoning_trace: [],
    confidence: 0.5,
    verification: { is_valid: pick(2) === 0 },
  }),
  'dual/plan': ({ goal, pick }) => ({
    action: 'plan',
    main_task: goal,
    main_task_goal: 'it is there',
    tasks: [1, 2]
      .slice(0, 1 + pick(2))
      .map((i) => ({ subtask_name: `${goal} ${i}`, subtask_goal: `${goal} ${i}` })),
  }),
  'dual/decide': (asked) => {
    const { pick, goal } = asked
    if (pick(3) === 0) return { action: 'finish', result: goal }
    if (pick(4) === 0) return { action: 'request_plan_and_execution', plan_request_payload: goal }
    return { action: 'solve_with_strategy', strategy: someone(asked), goal }
  },
  'dual/reflect': () => ({ advice: 'go on', spinning: false }),
  'dual/summarize': ({ goal }) => ({ result: goal }),
  'dual/close': () => ({ result: 'closed' }),
}

function planNext(asked: Asked): unknown {
  const { pick, goal } = asked
  const new_block = (plan: readonly string[]) => ({ goal, plan, done: [] })
  const kind = pick(5)
  if (kind === 0)
    return { type: 'plan-next', plan_type: 'PLAN_STEPS', new_block: new_block(['look', 'do it', 'check it']) }
  if (kind === 1) {
    const plan = ['the cable is loose', 'the port is closed', 'the disk is full']
    return {
      type: 'plan-next',
      plan_type: 'PLAN_PROBES',
      new_block: new_block(plan),
      success_signal: 'found',
    }
  }
  const executor_call = { command: `${someone(asked)}: ${goal}`, inputs: {}, expected_observations: [] }
  return { type: 'plan-next', plan_type: 'EXECUTE', new_block: new_block([]), executor_call }
}

/** Goes on with the plan it has, or makes one whose steps are for others. */
function thought(asked: Asked): unknown {
  const { request, pick, goal } = asked
  const { plan } = request.input as { plan: readonly { status: string }[] }
  const planning =
    plan.length > 0
      ? plan.map((step) => (step.status === 'Done' ? step : { ...step, status: 'Done', result: 'done' }))
      : Array.from({ length: pick(3) }, (_, i) => ({
          description: `${goal}, ${i}`,
          status: 'Pending',
          strategy: someone(asked),
        }))
  const next_thought_needed = planning.some(({ status }) => status === 'Pending')
  return { current_thinking: goal, planning, next_thought_needed }
}

function candidate(asked: Asked, i: number): object {
  if (asked.pick(2) === 0) return { content: `${asked.goal}, ${i}` }
  return { content: '', metadata: { goal: `${asked.goal}, ${i}`, strategy: someone(asked) } }
}
