/** Checks what a model object returned: a plain copy that is a reply, or an error that names what is wrong with it. */
import { errorText, isObject, type ModelReply, ThinkonError, tooDeep } from '../protocol/index.ts'
import { NotPlain, plainValue } from './plain-value.ts'

/** A reply whose usage is not checked yet. */
export type UnpaidReply = Omit<ModelReply, 'usage'> & { readonly usage?: unknown }

/** Throws MODEL_ERROR for anything but a reply, and NotPlain for one that is too large. Leaves out the usage: see checkedUsage. */
export function checkedReply(given: unknown, maxBytes: number): UnpaidReply {
  const reply = plainPart(withoutUsage(given), 'reply', maxBytes)
  if (!isObject(reply) || typeof reply.text !== 'string')
    throw wrong('no reply: it needs a "text" and a "usage"')
  for (const [name, check] of Object.entries(FIELDS)) {
    const problem = reply[name] === undefined ? null : check(reply[name], name)
    if (problem !== null) throw wrong(`a reply in which ${problem}`)
  }
  return reply as unknown as UnpaidReply
}

/** A part of a reply, or of a call of it, as JSON. Throws MODEL_ERROR, and NotPlain if it is too large. */
export function plainPart(given: unknown, what: string, maxBytes: number): unknown {
  try {
    return plainValue(given, { maxBytes })
  } catch (thrown) {
    if (!(thrown instanceof NotPlain) || thrown.kind === 'large') throw thrown
    if (thrown.kind === 'deep') throw tooDeep(`the ${what}`, 'MODEL_ERROR')
    throw new ThinkonError('MODEL_ERROR', `the model's ${what} is not JSON: ${thrown.message}`)
  }
}

function withoutUsage(given: unknown): unknown {
  try {
    if (!isObject(given)) return given
    const { usage: _, ...reply } = given
    return reply
  } catch (thrown) {
    throw wrong(`a reply that can't be read: ${errorText(thrown)}`)
  }
}

/** Each returns what is wrong with its field, or null. */
const FIELDS: Readonly<Record<string, (value: unknown, name: string) => string | null>> = {
  toolCalls: listOf(toolCallProblem),
  reasoning: listOf((part, at) =>
    isObject(part) ? textProblem(part.text, `${at}.text`) : `${at} is no object`,
  ),
  model: textProblem,
  usageEstimated: flagProblem,
  cutOff: flagProblem,
  cutAt: countProblem,
  repairs: listOf(textProblem),
  asks: countProblem,
}

function listOf(check: (item: unknown, at: string) => string | null) {
  return (value: unknown, name: string): string | null => {
    if (!Array.isArray(value)) return `"${name}" is ${kindOf(value)} instead of a list`
    for (const [i, item] of value.entries()) {
      const problem = check(item, `${name}[${i}]`)
      if (problem !== null) return problem
    }
    return null
  }
}

function toolCallProblem(call: unknown, at: string): string | null {
  if (!isObject(call)) return `${at} is ${kindOf(call)} instead of a call of a tool`
  if (!call.name) return `${at} has no name`
  if (!('input' in call)) return `${at} has no input that is JSON; a call without arguments has {}`
  return textProblem(call.id, `${at}.id`) ?? textProblem(call.name, `${at}.name`)
}

function textProblem(value: unknown, at: string): string | null {
  return typeof value === 'string' ? null : `${at} is ${kindOf(value)} instead of a text`
}

function flagProblem(value: unknown, at: string): string | null {
  return typeof value === 'boolean' ? null : `${at} is ${kindOf(value)} instead of true or false`
}

function countProblem(value: unknown, at: string): string | null {
  return Number.isSafeInteger(value) && (value as number) > 0 ? null : `${at} is no positive whole number`
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'missing'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

function wrong(what: string): ThinkonError {
  return new ThinkonError('MODEL_ERROR', `the model returned ${what}`)
}
