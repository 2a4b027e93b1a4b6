/** The document's `Context JSON`: all that the Planner knows about its block. No ids; equal contexts give equal bytes. */
import {
  type Ancestor,
  type Core4,
  type Goal,
  goalTitle,
  oneLine,
  shorten,
  type Todo,
} from '../../protocol/index.ts'
import type { PlannerContext } from './schema.ts'

export interface ThinkingContext {
  readonly think: { readonly goal: Goal; readonly plan: readonly string[]; readonly done: readonly string[] }
  /** From the parent to the root. */
  readonly path: readonly { readonly goal: Goal; readonly plan: readonly string[] }[]
  readonly max_depth: number
}

const MAX_GOAL = 2_000
const MAX_ITEM = 400
const MAX_ABOVE = 200
const MAX_ROOT = 1_000
const MAX_ABOVE_ITEM = 160
/** Of the ancestors between the nearest and the root only a short goal is shown. */
const NEAR_ANCESTORS = 8
const MAX_FAR = 80
const WHOLE_RESULTS = 6
const MAX_RESULT = 4_000
const MAX_FAILURE = 600
const MAX_SHORT = 200
const MAX_RESULTS = 30

export function thinkingContext(context: PlannerContext): ThinkingContext {
  const { block, ancestors } = context
  return {
    think: {
      goal: plainGoal(block.goal, MAX_GOAL),
      plan: itemsOf(block.todo).map((item) => shorten(item, MAX_ITEM)),
      done: compact(block.done),
    },
    path: ancestors.map((ancestor, i) => above(ancestor, i, ancestors.length - 1)),
    max_depth: maxDepth(context),
  }
}

function above({ goal, todo }: Ancestor, i: number, root: number): ThinkingContext['path'][number] {
  if (i >= NEAR_ANCESTORS && i < root) return { goal: goalTitle(goal, MAX_FAR), plan: [] }
  return {
    goal: plainGoal(goal, i === root ? MAX_ROOT : MAX_ABOVE),
    plan: itemsOf(todo).map((item) => shorten(oneLine(item), MAX_ABOVE_ITEM)),
  }
}

/** Two spaces, keys in the order of the document: the file's bytes and the prompt's. */
export function contextJson(context: ThinkingContext): string {
  return `${JSON.stringify(context, null, 2)}\n`
}

/** The length of `path` from which on planning is skipped. */
export function maxDepth(context: PlannerContext): number {
  const run = context.level + context.budget().depth
  return Math.min(context.options.maxDepth ?? run, run)
}

/** `len(path)` */
export function depthOf({ ancestors }: PlannerContext): number {
  return ancestors.length
}

export function itemsOf(todo: Todo): readonly string[] {
  if (typeof todo !== 'string') return todo
  return todo === '' ? [] : [todo]
}

/** The newest whole, older failures with their reasons, other older results in a line, the oldest only counted. */
function compact(done: readonly string[]): string[] {
  const from = Math.max(0, done.length - MAX_RESULTS)
  const whole = done.length - WHOLE_RESULTS
  const kept = done
    .slice(from)
    .map(withoutPath)
    .map((text, i) => {
      if (from + i >= whole) return shorten(text, MAX_RESULT)
      return isFailure(text) ? shorten(text, MAX_FAILURE) : shorten(oneLine(text), MAX_SHORT)
    })
  return from === 0 ? kept : [`(${from} earlier results)`, ...kept]
}

/** The kernel's reasons begin with the block's path: an id, which the Planner must not see. */
function withoutPath(text: string): string {
  return text.replace(/^(\[\w+: )\d+(?:-\d+)*(?:#\d+)?: /, '$1')
}

function isFailure(text: string): boolean {
  return /^\[(failed|partial|cancelled)/.test(text)
}

/** The four parts in the document's order, whatever order a caller gave them in. */
function plainGoal(goal: Goal, maxChars: number): Goal {
  if (typeof goal === 'string') return shorten(goal, maxChars)
  const part = (name: keyof Core4) => shorten(goal[name], maxChars)
  return {
    intent: part('intent'),
    deliverable: part('deliverable'),
    metric: part('metric'),
    constraint: part('constraint'),
  }
}
