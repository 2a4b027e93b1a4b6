/** The cost of a model call by the model's `cost()`, which is not trusted: it may throw, or return anything. */
import { errorText, ThinkonError, type Usage } from '../protocol/index.ts'
import type { Model } from './model.ts'

export type CallUsage = Omit<Usage, 'calls'>

/** Of one call. */
const MOST_USD = 1e6

/** Undefined for a model without a price. Throws MODEL_ERROR if `cost()` throws, or returns no amount. */
export function costOf(model: Pick<Model, 'id' | 'cost'>, usage: CallUsage): number | undefined {
  if (model.cost === undefined) return undefined
  let cost: unknown
  try {
    cost = model.cost(usage)
  } catch (thrown) {
    throw new ThinkonError('MODEL_ERROR', `cost() of the model ${model.id} threw: ${errorText(thrown)}`)
  }
  if (isUsd(cost)) return cost
  const returned = typeof cost === 'number' ? `${cost}` : `a value of the type ${typeof cost}`
  const message = `cost() of the model ${model.id} returned ${returned}: it must return US dollars`
  throw new ThinkonError('MODEL_ERROR', message)
}

/** Before the call. A `cost()` that fails counts as 0 here: its step fails before the model is called. */
export function reservedCost(model: Model, usage: CallUsage): number {
  try {
    return costOf(model, usage) ?? 0
  } catch {
    return 0
  }
}

export function isUsd(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MOST_USD
}
