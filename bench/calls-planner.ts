/** The planner's part: one child after the other, and Reflect after each. */
import {
  type Answers,
  attemptsOf,
  leavesOf,
  looksOf,
  NO_REPORT,
  nameOf,
  reportOf,
  type ScriptedGoal,
  type Work,
  workIn,
} from './calls-goals.ts'
import { READ, readInput } from './prompts-programs.ts'

interface Thinking {
  readonly hypotheses?: readonly { readonly state: string }[]
  readonly think: {
    readonly goal: string
    readonly plan: readonly string[]
    readonly done: readonly string[]
  }
}

/** A child of a block, and what is left of its plan then. */
interface Child {
  readonly reply: object
  readonly left: readonly string[]
}

export const PLANNER: Answers = {
  'planner/plan'(goal, { think: { goal: text, plan, done } }: Thinking) {
    const next = childrenOf(goal, text)[done.length]
    if (next === undefined) throw new Error(`there is nothing left to plan for: ${text}`)
    // Without it the runtime consumes the first item.
    const isFifo = JSON.stringify(next.left) === JSON.stringify(plan.slice(1))
    return { type: 'plan-next', ...next.reply, ...(isFifo ? {} : { update_plan: next.left }) }
  },
  'planner/reflect'(goal, { think: { goal: text, done }, hypotheses = [] }: Thinking) {
    const left = childrenOf(goal, text).length - done.length
    const verdicts = hypotheses.flatMap(({ state }, i) =>
      state === 'tested'
        ? [{ hypothesis: i + 1, verdict: left > 0 ? 'refuted' : 'confirmed', evidence: 'the report says so' }]
        : [],
    )
    if (left > 0) return { type: 'go-on', reason: `${left} to go`, verdicts }
    const deliverable = leavesOf(workIn(goal, text)).map(writtenText).join('\n')
    return { type: 'plan-return', status: 'completed', result: REPORT, deliverable, verdicts }
  },
}

const REPORT =
  '### Completion\nCompleted.\n\n### Deliverables\n-\n\n### Metrics\nmet\n\n### Constraints\nkept'

/** Looks are children like any other; what they are for stays in the plan until the last of them. */
function childrenOf(goal: ScriptedGoal, text: string): readonly Child[] {
  const work = workIn(goal, text)
  const { parts, guesses } = work
  if (guesses !== undefined)
    return text === goal.text ? [{ reply: probes(work, guesses), left: [] }] : tests(goal, work, guesses)
  if (parts === undefined) return childrenFor(goal, work, [])
  const items = parts.map(itemOf)
  const before = looks(goal, work).map((reply) => ({ reply, left: items }))
  return [...before, ...parts.flatMap((part, i) => childrenFor(goal, part, items.slice(i)))]
}

/** What is done about one item, the first of `items`. */
function childrenFor(goal: ScriptedGoal, work: Work, items: readonly string[]): readonly Child[] {
  const replies = work.parts === undefined ? executions(goal, work) : [steps(work, work.parts)]
  return replies.map((reply, i) => ({ reply, left: i < replies.length - 1 ? items : items.slice(1) }))
}

function executions(goal: ScriptedGoal, work: Work): readonly object[] {
  // The second attempt is another way, not the same goal again.
  const vain = attemptsOf(work) > 1 ? [reading(`${nameOf(work)}: see what the archive has`, NO_REPORT)] : []
  const found = looks(goal, work)
  return [...vain, ...(found.length > 0 ? found : [writing(work)])]
}

/** Each look decides one hypothesis, and the last one all that are open. */
function tests(goal: ScriptedGoal, work: Work, guesses: readonly string[]): readonly Child[] {
  const replies = looks(goal, work)
  return replies.map((reply, i) => ({ reply, left: i < replies.length - 1 ? guesses.slice(i + 1) : [] }))
}

function looks(goal: ScriptedGoal, work: Work): readonly object[] {
  return Array.from({ length: looksOf(work) }, (_, i) => {
    const report = reportOf(goal, work, i + 1)
    return reading(`Read report ${report} for ${nameOf(work)}`, report)
  })
}

function probes(work: Work, guesses: readonly string[]) {
  return {
    plan_type: 'PLAN_PROBES',
    new_block: { goal: `The reason is known for ${nameOf(work)}`, plan: guesses, done: [] },
    success_signal: 'one of them is confirmed by a report',
  }
}

function steps(work: Work, parts: readonly Work[]) {
  return {
    plan_type: 'PLAN_STEPS',
    new_block: { goal: `Have all of ${nameOf(work)} written`, plan: parts.map(itemOf), done: [] },
    success_signal: `every part of ${work.name} is there`,
  }
}

function reading(goal: string, report: number) {
  return {
    plan_type: 'EXECUTE',
    new_block: { goal, plan: [], done: [] },
    executor_call: { command: READ, inputs: readInput(report), expected_observations: [expected(report)] },
  }
}

/** Of a first look a program can see whether it is met; of a second one only a reader can. */
function expected(report: number): string {
  return report % 10 === 2 ? 'it says more than the report before' : `the output contains "report ${report}"`
}

function writing(work: Work) {
  const text = writtenText(work)
  return {
    plan_type: 'EXECUTE',
    new_block: { goal: itemOf(work), plan: [], done: [] },
    executor_call: {
      command: 'text',
      inputs: { text },
      expected_observations: [`the text is about ${work.name}`],
    },
  }
}

function itemOf(work: Work): string {
  return `Write ${nameOf(work)}`
}

function writtenText({ name }: Work): string {
  return `This is all about ${name}.`
}
