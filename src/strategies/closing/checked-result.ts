/** The one way a strategy ends with a result: held against the goal, and made once more where that shows something wrong. */
import { endingOf } from '../../kernel/ending.ts'
import { type ClosingContext, holdAgainstGoal, lookByProgram, type Making } from './hold-against-goal.ts'
import type { ResultChecked } from './notes.ts'

export interface Redoing extends Making {
  /**
   * Does the last step once more, with its own earlier result in view and these words about what is wrong with it. What it
   * throws is no harm: the first result stands.
   */
  again(wrong: string): Promise<string>
  /** The last step can have files changed. */
  readonly mendsFiles?: boolean
}

export interface Checked {
  readonly status: 'completed'
  readonly result: string
  readonly details?: string
}

/** The result, or the second one. What a program still finds wrong with that is in the outcome's details. */
export async function checkedResult(
  context: ClosingContext,
  result: string,
  { again, mendsFiles = false, ...making }: Redoing,
): Promise<Checked> {
  const held = await holdAgainstGoal(context, result, making)
  if (held.ok) {
    if (held.by !== null) note(context, { by: held.by, problems: [], sentBack: false })
    return { status: 'completed', result }
  }
  const { by, problems } = held
  const sentBack = context.budget().calls >= REDO_CALLS
  note(context, { by, problems, sentBack })
  if (!sentBack) return unmet(result, problems)
  let second: string
  let left: readonly string[]
  try {
    second = await again(sentBackText(problems, mendsFiles))
    left = (await lookByProgram(context, second)).problems
  } catch (thrown) {
    // Rethrows what is not the block's own.
    endingOf(thrown, result)
    return unmet(result, problems)
  }
  if (second.trim() === '') return unmet(result, problems)
  if (left.length === 0) return { status: 'completed', result: second }
  note(context, { by: 'program', problems: left, sentBack: false })
  return unmet(second, left)
}

/** The step itself, and one kept back. */
const REDO_CALLS = 2

function note(context: ClosingContext, checked: ResultChecked): void {
  context.emit('result-checked', checked)
}

function unmet(result: string, problems: readonly string[]): Checked {
  return { status: 'completed', result, details: problems.join('\n') }
}

function sentBackText(problems: readonly string[], mendsFiles: boolean): string {
  const inFiles = mendsFiles ? ' What is wrong in a file is put right in the file.' : ''
  return `The result was held against the goal, and comes back once. What is wrong with it:
${problems.map((problem) => `- ${problem}\n`).join('')}Give the whole result again, with this put right, and what follows from it; all else is kept.${inFiles} It goes to the person as it is: without a word \
about these corrections.
`
}
