import { type AbacusOptions, abacusModel } from '../src/models/embedded/abacus/abacus-model.ts'
import { embeddedKind, STRATEGIES } from '../src/strategies/registry.ts'

/** embedded:abacus as an engine opens it: with the kinds of request that the shipped strategies make. */
export function shippedAbacus(options: Partial<AbacusOptions> = {}) {
  return abacusModel({ kindOf: (kind) => embeddedKind(STRATEGIES, kind), ...options })
}
