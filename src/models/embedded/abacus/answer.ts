/** The results of a task, as returned and as written to a file: the same for every strategy. */
import { type Expression, formatExpression, number } from '../../../arithmetic/expression.ts'
import type { Task } from '../../../arithmetic/parse-goal.ts'
import { solvePuzzle, verifyAnswer } from '../../../arithmetic/puzzle.ts'
import { formatRational } from '../../../arithmetic/rational.ts'
import { compute, resultText } from './decompose.ts'
import { WORDS, type Words } from './words.ts'

export const WRITE_TOOL = 'write_file'

export interface Solution {
  readonly status: 'completed' | 'partial' | 'failed'
  /** One for each expression, or one for a puzzle: "3 + 4 = 7". */
  readonly lines: readonly string[]
  /** Why it is not completed. */
  readonly reason?: string
  /** The content of the file: the bare value of a single expression, otherwise the lines. */
  readonly content: string
}

/**
 * The solution of a task. `known` are the task's expressions with the children's results substituted; the rest is computed
 * here.
 */
export function solutionOf(task: Task, known?: readonly Expression[]): Solution {
  const words = WORDS[task.language]
  if (task.type === 'reach') return puzzleSolution(task, words)
  const lines: string[] = []
  const values: string[] = []
  const reasons: string[] = []
  for (const [i, expression] of task.expressions.entries()) {
    const left = known?.[i] ?? expression
    const computed = compute(left)
    if (computed.ok) {
      lines.push(resultText(expression, computed.value))
      values.push(formatRational(computed.value))
    } else reasons.push(`${formatExpression(left)}: ${words.arithmetic[computed.why.reason]}`)
  }
  const single = task.expressions.length === 1
  const content = single ? `${values.join()}\n` : contentOf(lines, task.file)
  if (reasons.length === 0) return { status: 'completed', lines, content }
  const status = lines.length > 0 ? 'partial' : 'failed'
  return { status, lines, content, reason: words.join(reasons) }
}

/** What is known when a block has to end early: the results so far, and what is left of the others. */
export function linesSoFar(task: Task, known: readonly Expression[]): string[] {
  if (task.type === 'reach') return []
  return task.expressions.map((expression, i) => {
    const left = known[i] ?? expression
    return left.type === 'number'
      ? resultText(expression, left.value)
      : WORDS[task.language].left(formatExpression(left))
  })
}

function puzzleSolution({ puzzle, file }: Extract<Task, { type: 'reach' }>, words: Words): Solution {
  const target = formatRational(puzzle.target)
  const expression = solvePuzzle(puzzle)
  if (expression === null) {
    const numbers = words.list(puzzle.numbers.map(formatRational))
    return { status: 'failed', lines: [], content: '', reason: words.noWay(target, numbers) }
  }
  const line = `${formatExpression(expression)} = ${formatExpression(number(puzzle.target))}`
  const check = verifyAnswer(line, puzzle)
  if (!check.ok) throw new Error(`a wrong solution (${check.why}): ${line}`)
  return { status: 'completed', lines: [line], content: contentOf([line], file) }
}

function contentOf(lines: readonly string[], file: string | null): string {
  const mark = file?.toLowerCase().endsWith('.md') ? '- ' : ''
  return lines.map((line) => `${mark}${line}\n`).join('')
}
