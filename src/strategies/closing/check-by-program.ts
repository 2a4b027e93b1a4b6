/** Holds a result against what a program can check of its goal. */
import type { Goal } from '../../protocol/index.ts'
import type { Demand } from './demand.ts'
import { demandsOf } from './demands-of.ts'
import { formatProblem } from './format.ts'
import { itemsProblem } from './items.ts'
import { languageProblem } from './language.ts'
import { lengthProblem } from './length.ts'
import { valueProblem } from './value.ts'

/** What is wrong, each in a sentence for the model; none where nothing is, or where a program can't tell. */
export function checkByProgram(goal: Goal, result: string): string[] {
  return problemsOf(demandsOf(goal), result)
}

/** Where files are asked for, length and form are theirs: of the result only its values and its language are checked. */
export function problemsOf(demands: readonly Demand[], result: string): string[] {
  const inFiles = demands.some(({ type }) => type === 'file')
  return demands.flatMap((demand) => {
    const isAside = inFiles && ['length', 'items', 'format', 'value'].includes(demand.type)
    return isAside ? [] : (problemOf(demand, result) ?? [])
  })
}

function problemOf(demand: Demand, result: string): string | null {
  switch (demand.type) {
    case 'length':
      return lengthProblem(demand, result)
    case 'items':
      return itemsProblem(demand, result)
    case 'format':
      return formatProblem(demand, result)
    case 'language':
      return languageProblem(demand, result)
    case 'value':
      return valueProblem(demand, result)
    case 'file':
      return null
  }
}
