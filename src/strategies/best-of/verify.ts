/** What a program can say about an answer: of arithmetic, whether it is right; of anything else, whether it is what was asked for. */
import { parseGoal } from '../../arithmetic/parse-goal.ts'
import { answerProblem } from '../../arithmetic/puzzle-answer.ts'
import { type Goal, goalText } from '../../protocol/index.ts'
import { problemsOf } from '../closing/check-by-program.ts'
import type { Demand } from '../closing/demand.ts'
import { demandsOf } from '../closing/demands-of.ts'

export interface Verifier {
  /** An answer without problems is right: not only in the form that was asked for. */
  readonly decides: boolean
  problems(answer: string): readonly string[]
}

export function verifierOf(goal: Goal): Verifier {
  const task = parseGoal(goalText(goal))
  if (task?.type === 'reach' && task.file === null) {
    const { puzzle, language } = task
    return {
      decides: true,
      problems(answer) {
        const problem = answerProblem(answer, puzzle, language)
        return problem === null ? [] : [problem]
      },
    }
  }
  const demands = demandsOf(goal)
  // Of a file that is to be written nothing shows in the answer.
  const inFiles = demands.some(({ type }) => type === 'file')
  const decides = !inFiles && demands.some(isValue)
  const [values, others] = [demands.filter(isValue), demands.filter((demand) => !isValue(demand))]
  return {
    decides,
    problems: (answer) => [...problemsOf(values, withoutOperations(answer)), ...problemsOf(others, answer)],
  }
}

function isValue({ type }: Demand): boolean {
  return type === 'value'
}

/** What equations come to, without what was worked out: "12 × 7 - 40 = 28" says 28, and neither 12 nor something times 10. */
function withoutOperations(answer: string): string {
  return answer.slice(0, MAX_READ).replace(EQUATION, '=')
}

/** An answer to something that is computed is short. */
const MAX_READ = 1_000

const NUMBER = String.raw`[([{]*-?\d+(?:\.\d+)?[)\]}]*`
const EQUATION = new RegExp(String.raw`${NUMBER}(?:\s*[-+×÷*/^−·]\s*${NUMBER})+\s*=`, 'g')
