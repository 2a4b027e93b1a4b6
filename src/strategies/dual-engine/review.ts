/**
 * Reviews: of a plan before it is carried out, of a task when it has ended, of a blueprint's parameters. Nobody is asked with
 * `auto`; with `ai` a person is, where a model sees a risk. An answer is a word, a word with a text behind a colon, or an
 * object; a waiting review is a question like any other, and survives a restart.
 */
import type { Context } from '../../kernel/strategy.ts'
import type { ModelReply } from '../../protocol/index.ts'
import { cut } from '../prompt-text.ts'
import { tryValue } from '../read-value.ts'
import type { Params } from './action.ts'
import { resultOf } from './loop.ts'
import type { DualOptions } from './options.ts'
import type { PlanTask } from './plan-schema.ts'
import { riskPrompt } from './prompts.ts'

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

const PLAN_CHOICES = [
  'continue',
  'unclear: …',
  'incomplete: …',
  'subtasks 1-2: …',
  'remove 1-2',
  'rename 1-2: …',
  'end',
]
const TASK_CHOICES = ['continue', 'adjust: …', 'deeper: …', 'inaccurate: …', 'end']

export async function reviewPlan(context: Context<DualOptions>, progress: string): Promise<PlanReview> {
  const asked = await askPerson(context, 'review-plan', 'The plan', progress, PLAN_CHOICES)
  return asked === null ? { choice: 'continue' } : readPlanReview(asked)
}

/** Null where nobody is asked. */
export async function reviewTask(context: Context<DualOptions>, about: string): Promise<TaskReview | null> {
  const asked = await askPerson(context, 'review-task', 'A task has ended', about, TASK_CHOICES)
  return asked === null ? null : readTaskReview(asked)
}

/** The parameters as they are to be used. */
export async function reviewParams(
  context: Context<DualOptions>,
  name: string,
  params: Params,
): Promise<Params> {
  const about = `${name}: ${JSON.stringify(params)}`
  const asked = await askPerson(context, 'review-params', 'The parameters of a blueprint', about, [
    'continue',
    '{…}',
  ])
  const edited = asked === null ? null : objectIn(asked)
  return edited === null ? params : { ...params, ...edited }
}

/** What the person said; null where nobody is asked. */
async function askPerson(
  context: Context<DualOptions>,
  name: string,
  what: string,
  about: string,
  choices: readonly string[],
): Promise<unknown> {
  const { review, riskThreshold, allowUserInteract } = context.options
  if (review === 'auto' || !allowUserInteract) return null
  if (review === 'ai') {
    const { risk, reason } = await riskOf(context, what, about)
    context.emit('dual/risk-judged', { what: name, risk, reason })
    if (risk < riskThreshold) return null
  }
  // A free text is an answer, too, so that the choices are told in the text and not offered as the only ones.
  const text = `${what}:\n${about}\n(${choices.join(' | ')})`
  return context.one(context.ask({ text, fallback: 'continue' }, { name }))
}

/** What can't be judged is a risk. */
async function riskOf(context: Context<DualOptions>, what: string, about: string) {
  const reply = await resultOf(context, context.model(riskPrompt(context, what, about)))
  const value = reply.ok ? tryValue(reply.value as ModelReply) : undefined
  const { risk, reason } = (value ?? {}) as { risk?: unknown; reason?: unknown }
  const known = typeof risk === 'number' && risk >= 0 && risk <= 1
  return {
    risk: known ? risk : 1,
    reason: typeof reason === 'string' ? cut(reason, 300) : 'it could not be judged',
  }
}

export function readPlanReview(answer: unknown): PlanReview {
  const { word, of, words } = read(answer)
  const object = objectIn(answer)
  if (Array.isArray(object?.edits)) return { choice: 'edit', edits: object.edits as Edit[] }
  switch (word) {
    case 'continue':
    case 'yes':
    case 'ok':
    case '继续':
      return { choice: 'continue' }
    case 'end':
    case 'stop':
    case '结束':
      return { choice: 'end' }
    case 'subtasks':
      return { choice: 'subtasks', tasks: of, words }
    case 'remove':
      return { choice: 'edit', edits: of.map((task) => ({ do: 'remove', task })) }
    case 'rename':
      return { choice: 'edit', edits: of.map((task) => ({ do: 'rename', task, name: words })) }
    default:
      return { choice: 'revise', words: object === null ? String(answer) : words || JSON.stringify(object) }
  }
}

export function readTaskReview(answer: unknown): TaskReview {
  const { word, words } = read(answer)
  if (word === 'adjust' || word === 'deeper' || word === 'inaccurate') return { choice: word, words }
  if (word === 'end' || word === 'stop' || word === '结束') return { choice: 'end' }
  if (['continue', 'yes', 'ok', '继续', ''].includes(word)) return { choice: 'continue' }
  return { choice: 'adjust', words: String(answer) }
}

/** `word of, of: words`, or {choice, tasks, words}. */
function read(answer: unknown): { word: string; of: string[]; words: string } {
  const object = objectIn(answer)
  if (object !== null) {
    const { choice, tasks, words } = object
    return {
      word: typeof choice === 'string' ? choice : '',
      of: Array.isArray(tasks) ? tasks.filter((task) => typeof task === 'string') : [],
      words: typeof words === 'string' ? words : '',
    }
  }
  const [, word = '', of = '', words = ''] =
    /^\s*(\S+?)(?:\s+([^:：]*))?(?:[:：]\s*([\s\S]*))?$/.exec(String(answer)) ?? []
  return {
    word: word.toLowerCase(),
    of: of.split(/[,，、\s]+/).filter((ref) => ref !== ''),
    words: words.trim() === '' ? of : words,
  }
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
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}
