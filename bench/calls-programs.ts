/**
 * Programs that answer the requests of each strategy as an ideal model would for a scripted goal. They go by what a request is made from:
 * who is asked the same again answers the same again, and that shows.
 */
import { depthOf } from './calls-fewest.ts'
import {
  type Answers,
  allOf,
  attemptsOf,
  leavesOf,
  looksOf,
  NO_REPORT,
  nameOf,
  reportOf,
  type Work,
  workIn,
} from './calls-goals.ts'
import { PLANNER } from './calls-planner.ts'
import { Calling } from './prompts-programs.ts'

const FRACTAL: Answers = {
  'fractal/think'(goal, { goal: text, seen }: { goal: string; seen: readonly unknown[] }) {
    const work = workIn(goal, text)
    const isVain = work.failsFirst === true && !text.includes(ELSEWHERE)
    if (isVain && seen.length === 0) return look(NO_REPORT)
    if (isVain) return { type: 'RETURN', description: `Not done: there is no such report of ${work.name}.` }
    if (seen.length < looksOf(work)) return look(reportOf(goal, work, seen.length + 1))
    if (work.parts === undefined) return { type: 'RETURN', description: written(work) }
    return { type: 'TODO', description: work.parts.map((part, i) => `${i + 1}. ${part.name}`).join('\n') }
  },
  'fractal/eval'(goal, { goal: text, done }: { goal: string; done: readonly string[] }) {
    const work = workIn(goal, text)
    const { parts = [] } = work
    const calls = parts.flatMap((part) => attempts(part, `Write ${nameOf(part)}.`))
    const next = calls[done.length]
    return next === undefined
      ? { type: 'RETURN', description: written(work) }
      : { type: 'CALL', description: next }
  },
}

const COT: Answers = {
  'cot/think'({ work }, { thoughts }: { thoughts: readonly unknown[] }) {
    const tries = leavesOf(work).flatMap((leaf) => Array.from({ length: attemptsOf(leaf) }, () => leaf))
    const tried = tries.slice(0, thoughts.length + 1)
    const isLast = tried.length === tries.length
    return JSON.stringify({
      current_thinking: isLast ? written(work) : `Thought ${tried.length} is about ${tried.at(-1)?.name}.`,
      planning: [planStep(work, tried)],
      next_thought_needed: !isLast,
    })
  },
}

/** A step with its sub-steps, as far as they were tried. */
function planStep(work: Work, tried: readonly Work[]): object {
  const { name: description, parts } = work
  const below = parts?.map((part) => planStep(part, tried))
  const states = leavesOf(work).map((leaf) => {
    const times = tried.filter((one) => one === leaf).length
    return times >= attemptsOf(leaf) ? 'Done' : times > 0 ? 'Verification Needed' : 'Pending'
  })
  const status = states.every((state) => state === 'Done')
    ? { status: 'Done', result: written(work) }
    : parts === undefined && states[0] === 'Verification Needed'
      ? { status: states[0], mark: 'it does not hold yet' }
      : { status: 'Pending' }
  return { description, ...status, ...(below && { sub_steps: below }) }
}

const DUAL: Answers = {
  'dual/plan'(goal, { iteration }: { iteration: number }) {
    const { work } = goal
    const before = allOf(work).flatMap((one) =>
      one.parts === undefined
        ? []
        : Array.from({ length: looksOf(one) }, (_, i) => reportOf(goal, one, i + 1)),
    )
    const report = before[iteration - 1]
    if (report !== undefined) return look(report)
    const { parts = [work], isLoose } = work
    const main = { main_task: work.name, main_task_goal: `${work.name} is written` }
    return { action: 'plan', ...main, tasks: tasksOf(parts, isLoose) }
  },
  'dual/decide'(goal, { goal: text, history }: { goal: string; history: readonly unknown[] }) {
    const work = workIn(goal, text)
    const vain = attemptsOf(work) - 1
    if (history.length < vain) return look(NO_REPORT)
    const looked = history.length - vain
    if (looked < looksOf(work)) return look(reportOf(goal, work, looked + 1))
    return { action: 'finish', human_readable_thought: 'All is there.', result: written(work) }
  },
  'dual/reflect': () => ({ advice: 'Look where the others are.', spinning: false }),
  'dual/summarize': ({ work }) => ({ result: written(work) }),
}

/** What the user is to get is made by the last task, which builds on all others, unless they have nothing to do with each other. */
function tasksOf(parts: readonly Work[], isLoose = false): object[] {
  return parts.map((part, i) => {
    const isLast = i === parts.length - 1 && i > 0 && !isLoose
    return {
      subtask_name: `write ${part.name}`,
      subtask_goal: `${nameOf(part)} is written`,
      ...(isLast && { depends_on: parts.slice(0, i).map(({ name }) => `write ${name}`) }),
      ...(part.parts && { subtasks: tasksOf(part.parts) }),
    }
  })
}

const TOT: Answers = {
  'tot/task-type': ({ taskType }) => ({ task_type: taskType, reason: 'it is one' }),
  'tot/decompose': ({ work }) => ({
    thought_granularity: 'part',
    intermediate_steps: (work.parts ?? [work]).map(({ name }) => name),
    depth_estimate: depthOf(work),
    constraints: [],
    success_criteria: 'all of it is there',
  }),
  'tot/generate'(_, { thoughts, num_candidates: count, draw }: Generating) {
    const ways = draw === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [draw.n]
    const step = thoughts.length + 1
    return { candidates: ways.map((way) => ({ content: `step ${step}, way ${way}`, action_type: 'part' })) }
  },
  'tot/evaluate': ({ work }, { thoughts }: { thoughts: readonly string[] }) => scoreOf(work, thoughts),
  'tot/vote': ({ work }, { candidates }: Voting) => ({
    evaluations: candidates.map(({ node_id, thoughts }) => ({ node_id, ...scoreOf(work, thoughts) })),
    best: candidates.find(({ thoughts }) => thoughts.every((thought) => thought.endsWith('way 1')))?.node_id,
  }),
  'tot/synthesize': ({ work }, { thoughts }: { thoughts: readonly string[] }) => ({
    answer: written(work),
    reasoning_trace: thoughts,
    confidence: 0.9,
    verification: { is_valid: true, validation_errors: [] },
    alternative_solutions: [],
  }),
}

interface Generating {
  readonly thoughts: readonly string[]
  readonly num_candidates: number
  /** Of independent samples. */
  readonly draw?: { readonly n: number }
}

interface Voting {
  readonly candidates: readonly { readonly node_id: string; readonly thoughts: readonly string[] }[]
}

/** The first way is the best; where something fails first, what follows on the first way of the first step leads nowhere. */
function scoreOf(work: Work, thoughts: readonly string[]) {
  const isDead =
    leavesOf(work).some(({ failsFirst }) => failsFirst) &&
    thoughts.length > 1 &&
    thoughts[0]?.endsWith('way 1')
  const ways = thoughts.map((thought) => Number(thought.split(' ').at(-1)))
  const score = isDead ? 1 : 10 - ways.reduce((all, way) => all + way, 0) / ways.length
  return { reasoning: 'compared with the others', score, confidence: 0.9 }
}

const CHECK: Answers = { 'check/result': () => ({ problems: [], fits: true }) }

export const PROGRAMS: Readonly<Record<string, Answers>> = {
  fractal: { ...FRACTAL, ...CHECK },
  planner: { ...PLANNER, ...CHECK },
  tot: { ...TOT, ...CHECK },
  cot: { ...COT, ...CHECK },
  dual: { ...DUAL, ...CHECK },
}

/** The sub-goal, once for each attempt. */
function attempts(work: Work, subGoal: string): string[] {
  return [subGoal, `${subGoal} ${ELSEWHERE}`].slice(2 - attemptsOf(work))
}

const ELSEWHERE = 'Look for it elsewhere.'

function look(report: number): Calling {
  return new Calling('That has to be seen first.', [report])
}

function written(work: Work): string {
  return leavesOf(work)
    .map(({ name }) => `This is all about ${name}.`)
    .join('\n')
}
