/**
 * What a goal needs that thinking can't give: files, commands, the network. Only what its words say clearly; the rest is for the
 * classification. A mistake costs little where there are tools, since strategies with tools may answer without them.
 */
import type { KnownTool } from '../../protocol/index.ts'
import {
  CODE_CHANGE,
  COMMANDS,
  FILE_NAMES,
  FILES,
  HERE,
  HOW_TO,
  LARGE_WORK,
  NETWORK,
  TROUBLE,
  URL,
} from './goal-words.ts'
import { NEEDS, type Need } from './notes.ts'

export function needsOf(goal: string): readonly Need[] {
  const text = instructionOf(goal)
  // "How do I install Docker?" asks for words, and so does "What is a package.json?".
  if (HOW_TO.test(text) && !HERE.test(text)) return URL.test(text) ? ['network'] : []
  const found = new Set<Need>()
  if (matches(FILE_NAMES, text) || (!PASTED.test(goal) && POINTED.some((words) => matches(words, text))))
    found.add('files')
  if (matches(COMMANDS, text) || isTrouble(text)) found.add('commands')
  if (matches(NETWORK, text)) found.add('network')
  return NEEDS.filter((need) => found.has(need))
}

const PASTED = /```/

/** Where a goal brings its text along, "this function" is that text. */
const POINTED = [FILES, CODE_CHANGE, LARGE_WORK]

/** Something of the person's own that fails or is slow: finding out why needs a look at it. */
export function isTrouble(text: string): boolean {
  return matches(TROUBLE, text)
}

export function matches(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text))
}

/** Whether the run has anything to look or act with: executors, or tools that reach beyond the conversation. */
export function canAct(tools: readonly KnownTool[], hiddenTools: readonly KnownTool[]): boolean {
  return (
    tools.some(({ name }) => !WITHIN.includes(name)) ||
    hiddenTools.some(({ executor }) => executor !== undefined)
  )
}

/** Tools that show nothing but the conversation itself. */
const WITHIN: readonly string[] = ['calculate', 'ask_user', 'read_result']

const MAX_END = 1_000

/** What is pasted into a goal has file names and errors of its own: only the words around it say what is to be done. */
export function instructionOf(goal: string): string {
  const text = goal.replace(/```[\s\S]*?(```|$)/g, ' ')
  return text.length <= 2 * MAX_END ? text : `${text.slice(0, MAX_END)}\n${text.slice(-MAX_END)}`
}
