/** All kinds of request that the abacus answers. */
import type { Kinds } from '../kinds.ts'
import { minimalKinds } from './minimal.ts'

export const KINDS: Kinds = { ...minimalKinds }
