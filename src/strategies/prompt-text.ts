/**
 * The parts that strategies' prompts have in common. Each is bounded, and so is a prompt, however deep its block and however
 * long its history.
 */
import type { Context } from '../kernel/strategy.ts'
import {
  type Ancestor,
  goalText,
  type KnownTool,
  type ModelRequest,
  oneLine,
  shorten,
  type TimelineEntry,
  type Todo,
} from '../protocol/index.ts'

export const MAX_GOAL = 2_000
export const MAX_TODO = 3_000
const MAX_ANCESTORS = 8
const MAX_ANCESTOR = 160
const WHOLE_RESULTS = 6
const MAX_RESULT = 1_200
const SHORT_RESULTS = 40
const MAX_SHORT = 120

/** The two messages of a request: what stays the same, and what changes. */
export function twoMessages(
  system: string | readonly string[],
  user: string | readonly string[],
): ModelRequest['messages'] {
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ]
}

/** The goal of the whole run; empty at the root, whose own goal it is. */
export function rootText({ ancestors }: Context): string {
  const root = ancestors.at(-1)
  return root === undefined ? '' : `All of this serves: ${shorten(goalText(root.goal), MAX_GOAL)}\n`
}

/** The nearest ancestors, in short, from the top down. */
export function aboveText({ ancestors }: Context): string {
  if (ancestors.length < 2) return ''
  const shown = ancestors.slice(0, MAX_ANCESTORS).reverse()
  const line = ({ path, goal, todo }: Ancestor) =>
    `- ${path}: ${shorten(oneLine(goalText(goal)), MAX_ANCESTOR)} | plan: ${shorten(oneLine(todoText(todo)), MAX_ANCESTOR)}\n`
  return `Above this goal:\n${shown.map(line).join('')}`
}

/** The newest results whole, older ones in a line each, the oldest only counted. */
export function doneText(done: readonly string[]): string {
  if (done.length === 0) return 'Results: none yet.\n'
  const whole = Math.max(0, done.length - WHOLE_RESULTS)
  const short = Math.max(0, whole - SHORT_RESULTS)
  const lines = done.slice(short).map((text, i) => {
    const n = short + i
    return `${n + 1}. ${n < whole ? shorten(oneLine(text), MAX_SHORT) : shorten(text, MAX_RESULT)}\n`
  })
  const left = short > 0 ? `(${short} earlier results are not shown)\n` : ''
  return `Results (${done.length}):\n${left}${lines.join('')}`
}

export function timelineText(
  context: Context,
  maxChars: number,
  kinds?: readonly TimelineEntry['kind'][],
): string {
  const text = context.timeline(maxChars, kinds)
  return text === '' ? '' : `What happened:\n${text}\n`
}

export function toolLines(tools: readonly KnownTool[]): string {
  return tools
    .map(({ name, description, schema }) => `- ${name}: ${description} ${JSON.stringify(schema)}\n`)
    .join('')
}

export function todoText(todo: Todo): string {
  return typeof todo === 'string' ? todo || '(none yet)' : todo.join('\n')
}
