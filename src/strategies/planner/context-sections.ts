/**
 * The Context JSON as a request shows it: block by block from the root down, the goal of each, then its `done`, then the plan it had
 * when the block below it began. `think` is the last block; its plan is part of the question, because it changes with every request.
 *
 * 1. A block stands in the same bytes in its own requests and in those of the blocks below it, and `done` only grows: what a
 *    provider has cached of one request serves the next, whichever block asks it.
 * 2. Nothing is escaped: texts stand as they are, results in fences, each under the sub-goal it answers (B5).
 * 3. No ids: equal contexts give equal bytes. Only what was shortened has a reference.
 */
import type { Item, Section } from '../../kernel/brief/section.ts'
import { type Ancestor, goalText, type TimelineEntry } from '../../protocol/index.ts'
import { personSection, toolItems } from '../sections.ts'
import { itemsOf, resultsOf, withoutPath } from './context-json.ts'
import type { Learned, PlannerContext, Start } from './schema.ts'
import { unlabelled } from './sections.ts'

export function contextSections(context: PlannerContext): Section[] {
  const { block, ancestors } = context
  return [
    ...aboveSections(context),
    goalSection(goalText(block.goal), ancestors.length, 'whole'),
    ownSection(context),
    personSection(context),
  ]
}

/** What is done for the block itself, by its children. */
export function ownSection(context: PlannerContext): Section {
  const items = resultItems(resultsOf(context, context.path))
  return doneSection(items, context.ancestors.length, 'first', context.path)
}

/** From the root down; what is further away is shortened before what is near. */
function aboveSections(context: PlannerContext): Section[] {
  const blocks = context.ancestors.toReversed()
  const goals = [...blocks.map(({ goal }) => goal), context.block.goal].map(goalText)
  // A goal that was handed on as it is, as `auto` does, stands once, below (B6).
  const isHandedOn = ({ todo }: Ancestor, i: number) => todo.length === 0 && goals[i] === goals[i + 1]
  const root = blocks.findIndex((ancestor, i) => !isHandedOn(ancestor, i))
  return blocks.flatMap((ancestor, depth) => {
    const { path, todo } = ancestor
    const near = depth === blocks.length - 1 ? 'then' : 'last'
    const found = [...toolItems(context, path), ...resultItems(resultsOf(context, path))]
    const done = doneSection(found, depth, near, path)
    if (isHandedOn(ancestor, depth)) return [done]
    return [
      goalSection(goals[depth] as string, depth, depth === root ? 'first' : 'then', path),
      done,
      planSection(itemsOf(todo), depth, goals[depth + 1] as string, path),
    ]
  })
}

function goalSection(text: string, depth: number, need: Section['need'], path?: string): Section {
  const title = `\nThe block at depth ${depth}, its goal:`
  if (path === undefined) return { need, title, items: [{ text }] }
  return { need, title, items: [{ text, ref: `${path} goal` }], ref: `${path} goal` }
}

function doneSection(items: readonly Item[], depth: number, need: Section['need'], path: string): Section {
  return { need, title: `\nDone at depth ${depth}:`, items, ref: `${path} results` }
}

function planSection(plan: readonly string[], depth: number, below: string, path: string): Section {
  // The item that the block below works on stands there, as its goal (B6).
  const left = plan.map((item) => (isSaidBy(below, item) ? '(the block below)' : item))
  const items = left.length === 0 ? [] : [{ text: left.join('\n'), ref: `${path} plan` }]
  return { need: 'then', title: `\nThe plan at depth ${depth}:`, items, ref: `${path} plan` }
}

function isSaidBy(goal: string, item: string): boolean {
  return item.length >= LONG_ITEM && goal.includes(unlabelled(item))
}

const LONG_ITEM = 80

function resultItems(results: readonly TimelineEntry[]): Item[] {
  return results.map(({ path, text, about = '', status, ref }, i) => {
    const before = `Result ${i + 1} [${status}] — sub-goal: `
    return {
      about: { before, text: about, after: '', ref: `${path} goal` },
      text: withoutPath(text),
      data: 'result',
      ...(ref !== undefined && { ref }),
    }
  })
}

/**
 * What Reflect said is missing, here or, as long as it has said nothing here, in the block above; and plans that failed. What a failed
 * command was is told by its result.
 */
export function learnedText(
  { block, options: { start } }: PlannerContext,
  { reason = '', attempts }: Learned,
): string {
  const isUnseen = (item: string) => !block.done.some((text) => text.includes(unlabelled(item)))
  const failed = attempts.filter(({ plan }) => plan.some(isUnseen))
  const plans = failed.map(({ plan_type, plan }) => `${plan_type} ${listText(plan)}\n`).join('')
  return [
    plans === '' ? '' : `Tried here, and failed:\n${plans}`,
    reason.trim() === '' ? reasonAbove(start) : `Reflect says: ${reason}\n`,
  ].join('')
}

function reasonAbove({ reason = '' }: Pick<Start, 'reason'> = {}): string {
  return reason.trim() === '' ? '' : `Reflect said of the block above it: ${reason}\n`
}

/** A plan as it stands in the Context JSON. */
export function listText(items: readonly string[]): string {
  return JSON.stringify(items, null, 2)
}
