/** The results of a task, as returned and as written to a file: the same for every strategy. */
import { type Expression, formatExpression } from '../../arithmetic/expression.ts'
import type { Task } from '../../arithmetic/parse-goal.ts'
import { formatRational } from '../../arithmetic/rational.ts'
import type { Analysis } from './kinds.ts'
import { recalled, recalledAnswer } from './mind.ts'
import { resultText } from './results.ts'
import { WORDS } from './words.ts'

export interface Solution {
  readonly status: 'completed' | 'partial' | 'failed'
  /** One for each expression, or one for a puzzle: "3 + 4 = 7". */
  readonly lines: readonly string[]
  /** Why it is not completed. */
  readonly reason?: string
  /** The content of the file: the bare value of a single expression, otherwise the lines. */
  readonly content: string
}

export interface Solving {
  /** The task's expressions with the results that are there substituted; what is left is worked out here. */
  readonly known?: readonly Expression[]
  /** Texts of results: what one of them says of a puzzle is taken, too. */
  readonly told?: readonly string[]
  /** One operation after another; at once unless given. */
  readonly inSteps?: boolean
}

export async function solutionOf(
  analysis: Pick<Analysis, 'task' | 'words' | 'mind'>,
  { told = [], known, inSteps = false }: Solving = {},
): Promise<Solution> {
  const { task, words, mind } = analysis
  if (task.type === 'reach') return puzzleSolution(analysis, task, told)
  const recall = recalled(mind, task.expressions, told)
  const left = recall.map((expression, i) => known?.[i] ?? expression)
  const found = await Promise.all(left.map((one) => (inSteps ? mind.workOut(one) : mind.value(one))))
  const lines: string[] = []
  const values: string[] = []
  const reasons: string[] = []
  for (const [i, expression] of task.expressions.entries()) {
    const result = found[i]
    if (result?.ok) {
      lines.push(resultText(expression, result.value))
      values.push(formatRational(result.value))
    } else reasons.push(`${formatExpression(left[i] as Expression)}: ${result?.why}`)
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

/** The lines, and why there are no more. */
export function textsOf({ lines, reason }: Solution): string[] {
  return reason === undefined ? [...lines] : [...lines, reason]
}

async function puzzleSolution(
  { mind }: Pick<Analysis, 'mind'>,
  { puzzle, file }: Extract<Task, { type: 'reach' }>,
  told: readonly string[],
): Promise<Solution> {
  const reached = recalledAnswer(mind, told) ?? (await mind.reach(puzzle))
  if (!reached.ok) return { status: 'failed', lines: [], content: '', reason: reached.why }
  const line = resultText(reached.expression, reached.value)
  return { status: 'completed', lines: [line], content: contentOf([line], file) }
}

function contentOf(lines: readonly string[], file: string | null): string {
  const mark = file?.toLowerCase().endsWith('.md') ? '- ' : ''
  return lines.map((line) => `${mark}${line}\n`).join('')
}
