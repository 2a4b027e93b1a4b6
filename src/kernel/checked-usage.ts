/**
 * Checks the usage that a model or tool object reports. Budgets count it, so it must be plain numbers:
 *
 * 1. A count that is missing, no number, negative or beyond belief is replaced by the estimate, and the step's record names the problem.
 * 2. So is a count of 0, unless the call may be free: a person's answer, a model that declares `free`, or a call whose parts were paid.
 * 3. So is an input far below the size of the prompt.
 */
import { errorText, isObject, type ModelRequest, messageText } from '../protocol/index.ts'
import { countTokens } from './brief/count-tokens.ts'
import { estimateTokens, tokensIn } from './budget.ts'
import { type CallUsage, isUsd } from './model-cost.ts'
import { requestTokens } from './model-effect.ts'
import { plainValue } from './plain-value.ts'

export interface CheckedUsage {
  readonly usage: CallUsage
  /** The problem with the reported usage, if an estimate replaced it. */
  readonly problem?: string
}

export interface UsageCheck {
  readonly request: ModelRequest
  /** The size of the reply, for the estimate. */
  saidBytes(): number
  /** The model has a price: a cost that was reported for other counts is left out, because the price gives the cost of the estimate. */
  readonly isPriced: boolean
  /** A count of 0 may be true. */
  readonly mayBeFree: boolean
}

export function checkedUsage(given: unknown, check: UsageCheck): CheckedUsage {
  const { request, saidBytes, isPriced, mayBeFree } = check
  const problems: string[] = []
  const reported = plainUsage(given, problems)
  const read = (name: keyof CallUsage, isOptional = false) => amountOf(reported, name, problems, isOptional)
  const [input, output] = [read('inputTokens'), read('outputTokens')]
  const [cached, lost] = [read('cachedInputTokens', true), read('lostTokens', true)]
  const costUsd = read('costUsd', true)
  const sent = requestTokens(request, 0)
  const isLow = input !== undefined && isFarBelow(input, sent, request, mayBeFree)
  if (isLow) problems.push(`inputTokens ${input} is far below the ${sent} that were sent`)
  const isMute = output === 0 && !mayBeFree && saidBytes() > 0
  if (isMute) problems.push(`outputTokens is 0, and the reply has ${saidBytes()} bytes`)
  const isWhole = input !== undefined && output !== undefined && !isLow && !isMute
  const usage: CallUsage = {
    inputTokens: input === undefined || isLow ? sent : input,
    outputTokens: output === undefined || isMute ? tokensIn(saidBytes()) : output,
  }
  if (cached !== undefined) usage.cachedInputTokens = Math.min(cached, usage.inputTokens)
  if (lost !== undefined) usage.lostTokens = lost
  if (costUsd !== undefined && (isWhole || !isPriced)) usage.costUsd = costUsd
  return problems.length === 0 ? { usage } : { usage, problem: problems.join('; ') }
}

/** Checks an amount that a tool reports with `io.spend`. `input`: of the call, for the estimate. */
export function checkedSpending(inputTokens: unknown, input: unknown): { tokens: number; problem?: string } {
  if (isTokens(inputTokens)) return { tokens: inputTokens }
  const problem = `io.spend(${shown(inputTokens)}): not a number of tokens`
  return { tokens: estimateTokens(JSON.stringify(input) ?? ''), problem }
}

/** Of one call. No model takes as much, and the sums of a run stay exact. */
const MOST_TOKENS = 1e9

function plainUsage(given: unknown, problems: string[]): Record<string, unknown> {
  try {
    if (isObject(given)) return { ...given }
  } catch (thrown) {
    problems.push(errorText(thrown))
    return {}
  }
  problems.push(`usage is ${shown(given)}`)
  return {}
}

function amountOf(
  reported: Record<string, unknown>,
  name: keyof CallUsage,
  problems: string[],
  isOptional: boolean,
): number | undefined {
  const value = reported[name]
  if (name === 'costUsd' ? isUsd(value) : isTokens(value)) return value as number
  const isAbsent = value === undefined && (isOptional || problems.length > 0)
  if (!isAbsent) problems.push(`${name} is ${shown(value)}`)
  return undefined
}

function isTokens(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MOST_TOKENS
}

/** `sent` is an upper bound, so a large prompt is counted as well before its input is called too low. There are no fractions of a token. */
function isFarBelow(inputTokens: number, sent: number, request: ModelRequest, mayBeFree: boolean): boolean {
  if (sent === 0) return false
  if (inputTokens === 0) return !mayBeFree
  if (inputTokens < 1) return true
  return (
    sent > LARGE_PROMPT &&
    inputTokens * MOST_BELOW < sent &&
    inputTokens * MOST_BELOW < countedTokens(request)
  )
}

/** A small prompt is worth less than the error of a warning. */
const LARGE_PROMPT = 2_000
/** No tokenizer counts a quarter of what `countTokens` counts in text of any language. */
const MOST_BELOW = 4

function countedTokens({ messages }: ModelRequest): number {
  return messages.reduce((tokens, message) => tokens + countTokens(messageText(message)), 0)
}

/** `NaN`, `"50"`, `missing`; never throws. */
function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'bigint') return `${value}n`.slice(0, MAX_SHOWN)
  if (value === null || typeof value === 'number') return String(value)
  try {
    return JSON.stringify(plainValue(value, { maxBytes: MAX_SHOWN })) ?? `a ${typeof value}`
  } catch {
    return `a ${typeof value}`
  }
}

const MAX_SHOWN = 100
