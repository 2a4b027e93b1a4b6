// Which blocks of the strategies that ship a route can choose for, by their kind.

import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import type { BlockKind, ModelRequest } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { violations } from '../conformance/invariants.ts'
import { notes } from './world.ts'

const GOAL = 'the whole'
const RESULT =
  '### Completion\nCompleted: done\n\n### Deliverables\n-\n\n### Metrics\n-\n\n### Constraints\nkept'

interface Input {
  done: readonly string[]
  history: readonly unknown[]
}

/** What each strategy says at the root, so that it has one part solved and leaves open by whom. */
const SAYS: Readonly<Record<string, (input: Input) => unknown>> = {
  'minimal/next': ({ done }) =>
    done.length === 0 ? { do: 'call', goals: ['a part'] } : { do: 'return', result: 'done' },
  'fractal/think': () => ({ type: 'TODO', description: '1. a part' }),
  'fractal/eval': ({ done }) => ({
    type: done.length === 0 ? 'CALL' : 'RETURN',
    description: 'a part',
  }),
  'planner/plan': () => ({
    type: 'plan-next',
    plan_type: 'PLAN_PROBES',
    new_block: { goal: 'test it', plan: ['it is cold', 'it is old', 'it is wet'], done: [] },
    success_signal: 'one is confirmed',
  }),
  'planner/reflect': () => ({ type: 'plan-return', status: 'completed', result: RESULT }),
  'tot/decompose': () => ({
    thought_granularity: 'part',
    intermediate_steps: [],
    depth_estimate: 1,
    constraints: [],
    success_criteria: 'it is there',
  }),
  'tot/generate': () => ({ candidates: [{ content: '', metadata: { goal: 'a part' } }] }),
  'tot/evaluate': () => ({ score: 9, confidence: 0.9, reasoning: 'good' }),
  'tot/synthesize': () => ({
    answer: 'done',
    reasoning_trace: [],
    confidence: 0.9,
    verification: { is_valid: true },
  }),
  'dual/plan': () => ({
    action: 'plan',
    main_task: GOAL,
    main_task_goal: 'done',
    tasks: [{ subtask_name: 'a task', subtask_goal: 'a task' }],
  }),
  'dual/decide': ({ history }) =>
    history.length === 0
      ? { action: 'request_plan_and_execution', plan_request_payload: 'a part' }
      : { action: 'finish', result: 'done' },
  'dual/reflect': () => ({ advice: '', spinning: false }),
  'dual/summarize': () => ({ result: 'done' }),
  'cot/think': () => ({
    current_thinking: 'thought through',
    planning: [{ description: 'think', status: 'Done', result: 'thought through' }],
    next_thought_needed: false,
  }),
}

it.each<[strategy: string, kind: BlockKind, path: string, depth: number, options: object]>([
  ['minimal', 'plan', '1-1', 8, {}],
  ['fractal', 'plan', '1-1', 8, {}],
  ['fractal', 'leaf', '1-1', 1, {}],
  ['planner', 'search', '1-1-1', 8, {}],
  ['tot', 'leaf', '1-1', 8, { task_type: 'debugging', depth: 1 }],
  ['dual', 'plan', '1-1-1', 8, {}],
  ['dual', 'leaf', '1-1', 8, {}],
])('a part of %s of the kind %s goes where the route says', async (strategy, kind, path, depth, options) => {
  const model = new ScriptedModel(({ kind: asked, input }: ModelRequest) => SAYS[asked]?.(input as Input))
  const engine = createEngine({ model })
  const run = await engine.start(GOAL, {
    strategy,
    options: { ...options },
    budget: { depth },
    routes: [{ when: { kind, caller: strategy }, use: 'cot' }],
  })
  expect(await run.outcome).toMatchObject({ status: 'completed' })
  const events = [...(await engine.events(run.id))]
  const child = events.find((event) => event.type === 'block-start' && event.path === path)
  expect(child).toMatchObject({ strategy: 'cot@5', options: {} })
  expect(notes(events, 'strategy-routed')).toContainEqual({ path, strategy: 'cot', kind, rule: 1 })
  expect(violations(events)).toEqual([])
  expect((await engine.replay(run.id)).differences).toEqual([])
  await engine.close()
})
