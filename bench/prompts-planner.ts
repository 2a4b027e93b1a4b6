/** The planner: hypotheses are probed, then steps are executed one by one. */
import { type Asked, type Program, READ, type Sizes } from './prompts-programs.ts'
import type { Texts } from './prompts-texts.ts'

const PROBED = 'the reason is known'
const BUILT = 'the report is written'

const plan: Program = (asked) => {
  const { times, texts, sizes } = asked
  const about = nameOf(asked)
  if (about === 'goal' && times === 1)
    return planNext('PLAN_PROBES', `${PROBED}: ${shown(asked)}`, hypotheses(texts, sizes))
  if (about === 'goal') return planNext('PLAN_STEPS', `${BUILT}: ${shown(asked)}`, steps(texts, sizes))
  const file = about === 'steps' ? 20 + times : 10 + times
  return execute(texts.plant(`${about} call ${times}`, sizes.goal / 6), file, about === 'steps')
}

const reflect: Program = (asked) => {
  const { times, texts, sizes } = asked
  const about = nameOf(asked)
  const rounds = { goal: 2, steps: sizes.steps, probes: sizes.hypotheses }[about] ?? 1
  const evidence = () => texts.plant(`evidence of hypothesis ${times}`, 400)
  const judged =
    about === 'probes' ? { verdicts: [{ hypothesis: times, verdict: 'refuted', evidence: evidence() }] } : {}
  if (times < rounds)
    return { type: 'go-on', reason: texts.plant(`reason ${about} ${times}`, 300), ...judged }
  const result = sections(texts.plant(`result of ${about}`, sizes.goal))
  return { type: 'plan-return', status: 'completed', result, ...judged }
}

export const PLANNER: Readonly<Record<string, Program>> = {
  'planner/plan': plan,
  'planner/plan-next': plan,
  'planner/reflect': reflect,
  'planner/observe': ({ input }) => ({
    verdicts: (Array.isArray(input.open) ? input.open : []).map((observation) => ({
      observation,
      verdict: 'met',
      evidence: 'it stands in the output',
    })),
  }),
}

/** Which part of the work the block does. */
function nameOf({ input }: Asked): string {
  const { think } = input as { think?: { goal?: unknown } }
  const goal = JSON.stringify(think?.goal ?? input.goal ?? '')
  if (goal.includes(PROBED)) return 'probes'
  return goal.includes(BUILT) ? 'steps' : 'goal'
}

function shown({ texts, sizes, times }: Asked): string {
  return texts.plant(`part ${times}`, sizes.goal / 3)
}

function hypotheses(texts: Texts, sizes: Sizes): string[] {
  return Array.from({ length: sizes.hypotheses }, (_, i) => texts.plant(`hypothesis ${i + 1}`, 300))
}

function steps(texts: Texts, sizes: Sizes): string[] {
  return Array.from({ length: sizes.steps }, (_, i) => texts.plant(`step ${i + 1}`, 300))
}

function planNext(plan_type: string, goal: string, items: readonly string[]) {
  const new_block = { goal, plan: items, done: [] }
  return { type: 'plan-next', plan_type, new_block, success_signal: 'every item has its evidence' }
}

function execute(goal: string, file: number, isObserved: boolean) {
  return {
    type: 'plan-next',
    plan_type: 'EXECUTE',
    new_block: { goal, plan: [], done: [] },
    executor_call: {
      command: READ,
      inputs: { path: `reports/part-${file}.md`, encoding: 'utf-8' },
      expected_observations: isObserved ? [`part ${file} names the harbor`] : [],
    },
  }
}

function sections(text: string): string {
  return `### Completion\nCompleted: ${text}\n\n### Deliverables\n-\n\n### Metrics\n-\n\n### Constraints\nkept`
}
