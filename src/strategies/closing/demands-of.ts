/** Reads what a program can check from a goal's own words, in English and Chinese. */
import { type Goal, goalText } from '../../protocol/index.ts'
import type { Demand, ItemsDemand, LengthDemand } from './demand.ts'
import { fileDemands } from './files.ts'
import { formatDemands } from './format.ts'
import { instructionsOf } from './instructions.ts'
import { itemsDemands } from './items.ts'
import { languageDemands } from './language.ts'
import { lengthDemands } from './length.ts'
import { valueDemands } from './value.ts'

/** Conservative: what may be about something other than the result is not a demand. */
export function demandsOf(goal: Goal): Demand[] {
  const text = goalText(goal)
  const instructions = instructionsOf(text)
  return [
    ...valueDemands(text),
    ...fileDemands(instructions),
    ...formatDemands(instructions),
    ...inOneMeasure(lengthDemands(instructions), itemsDemands(instructions)),
    ...languageDemands(text, instructions),
  ]
}

/** With two measures it is open which part each of them is about. */
function inOneMeasure(lengths: readonly LengthDemand[], items: readonly ItemsDemand[]): Demand[] {
  return lengths.length + items.length === 1 ? [...lengths, ...items] : []
}
