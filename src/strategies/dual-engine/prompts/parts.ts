/** What several requests have in common. Every part is bounded, so that a prompt is too. */
import { nonceOf } from '../../../kernel/fence.ts'
import type { Context } from '../../../kernel/strategy.ts'
import { goalText, type KnownTool, type ModelRequest, type Role } from '../../../protocol/index.ts'
import { twoMessages } from '../../prompt-text.ts'
import type { TaskBrief } from '../schema.ts'
import type { Scope } from '../scope.ts'
import { clip, clipFence } from './clip.ts'

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
  const shown = clip(whole, MAX_ROOT)
  const nonce = nonceOf('whole', shown)
  return `All of this serves:\n<|WHOLE_REQUEST_${nonce}|>\n${shown}\n<|WHOLE_REQUEST_END_${nonce}|>\n\n`
}

/** The user's own words, in tags that nothing in them can close. */
export function userWords(words: string, maxTokens = MAX_REQUEST): string {
  const shown = clip(words, maxTokens)
  const nonce = nonceOf('request', shown)
  return `<|USER_REQUEST_${nonce}|>\n${shown}\n<|USER_REQUEST_END_${nonce}|>\n\n`
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
