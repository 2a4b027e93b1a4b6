/**
 * What is wrong with an event as it was read: whoever folds, draws or resumes a run relies on these fields. Others may be missing in older
 * journals, and unknown types may come from newer ones.
 */
import { core4Problem, type Event, isObject } from '../protocol/index.ts'

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText)
const isGoal: Check = (value) => isText(value) || (isObject(value) && core4Problem(value) === null)
const isUsage: Check = (value) => isObject(value) && typeof value.calls === 'number'
const isReserve: Check = (value) =>
  isObject(value) && typeof value.calls === 'number' && typeof value.tokens === 'number'
const isResult: Check = (value) =>
  isObject(value) && (value.ok === true || (value.ok === false && isError(value.error)))
const isReply: Check = (value) =>
  isResult(value) && ((value as { ok: boolean }).ok === false || hasText((value as { value: unknown }).value))
const isOutcome: Check = (value) =>
  isObject(value) && isText(value.status) && isText(value.result) && isUsage(value.usage)

function isError(value: unknown): boolean {
  return isObject(value) && isText(value.code) && isText(value.message)
}

function hasText(value: unknown): boolean {
  return isObject(value) && isText(value.text)
}

const NEEDS: { readonly [T in Event['type']]?: Readonly<Record<string, Check>> } = {
  'run-start': { goal: isGoal, strategy: isText, limits: isObject, config: isObject },
  'run-wait': { steps: Array.isArray },
  'run-fork': { from: isText },
  'run-end': { status: isText },
  'block-start': { goal: isGoal, strategy: isText, kept: isReserve, left: isObject },
  'block-end': { outcome: isOutcome, left: isObject },
  'todo-set': { todo: (value) => isText(value) || isTexts(value) },
  'done-add': { from: isTexts },
  'model-start': { request: isObject, reserve: isReserve },
  'model-end': { result: isReply, usage: isUsage, left: isObject },
  'tool-start': { name: isText, reserve: isReserve },
  'tool-end': { result: isResult, usage: isUsage, left: isObject },
  'part-start': { reserve: isReserve },
  'part-end': { usage: isUsage },
  'signal-asked': { name: isText },
  'signal-answered': { name: isText, result: isResult, left: isObject },
  'signal-taken': { name: isText },
  'loop-found': { what: isText },
  note: { name: isText },
}

/** Null for an event that can be used. */
export function eventProblem(event: Event): string | null {
  const fields = event as unknown as Record<string, unknown>
  const wrong = Object.entries(NEEDS[event.type] ?? {}).find(([name, holds]) => !holds(fields[name]))
  if (wrong === undefined) return null
  const [name] = wrong
  const what = fields[name] === undefined ? 'is missing' : 'is not what it should be'
  return `event ${event.seq} of run ${event.run} (${event.type}) can't be used: "${name}" ${what}`
}
