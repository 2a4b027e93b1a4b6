/**
 * The sections that strategies' requests have in common: what a block is for, what was found above it, what a person said, what
 * its own children and tools brought. How much of them a request carries is the brief's business.
 */

import { personSays } from '../kernel/brief/person-says.ts'
import type { Item, Section } from '../kernel/brief/section.ts'
import { READ_RESULT } from '../kernel/brief/shown-result.ts'
import type { Context } from '../kernel/strategy.ts'
import { type Ancestor, goalText, parentPath, type TimelineEntry, type Todo } from '../protocol/index.ts'

/** The block's own goal. */
export function goalSection({ block }: Context, title = 'The goal:'): Section {
  return { need: 'whole', title, items: [{ text: goalText(block.goal) }] }
}

export function planSection({ block }: Context, title = 'Its plan:'): Section {
  return { need: 'whole', title, items: [{ text: todoText(block.todo) }] }
}

/** What a person said, to this block or above: instructions, not data (B7). */
export function personSection(context: Context): Section {
  const items = context
    .known()
    .filter(({ kind }) => kind === 'message')
    .map(({ text }) => ({ text: personSays(text) }))
  return { need: 'whole', items }
}

/** The blocks above, from the top down: the goal of each, its plan, and what it had found when this block began. */
export function aboveSections(context: Context): Section[] {
  const above = context.ancestors.toReversed()
  const goals = [...above.map(({ goal }) => goal), context.block.goal].map(goalText)
  // A goal that was passed on as it is, as `auto` does, stands once, below (B6).
  const isPassedOn = ({ todo }: Ancestor, i: number) => todo.length === 0 && goals[i] === goals[i + 1]
  const root = above.findIndex((ancestor, i) => !isPassedOn(ancestor, i))
  return above.flatMap((ancestor, i) => [
    ...(isPassedOn(ancestor, i) ? [] : [ancestorSection(ancestor, i === root)]),
    foundSection(context, ancestor.path),
  ])
}

function ancestorSection({ path, goal, todo }: Ancestor, isRoot: boolean): Section {
  const title = isRoot ? 'All of this serves this goal:' : 'Which is part of it:'
  const items: Item[] = [{ text: goalText(goal), ref: `${path} goal` }]
  if (todo.length > 0) items.push({ about: 'with this plan:', text: todoText(todo), ref: `${path} plan` })
  return { need: isRoot ? 'first' : 'then', title, items, ref: `${path} task` }
}

function foundSection(context: Context, path: string): Section {
  const items = foundItems(context, path)
  return { need: 'then', title: 'What was found for it so far:', items, ref: `${path} results` }
}

/** What the block has found with tools of its own; or what a block above had found with its tools. */
export function toolsSection(context: Context, path = context.path): Section {
  const items = toolItems(context, path)
  return { need: 'then', title: 'What was found with tools:', items, ref: `${path} results` }
}

/** What the block at this path has found with tools of its own. */
export function toolItems(context: Context, path: string): Item[] {
  return context.known().flatMap((entry) => (isToolOf(entry, path) ? toolItem(entry) : []))
}

/** The results of the block's children, each under its sub-goal. */
export function resultsSection(context: Context): Section {
  const items = childResults(context).map((entry, i) => childItem(entry, i + 1))
  return { need: 'first', title: 'Results so far:', items, ref: `${context.path} results` }
}

/**
 * What the block has found: with its tools before its first sub-goal, and from there on in the order in which it came, since a
 * sub-goal may have changed what was looked at before it.
 */
export function ownSections(context: Context): Section[] {
  const { path } = context
  const entries = foundEntries(context, path)
  const first = entries.findIndex((entry) => isChildOf(entry, path))
  const begin = first === -1 ? entries.length : first
  return [
    { ...toolsSection(context), items: itemsOf(entries.slice(0, begin)) },
    { ...resultsSection(context), items: itemsOf(entries.slice(begin)) },
  ]
}

/** The results of the block's children as they came, those done again included: what a conversation is told. */
export function childResults(context: Context): readonly TimelineEntry[] {
  return context.known().filter((entry) => isChildOf(entry, context.path))
}

/** What the kernel noticed: a repetition that brings nothing new. It belongs to what changes from request to request. */
export function noticeText(context: Context): string {
  const notices = context.known().filter(({ kind, path }) => kind === 'notice' && path === context.path)
  return notices.map(({ text }) => `Notice: ${text}\n`).join('')
}

/** A rule for requests that offer tools: what is not permitted and so can't be done, so that nobody claims to have done it. */
export function withheldRule({ withheld, isAttended }: Context): string {
  if (withheld.length === 0) return ''
  const names = [...new Set(withheld.map(executorId))]
  const why = isAttended ? 'the rules of this run deny their use' : 'nobody is there to permit their use'
  return `Not available in this run, because ${why}: ${names.join(', ')}. What only they could do can't be done now: where the goal needs it, give what can be given and say plainly what was not done.\n`
}

function executorId(tool: string): string {
  return tool.replace(/^executor__/, '')
}

export function todoText(todo: Todo): string {
  return typeof todo === 'string' ? todo : todo.join('\n')
}

/** All that a block above had found, in the order in which it found it. */
export function foundItems(context: Context, path: string): Item[] {
  return itemsOf(foundEntries(context, path))
}

function foundEntries(context: Context, path: string): TimelineEntry[] {
  return context.known().filter((entry) => isToolOf(entry, path) || isChildOf(entry, path))
}

function itemsOf(entries: readonly TimelineEntry[]): Item[] {
  let results = 0
  return entries.map((entry) => (entry.status === undefined ? toolItem(entry) : childItem(entry, ++results)))
}

/** What was read with `read_result` stands elsewhere already (B6). */
function isToolOf({ kind, path, about, status }: TimelineEntry, of: string): boolean {
  if (path !== of || about === undefined || status !== undefined) return false
  return kind === 'error' || (kind === 'tool' && !about.startsWith(`${READ_RESULT} `))
}

function isChildOf({ path, status }: TimelineEntry, of: string): boolean {
  return status !== undefined && parentPath(path) === of
}

function toolItem({ kind, text, data, about = '', ref }: TimelineEntry): Item {
  const after = kind === 'error' ? ' failed:' : ':'
  return {
    about: ref === undefined ? `${about}${after}` : { text: about, after, ref: `${ref} input` },
    text: data ?? text,
    ...(data !== undefined && { data: 'tool' }),
    ...(ref !== undefined && { ref }),
  }
}

function childItem({ path, text, about = '', ref, status, by }: TimelineEntry, number: number): Item {
  const how = [path, by, status].filter(Boolean).join(', ')
  return {
    about: {
      before: `Result ${number} — sub-goal: `,
      text: about,
      after: ` [${how}]`,
      ref: `${path} goal`,
    },
    text,
    data: 'result',
    ...(ref !== undefined && { ref }),
  }
}
