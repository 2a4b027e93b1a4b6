import type { Model } from '../kernel/model.ts'
import { type Limits, ROLES, ThinkonError } from '../protocol/index.ts'
import type { EngineParts } from './parts.ts'

/**
 * Throws BAD_INPUT if the caller sets a limit of cost and a model has no price: its calls would not count towards the limit. The default
 * limit does not require prices.
 */
export function requirePrices({ model, modelOf }: EngineParts, { costUsd }: Partial<Limits>): void {
  if (costUsd === undefined) return
  const models = [model, ...ROLES.map(modelOf)].flatMap((one) => one.alternatives ?? [one])
  const unpriced = [...new Set(models.filter(isUnpriced).map(({ id }) => id))]
  if (unpriced.length === 0) return
  const names = unpriced.join(', ')
  throw new ThinkonError(
    'BAD_INPUT',
    `the limit of cost (budget.costUsd, --max-cost) can't be kept: no price is known for ${names}. Give it one, in US dollars per million ` +
      `tokens, or 0 if it is free: {"prices": {"<model>": {"input": …, "output": …}}} in the configuration, "price" beside ` +
      '"model" in a program, or `cost()` or `free: true` of a model object. Or leave out the limit',
    { data: { limit: 'costUsd', models: unpriced } },
  )
}

function isUnpriced({ cost, asksPerson, free }: Model): boolean {
  return cost === undefined && asksPerson !== true && free !== true
}
