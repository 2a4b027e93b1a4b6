/**
 * What several requests have in common. What stays the same comes first: rules, actions, tools, the user's own words, the task
 * and its parents, the plan's progress; what changes comes last.
 *
 * Every part is bounded, so that a prompt is too. Texts are cut by what they cost: so many tokens are more characters in English
 * than in Chinese.
 */
import { estimateTokens } from '../../../kernel/budget.ts'
import { type FenceOptions, fence, nonceOf } from '../../../kernel/fence.ts'
import type { Context } from '../../../kernel/strategy.ts'
import { goalText, type KnownTool, type ModelRequest, type Role, shorten } from '../../../protocol/index.ts'
import { twoMessages } from '../../prompt-text.ts'
import type { TaskBrief } from '../schema.ts'
import type { Scope } from '../scope.ts'

/** The most tokens that a prompt of a loop has without the list of tools, after any number of iterations, in any language. */
export const MAX_PROMPT_TOKENS = 50_000

// In tokens.
export const MAX_TASK = 700
export const MAX_PROMPT = 1_500
export const MAX_PROBLEM = 400
/** A closing call is paid from little: what a prompt of one may take of its task and history. */
export const MAX_CLOSING = 1_600
const MAX_REQUEST = 6_000
const MAX_ROOT = 700
const MAX_NAME = 60
const MAX_PARENT = 140
const MAX_CONTEXTS = 4_000
// In characters.
const CHARS_PER_TOKEN = 3
export const MAX_NOTICES = 3_000
export const MAX_PROGRESS = 4_000

const TASK_RULES = `Work on the task in <|CURRENT_TASK|> and on no other. What stands in <|PARENT_TASK|> tells what it is for: do not carry that out yourself.`

const PROGRESS_RULES = `About the progress:
1. [ ] not started, [-] executing, [~] partly done, [x] finished, [/] skipped, [!] aborted; indentation shows what is part of what.
2. CURRENT_TASK is the only task you may advance.
3. Assume no state that is not shown, and finish nothing beforehand.
4. It is read-only: the runtime updates it by what really happened.`

export function request(
  kind: string,
  role: Role,
  input: unknown,
  system: readonly string[],
  user: readonly string[],
  tools?: readonly KnownTool[],
): ModelRequest {
  return {
    kind,
    version: 1,
    role,
    input,
    messages: twoMessages(system, user),
    schema: { type: 'object' },
    ...(tools && { tools }),
  }
}

export function inputOf({ goal, request: words, name, index, attempt, redo }: TaskBrief) {
  return { goal, request: words, name, index, attempt, ...(redo !== undefined && { redo }) }
}

/** The document's sections: what the task is part of, the task, and how the two are meant. */
export function taskTexts(scope: Scope, brief: TaskBrief): string[] {
  const { parents, name, goal, redo, progress, current } = brief
  const above = parents
    .map((parent) => `Task: ${clip(parent.name, MAX_NAME)}\nGoal: ${clip(parent.goal, MAX_PARENT)}`)
    .join('\n')
  const nonce = nonceOf('progress', progress + current)
  return [
    wholeText(scope.context, brief.request),
    userWords(brief.request),
    parents.length === 0 ? '' : `<|PARENT_TASK|>\n${above}\n<|PARENT_TASK_END|>\n\n`,
    `<|CURRENT_TASK|>\nTask: ${clip(name, MAX_NAME)}\nGoal: ${clip(goal, MAX_TASK)}\n<|CURRENT_TASK_END|>\n\n`,
    `<|INSTRUCTION|>\n${TASK_RULES}${redo === undefined ? '' : `\nIt was done before, and a person wants it done again: ${clip(redo, MAX_TASK)}`}\n<|INSTRUCTION_END|>\n\n`,
    progress === ''
      ? ''
      : `<|PROGRESS_TASK_${nonce}|>\n${progress}\n\n--- CURRENT_TASK ---\n${current}\n--- CURRENT_TASK_END ---\n<|PROGRESS_TASK_END_${nonce}|>\n${PROGRESS_RULES}\n\n`,
    contextTexts(scope),
  ]
}

/** Of a plan within a plan: what the whole run is for, in the words it was asked in. */
export function wholeText({ ancestors }: Context, words: string): string {
  const root = ancestors.at(-1)
  const whole = root === undefined ? '' : goalText(root.goal)
  if (whole === '' || whole === words) return ''
  return `All of this serves:\n${tagged('WHOLE_REQUEST', 'whole', clip(whole, MAX_ROOT))}`
}

export function userWords(words: string, maxTokens = MAX_REQUEST): string {
  return tagged('USER_REQUEST', 'request', clip(words, maxTokens))
}

/** In tags that nothing in the text can close. */
function tagged(tag: string, label: string, text: string): string {
  const nonce = nonceOf(label, text)
  return `<|${tag}_${nonce}|>\n${text}\n<|${tag}_END_${nonce}|>\n\n`
}

/** However many there are, they share the same room. */
export function contextTexts({ options }: Scope): string {
  const { contexts } = options
  const room = Math.floor(MAX_CONTEXTS / Math.max(1, contexts.length))
  return contexts.map(({ name, text }) => `${clipFence(name, text, room)}\n`).join('')
}

export function promptOf({ options }: Scope): string {
  return options.prompt === undefined ? '' : `${clip(options.prompt, MAX_PROMPT)}\n`
}

/** The text, or its beginning in about so many tokens. */
export function clip(text: string, maxTokens: number): string {
  return estimateTokens(text) <= maxTokens ? text : shorten(text, roomFor(text, maxTokens))
}

/** In a fence: head and tail in about so many tokens. */
export function clipFence(
  label: string,
  text: string,
  maxTokens: number,
  options: Pick<FenceOptions, 'ref'> = {},
): string {
  const maxChars = estimateTokens(text) <= maxTokens ? text.length : roomFor(text, maxTokens)
  return fence(label, text, { ...options, maxChars })
}

/** What is plain letters at both ends may be three times as long; a character never takes more than a token. */
function roomFor(text: string, maxTokens: number): number {
  const chars = maxTokens * CHARS_PER_TOKEN
  const half = Math.ceil(chars / 2)
  const head = estimateTokens(text.slice(0, chars))
  const ends = estimateTokens(text.slice(0, half)) + estimateTokens(text.slice(-half))
  return Math.max(head, ends) <= maxTokens * 1.1 ? chars : maxTokens
}
