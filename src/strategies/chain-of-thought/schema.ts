/** The strategy's options. */
import type { Role } from '../../protocol/index.ts'
import { nameList, type OptionRule, ROLES, readOptions } from '../read-options.ts'

export interface CotOptions {
  /** After so many thoughts the block closes with what its plan has. */
  maxThoughts: number
  /** The same plan in so many thoughts is told, once more it closes the block. */
  maxRepeats: number
  /** Which model thinks. */
  role: Role
  /** The strategies that the model is told a step may be solved with; a step that names another is refused. */
  strategies?: readonly string[]
}

export const MAX_THOUGHTS = 20
export const MAX_REPEATS = 3

const RULES: Readonly<Record<keyof CotOptions, OptionRule>> = {
  maxThoughts: { type: 'whole', least: 1, most: 1_000, fallback: MAX_THOUGHTS },
  maxRepeats: { type: 'whole', least: 1, fallback: MAX_REPEATS },
  role: { type: 'choice', choices: ROLES, fallback: 'act' },
  strategies: { type: 'own', check: nameList('strategies') },
}

export function checkOptions(given: Readonly<Record<string, unknown>>): CotOptions {
  return readOptions('cot', RULES, given)
}
