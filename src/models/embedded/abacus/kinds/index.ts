/** All kinds of request that the abacus answers. */
import type { Kinds } from '../kinds.ts'
import { cotKinds } from './cot.ts'
import { dualKinds } from './dual.ts'
import { fractalKinds } from './fractal.ts'
import { minimalKinds } from './minimal.ts'
import { plannerKinds } from './planner.ts'
import { totKinds } from './tot.ts'

export const KINDS: Kinds = {
  ...cotKinds,
  ...dualKinds,
  ...fractalKinds,
  ...minimalKinds,
  ...plannerKinds,
  ...totKinds,
}
