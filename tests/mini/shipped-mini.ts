import { miniModel } from '../../src/models/embedded/mini/mini-model.ts'
import { embeddedKind, STRATEGIES } from '../../src/strategies/registry.ts'
import { type Taught, type TaughtModel, taughtModel } from './taught-model.ts'

/** embedded:mini as an engine opens it, with a language model that has learned everything, or errs. */
export function shippedMini(taught: Taught | TaughtModel = {}) {
  const model = 'complete' in taught ? taught : taughtModel(taught)
  return miniModel({ kindOf: (kind) => embeddedKind(STRATEGIES, kind), open: async () => model })
}
