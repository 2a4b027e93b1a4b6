/** All kinds of request that the abacus answers. */
import type { Kinds } from '../kinds.ts'
import { fractalKinds } from './fractal.ts'
import { minimalKinds } from './minimal.ts'

export const KINDS: Kinds = { ...fractalKinds, ...minimalKinds }
