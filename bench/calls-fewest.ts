/**
 * The fewest calls that the rules of each strategy's document allow for a goal, from the goal alone: no line here goes by what the
 * code does. Sections are those of the documents. What no document demands counts as superfluous when it is made: a request for
 * the type of task, for a look back, for a summary, for a reply that could not be read.
 */
import { allOf, attemptsOf, leavesOf, looksOf, type ScriptedGoal, type Work } from './calls-goals.ts'

export const FEWEST: Readonly<Record<string, (goal: ScriptedGoal) => number>> = {
  fractal: ({ work }) => fractal(work),
  planner: ({ work }) => planner(work, true),
  tot,
  cot: ({ work }) => cot(work),
  dual: ({ work }) => dual(work),
}

/**
 * 2.1, 3 (1): Think comes first in every block; tools are called within it, so that a look is one more turn. It returns the result
 * or the plan. 3 (2), (4), 8: an Eval calls each child, and one more returns. 5: redoing is another Call, and the attempt that failed
 * was a child like any other, which looked once and said so.
 */
function fractal(work: Work): number {
  const { parts = [] } = work
  const think = looksOf(work) + 1
  if (parts.length === 0) return think
  const failed = sum(parts, (part) => (attemptsOf(part) - 1) * (EVAL + FAILED_LOOK + THINK))
  return think + sum(parts, (part) => EVAL + fractal(part)) + failed + EVAL
}

const THINK = 1
const EVAL = 1
const FAILED_LOOK = 1

/**
 * 3: a step of the loop is isend_thinkon, then make_next or make_result. The Planner does make_next, and must not answer plan-return:
 * whether it has ended is judged apart from it (Reflect), after each child, because a block may end before its plan does (4.1). So each
 * child takes two calls; before the first one nothing is done that could be judged. 4.4, gate 2: what an executor covers is one child,
 * EXECUTE, without a call of its own: a look, or a text. 4.2: a result may be the text itself, so that what was looked at
 * needs no further child. Looks are children of the block that needs them, by update_plan (4.6). What has parts is a child with a plan of 3 to
 * 7 steps, but for the root, which is there already. Gate 1: where evidence is missing, a child with hypotheses comes first, also
 * below the root. 4.4, 7: after a failure another way is taken: the look in vain was one more child.
 */
function planner(work: Work, isRoot: boolean): number {
  const { parts = [], guesses } = work
  const children = parts.length > 0 ? looksOf(work) : Math.max(1, looksOf(work)) + (attemptsOf(work) - 1)
  const hasBlock = guesses !== undefined || (parts.length > 0 && !isRoot)
  const own = (children + (hasBlock ? 1 : 0)) * PLAN_AND_REFLECT
  return own + sum(parts, (part) => planner(part, false))
}

const PLAN_AND_REFLECT = 2

/**
 * 4, exec: each thought carries out the next pending step, the first one has made the plan, and the last one is the solution. 1: a step
 * in doubt (`Verification Needed`) takes another thought. A chain has no tools: what is looked at is in the problem.
 */
function cot(work: Work): number {
  return sum(leavesOf(work), attemptsOf)
}

/**
 * 3.2: a run begins with a plan, which has a task at least. 4.2: it is made in a loop of its own, of as many looks as it takes, and one
 * reply with the plan; 4.3: it has all tasks. 7.3: only leaves are executed. 5.2: each iteration is one decision: a look, or the end. 10.2: the loop of a task takes another way after
 * an action that failed. 3.2: the run ends with its last task; no summary is asked for.
 */
function dual(work: Work): number {
  const planning = sum(
    allOf(work).filter(({ parts }) => parts !== undefined),
    looksOf,
  )
  return planning + 1 + sum(leavesOf(work), (leaf) => looksOf(leaf) + attemptsOf(leaf) - 1 + 1)
}

export const SEARCH = { branching: 3, beam: 2 } as const

/**
 * 1: a decomposition; 5: a synthesis; between them (the complete flow, 4 to 8) a layer of thoughts for each step. How depends on
 * the type of task, by the document's table. A chain of thoughts that leads nowhere is one more expansion in depth-first search.
 */
function tot({ work, taskType }: ScriptedGoal): number {
  const depth = depthOf(work)
  const { search, proposes, votes } = TASK_TABLE[taskType]
  if (search === 'DFS') {
    const dead = sum(leavesOf(work), (leaf) => attemptsOf(leaf) - 1)
    return DECOMPOSE + (depth + dead) * expansion(1, proposes, votes) + SYNTHESIZE
  }
  let parents = 1
  let calls = 0
  for (let layer = 1; layer <= depth; layer++) {
    calls += expansion(parents, proposes, votes)
    parents = Math.min(SEARCH.beam, parents * SEARCH.branching)
  }
  return DECOMPOSE + calls + SYNTHESIZE
}

/** A path has a thought for each part. */
export function depthOf({ parts = [] }: Work): number {
  return Math.max(1, parts.length)
}

const DECOMPOSE = 1
const SYNTHESIZE = 1

/** Generation: one call for all candidates of a parent, or one for each. Evaluation: one for each candidate, or one vote on the layer. */
function expansion(parents: number, proposes: boolean, votes: boolean): number {
  const candidates = parents * SEARCH.branching
  return (proposes ? parents : candidates) + (votes ? 1 : candidates)
}

/**
 * "Mapping of task types". "Generation strategies": open tasks sample, constrained ones propose; for a design the document leaves it open,
 * and it is decided that it samples.
 */
const TASK_TABLE = {
  math_reasoning: { search: 'BFS', proposes: true, votes: false },
  creative_writing: { search: 'BFS', proposes: false, votes: true },
  planning: { search: 'DFS', proposes: true, votes: false },
  debugging: { search: 'DFS', proposes: true, votes: false },
  architecture_design: { search: 'BFS', proposes: false, votes: true },
} as const

function sum<T>(list: readonly T[], of: (item: T) => number): number {
  return list.reduce((all, item) => all + of(item), 0)
}
