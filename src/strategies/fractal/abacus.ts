/** How the fractal strategy's requests are answered: Think and Eval, one sub-goal at a time. */

import type { Task } from '../../arithmetic/parse-goal.ts'
import { linesSoFar, type Solution, solutionOf, WRITE_TOOL } from '../../models/embedded/abacus/answer.ts'
import { type Standing, standing, subGoal } from '../../models/embedded/abacus/decompose.ts'
import { type Analysis, CallTools, type Kinds, kind } from '../../models/embedded/abacus/kinds.ts'
import type { Result } from '../../protocol/index.ts'

interface FractalInput {
  readonly goal: string
  readonly done: readonly string[]
  readonly levelsLeft: number
  /** Of Think: what its tool calls came to. */
  readonly seen?: readonly { name: string; result: Result }[]
}

export const abacus: Kinds = {
  'fractal/think': kind<FractalInput>(think),
  'fractal/eval': kind<FractalInput>(evaluate),
  'fractal/close': kind<FractalInput>(close),
}

/** A single operation is answered; anything nested gets a plan, unless there is no room below. */
function think(analysis: Analysis, input: FractalInput): unknown {
  const { task, words } = analysis
  const { next } = standingOf(task, input)
  if (next.length === 0 || task.type === 'reach') return answer(solutionOf(task), analysis, input)
  const parts = standing(task.expressions, input.done, { levels: input.levelsLeft }).next
  const steps = [...parts, ...task.expressions].map((part, i) => `${i + 1}. ${subGoal(part, words)}`)
  return { type: 'TODO', description: steps.join('\n') }
}

function evaluate({ task, words }: Analysis, input: FractalInput): object {
  const now = standingOf(task, input)
  const [part] = now.next
  if (part !== undefined) return { type: 'CALL', description: subGoal(part, words) }
  if (now.failed.length > 0) {
    return {
      type: 'RETURN',
      description: words.join([...linesSoFar(task, now.expressions), ...now.failed.map(({ text }) => text)]),
    }
  }
  const solution = solutionOf(task, now.expressions)
  return { type: 'RETURN', description: words.join(textsOf(solution)) }
}

function close({ task, words }: Analysis, input: FractalInput): object {
  return { type: 'RETURN', description: words.join(linesSoFar(task, standingOf(task, input).expressions)) }
}

/** What is asked to be written is written by Think, which alone has tools. */
function answer(solution: Solution, { task, words, tools }: Analysis, { seen }: FractalInput): unknown {
  if (task.file === null) return { type: 'RETURN', description: words.join(textsOf(solution)) }
  const written = seen?.findLast(({ name }) => name === WRITE_TOOL)?.result
  if (written === undefined && tools.includes(WRITE_TOOL)) {
    return new CallTools([{ name: WRITE_TOOL, input: { path: task.file, content: solution.content } }])
  }
  const told = written?.ok
    ? words.written(task.file)
    : `${words.notWritten(task.file)}: ${written === undefined ? words.noWriter(WRITE_TOOL) : written.error.message}`
  return { type: 'RETURN', description: words.join([...textsOf(solution), told]) }
}

function textsOf({ lines, reason }: Solution): string[] {
  return reason === undefined ? [...lines] : [...lines, reason]
}

/** A goal with a file is worked out at once: the value that is written must be the one that was computed. */
function standingOf(task: Task, { done, levelsLeft }: FractalInput): Standing {
  if (task.type === 'reach' || task.file !== null) return { expressions: [], next: [], failed: [] }
  return standing(task.expressions, done, { levels: levelsLeft, width: 1 })
}
