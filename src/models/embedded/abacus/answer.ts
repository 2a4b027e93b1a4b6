/** What is told, and what is written to a file, when a task is worked out: the same for every strategy. */
import { type Expression, formatExpression, number } from '../../../arithmetic/expression.ts'
import type { Task } from '../../../arithmetic/parse-goal.ts'
import { solvePuzzle, verifyAnswer } from '../../../arithmetic/puzzle.ts'
import { formatRational } from '../../../arithmetic/rational.ts'
import { compute, resultText } from './decompose.ts'
import { WORDS, type Words } from './words.ts'

export const WRITE_TOOL = 'write_file'

export interface Solution {
  readonly status: 'completed' | 'partial' | 'failed'
  /** One for each expression, or the one of a puzzle: "3 + 4 = 7". */
  readonly lines: readonly string[]
  /** Why it is not completed. */
  readonly reason?: string
  /** What a file gets: the bare value of a single expression, else the lines. */
  readonly content: string
}

/**
 * The solution of a task. `known` are the task's expressions with the values put in that children came to; what is left in
 * them is computed here.
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

/** What is known when a block has to end early: the results there are, and what is left of the others. */
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
  const verdict = verifyAnswer(line, puzzle)
  if (!verdict.ok) throw new Error(`a solution that is none (${verdict.why}): ${line}`)
  return { status: 'completed', lines: [line], content: contentOf([line], file) }
}

function contentOf(lines: readonly string[], file: string | null): string {
  const mark = file?.toLowerCase().endsWith('.md') ? '- ' : ''
  return lines.map((line) => `${mark}${line}\n`).join('')
}
