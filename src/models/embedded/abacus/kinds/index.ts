/** All kinds of request that the abacus answers. */
import type { Kinds } from '../kinds.ts'
import { cotKinds } from './cot.ts'
import { fractalKinds } from './fractal.ts'
import { minimalKinds } from './minimal.ts'
import { plannerKinds } from './planner.ts'

export const KINDS: Kinds = { ...cotKinds, ...fractalKinds, ...minimalKinds, ...plannerKinds }
