/**
 * Reviews: of a plan before it is carried out, of a task when it has ended, of a blueprint's parameters. Nobody is asked with
 * `auto`; with `ai` a person is, where a model sees a risk. An answer is a word, a word with a text behind a colon, or an
 * object; a waiting review is a question like any other, and survives a restart.
 */
import type { Op } from '../../../kernel/durable.ts'
import type { Context } from '../../../kernel/strategy.ts'
import { goalText, isObject, type ModelReply, shorten } from '../../../protocol/index.ts'
import { langOf } from '../../../views/words.ts'
import { tryValue } from '../../read-value.ts'
import type { PlanTask } from '../plan/plan-schema.ts'
import { riskPrompt } from '../prompts/index.ts'
import type { Params } from '../react/action.ts'
import { resultOf } from '../react/loop.ts'
import type { DualOptions } from '../schema.ts'
import { choiceOf, REVIEWS, type ReviewName } from './review-words.ts'

/** How often parameters are asked about; whoever never says yes does not want them. */
const MAX_ASKS = 3

/** A change of the tree, by names, indices or ids. */
export type Edit =
  | { readonly do: 'rename'; readonly task: string; readonly name?: string; readonly goal?: string }
  | { readonly do: 'remove'; readonly task: string }
  | { readonly do: 'add'; readonly under?: string; readonly at?: number; readonly tasks: readonly PlanTask[] }
  | { readonly do: 'reorder'; readonly under?: string; readonly order: readonly string[] }

export type PlanReview =
  | { readonly choice: 'continue' }
  /** The plan is unclear or incomplete: it is made again with these words. */
  | { readonly choice: 'revise'; readonly words: string }
  | { readonly choice: 'edit'; readonly edits: readonly Edit[] }
  /** These tasks get sub-tasks. */
  | { readonly choice: 'subtasks'; readonly tasks: readonly string[]; readonly words: string }
  | { readonly choice: 'end' }

export type TaskReview =
  | { readonly choice: 'continue' }
  | { readonly choice: 'adjust'; readonly words: string }
  | { readonly choice: 'deeper'; readonly words: string }
  | { readonly choice: 'inaccurate'; readonly words: string }
  | { readonly choice: 'end' }

/** `problems`: what could not be done of the last answer. */
export async function reviewPlan(
  context: Context<DualOptions>,
  progress: string,
  problems: readonly string[] = [],
): Promise<PlanReview> {
  const about = [...problems.map((problem) => `! ${problem}`), progress].join('\n')
  const asked = await askPerson(context, 'review-plan', about)
  return asked === null ? { choice: 'continue' } : readPlanReview(asked)
}

/** What else may come in while a person thinks about it. */
export interface Meanwhile {
  inbox(): Op
  take(): Promise<void>
}

/** Null where nobody is asked. */
export async function reviewTask(
  context: Context<DualOptions>,
  about: string,
  meanwhile: Meanwhile,
): Promise<TaskReview | null> {
  const asked = await askPerson(context, 'review-task', about, meanwhile)
  return asked === null ? null : readTaskReview(asked)
}

/** The parameters as they are to be used; null where a person does not want it. */
export async function reviewParams(
  context: Context<DualOptions>,
  name: string,
  params: Params,
): Promise<Params | null> {
  const about = `${name}: ${JSON.stringify(params)}`
  let problem = ''
  for (let asks = 0; asks < MAX_ASKS; asks++) {
    const asked = await askPerson(context, 'review-params', `${problem}${about}`)
    const edited = objectIn(asked)
    if (edited !== null) return { ...params, ...edited }
    if (asked === null || saysNothing(asked)) return params
    const { word } = read(asked)
    if (word === 'continue') return params
    if (word === 'end') return null
    // "no", "the wrong folder": whatever it means, it is not a yes.
    problem = `! ${shorten(String(asked), 200)} ?\n`
  }
  return null
}

/** What the person said; null where nobody is asked. */
async function askPerson(
  context: Context<DualOptions>,
  name: ReviewName,
  about: string,
  meanwhile?: Meanwhile,
): Promise<unknown> {
  const { review, riskThreshold, allowUserInteract } = context.options
  if (review === 'auto' || !allowUserInteract) return null
  const { what, how } = REVIEWS[langOf(goalText(context.block.goal))][name]
  if (review === 'ai') {
    const { risk, reason } = await riskOf(context, what, about)
    context.emit('dual/risk-judged', { what: name, risk, reason })
    if (risk < riskThreshold) return null
  }
  // A free text is an answer, too, so that the choices are told in the text and not offered as the only ones.
  const text = `${what}\n${about}\n(${how.join(' | ')})`
  const op = context.ask({ text, fallback: 'continue' }, { name })
  while (meanwhile !== undefined && (await context.first([op, meanwhile.inbox()])) === 1)
    await meanwhile.take()
  return context.one(op)
}

/** What can't be judged is a risk. */
async function riskOf(context: Context<DualOptions>, what: string, about: string) {
  const reply = await resultOf(context, context.model(riskPrompt(context, what, about)))
  const value = reply.ok ? tryValue(reply.value as ModelReply) : undefined
  const { risk, reason } = (value ?? {}) as { risk?: unknown; reason?: unknown }
  const known = typeof risk === 'number' && risk >= 0 && risk <= 1
  return {
    risk: known ? risk : 1,
    reason: typeof reason === 'string' ? shorten(reason, 300) : 'it could not be judged',
  }
}

export function readPlanReview(answer: unknown): PlanReview {
  const { word, of, words } = read(answer)
  const object = objectIn(answer)
  if (Array.isArray(object?.edits)) return { choice: 'edit', edits: object.edits as Edit[] }
  if (saysNothing(answer)) return { choice: 'continue' }
  switch (word) {
    case 'continue':
      return { choice: 'continue' }
    case 'end':
      return { choice: 'end' }
    case 'subtasks':
      return { choice: 'subtasks', tasks: of, words }
    case 'remove':
      return { choice: 'edit', edits: of.map((task) => ({ do: 'remove', task })) }
    case 'rename':
      return { choice: 'edit', edits: of.slice(0, 1).map((task) => ({ do: 'rename', task, name: words })) }
    default:
      return { choice: 'revise', words: object === null ? String(answer) : words || JSON.stringify(object) }
  }
}

export function readTaskReview(answer: unknown): TaskReview {
  const { word, words } = read(answer)
  if (word === 'adjust' || word === 'deeper' || word === 'inaccurate') return { choice: word, words }
  if (word === 'end') return { choice: 'end' }
  if (word === 'continue' || saysNothing(answer)) return { choice: 'continue' }
  const object = objectIn(answer)
  return { choice: 'adjust', words: object === null ? String(answer) : words || JSON.stringify(object) }
}

function saysNothing(answer: unknown): boolean {
  const object = objectIn(answer)
  return object === null ? String(answer ?? '').trim() === '' : Object.keys(object).length === 0
}

/** `word of, of: words`, or {choice, tasks, words}. */
function read(answer: unknown): { word: string; of: string[]; words: string } {
  const object = objectIn(answer)
  if (object !== null) {
    const { choice, tasks, words } = object
    return {
      word: typeof choice === 'string' ? choiceOf(choice) : '',
      of: Array.isArray(tasks) ? tasks.filter((task) => typeof task === 'string') : [],
      words: typeof words === 'string' ? words : '',
    }
  }
  const [, word = '', of = '', words = ''] =
    /^\s*(\S+?)(?:\s+([^:：]*))?(?:[:：]\s*([\s\S]*))?$/.exec(String(answer)) ?? []
  const meant = choiceOf(word)
  // "go ahead" is a yes; "go back to the first one" and "stop using the shell" say more than yes or no.
  if (meant === 'continue' || meant === 'end') {
    const whole = choiceOf(String(answer).trim())
    return { word: whole === 'continue' || whole === 'end' ? whole : '', of: [], words: String(answer) }
  }
  const [ref = '', ...rest] = of.trim().split(/\s+/)
  // `rename 1-2 tidy up`, without the colon
  if (words.trim() === '' && meant === 'rename') return { word: 'rename', of: [ref], words: rest.join(' ') }
  return { word: meant, of: refsOf(of), words: words.trim() === '' ? of : words }
}

/** Indices and ids stand beside each other; names may have spaces, and then only commas part them. */
function refsOf(text: string): string[] {
  const parts = (by: RegExp) =>
    text
      .split(by)
      .map((part) => part.trim())
      .filter((part) => part !== '')
  const words = parts(/[,，、\s]+/)
  return words.every((word) => /^(\d+(-\d+)*|t\d+)$/.test(word)) ? words : parts(/[,，、]+/)
}

function objectIn(answer: unknown): Record<string, unknown> | null {
  let value = answer
  if (typeof value === 'string' && value.trim().startsWith('{')) {
    try {
      value = JSON.parse(value)
    } catch {
      return null
    }
  }
  return isObject(value) ? value : null
}
