import { parseGoal } from '../../../arithmetic/parse-goal.ts'
import type { Domain } from './domain.ts'
import { expressionDomain } from './expression-domain.ts'
import { puzzleDomain } from './puzzle-domain.ts'

/** Null for a problem about which nothing is known by program. */
export function domainOf(problem: string): Domain | null {
  const task = parseGoal(problem)
  if (task === null || task.file !== null) return null
  return task.type === 'reach'
    ? puzzleDomain(task.puzzle, task.language)
    : expressionDomain(task.expressions, task.language)
}
