/** Whether an answer is right, as a program computes it, which no model is asked about. */
import { evaluate } from '../../arithmetic/expression.ts'
import { parseGoal } from '../../arithmetic/parse-goal.ts'
import { answerProblem, readAnswer } from '../../arithmetic/puzzle-answer.ts'
import { equals, formatRational, parseRational } from '../../arithmetic/rational.ts'
import { oneLine } from '../../protocol/index.ts'
import { DEMO_WORDS } from './words.ts'

export interface Verdict {
  readonly isRight: boolean
  /** What was said, as short as it can be. */
  readonly said: string
  /** What is wrong with it; empty if nothing is. */
  readonly problem: string
}

/** Of a goal that is one expression or one puzzle. */
export function verdictOn(goal: string, answer: string): Verdict {
  const task = parseGoal(goal)
  if (task?.type === 'reach') {
    const problem = answerProblem(answer, task.puzzle, task.language)
    return {
      isRight: problem === null,
      said: readAnswer(answer, task.puzzle) ?? oneLine(answer),
      problem: problem ?? '',
    }
  }
  const [expression] = task?.expressions ?? []
  if (task === null || expression === undefined) throw new Error(`nothing can be computed of "${goal}"`)
  const said = oneLine(answer.split('=').at(-1) ?? '').trim()
  const value = parseRational(said)
  const truth = evaluate(expression)
  const isRight = value !== null && equals(value, truth)
  const problem = isRight ? '' : DEMO_WORDS[task.language].itIs(formatRational(truth))
  return { isRight, said, problem }
}
