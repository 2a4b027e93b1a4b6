/** How the fractal strategy's requests are answered: Think and Eval, one sub-goal at a time. */

import { type Analysis, CallTools, type Kinds, kind } from '../../models/embedded/kinds.ts'
import type { Standing } from '../../models/embedded/mind.ts'
import { subGoal } from '../../models/embedded/results.ts'
import { linesSoFar, type Solution, solutionOf, textsOf } from '../../models/embedded/solution.ts'
import { deedsOf, nextDeed, TOOLS } from '../../models/embedded/tools.ts'
import type { Result } from '../../protocol/index.ts'

interface FractalInput {
  readonly goal: string
  readonly done: readonly string[]
  readonly levelsLeft: number
  /** Of Think: what its tool calls came to. */
  readonly seen?: readonly { name: string; result: Result }[]
}

export const embedded: Kinds = {
  'fractal/think': kind<FractalInput>(think),
  'fractal/eval': kind<FractalInput>(evaluate),
  'fractal/close': kind<FractalInput>(close),
}

/** A single operation is answered; anything nested gets a plan, unless there is no room below. */
async function think(analysis: Analysis, input: FractalInput): Promise<unknown> {
  const { task, words, mind } = analysis
  const now = await standingOf(analysis, input)
  if (now.next.length === 0 || task.type === 'reach') {
    return answer(await solutionOf(analysis, { known: now.expressions, inSteps: true }), analysis, input)
  }
  const { next: parts } = await mind.standing(task.expressions, input.done, { levels: input.levelsLeft })
  const steps = [...parts, ...task.expressions].map((part, i) => `${i + 1}. ${subGoal(part, words)}`)
  return { type: 'TODO', description: steps.join('\n') }
}

async function evaluate(analysis: Analysis, input: FractalInput): Promise<object> {
  const { task, words } = analysis
  const { next, failed, expressions: known } = await standingOf(analysis, input)
  const [part] = next
  if (part !== undefined) return { type: 'CALL', description: subGoal(part, words) }
  if (failed.length > 0) {
    const texts = [...linesSoFar(task, known), ...failed.map(({ text }) => text)]
    return { type: 'RETURN', description: words.join(texts) }
  }
  const solution = await solutionOf(analysis, { known, inSteps: true })
  return { type: 'RETURN', description: words.join(textsOf(solution)) }
}

async function close(analysis: Analysis, input: FractalInput): Promise<object> {
  const { task, words } = analysis
  const { expressions } = await standingOf(analysis, input)
  return { type: 'RETURN', description: words.join(linesSoFar(task, expressions)) }
}

/** What is asked to be written is written by Think, which alone has tools. */
async function answer(solution: Solution, analysis: Analysis, { seen = [] }: FractalInput): Promise<unknown> {
  const { task, words } = analysis
  if (task.file === null) return { type: 'RETURN', description: words.join(textsOf(solution)) }
  const used = deedsOf(seen.map(({ name }) => name))
  if ((await nextDeed(analysis, used, ['write'])) === 'write') {
    return new CallTools([{ name: TOOLS.write, input: { path: task.file, content: solution.content } }])
  }
  const written = seen.findLast(({ name }) => name === TOOLS.write)?.result
  const told = written?.ok
    ? words.written(task.file)
    : `${words.notWritten(task.file)}: ${written === undefined ? words.noWriter(TOOLS.write) : written.error.message}`
  return { type: 'RETURN', description: words.join([...textsOf(solution), told]) }
}

/** A goal with a file is worked out at once: the value that is written must be the one that was found. */
async function standingOf({ task, mind }: Analysis, { done, levelsLeft }: FractalInput): Promise<Standing> {
  if (task.type === 'reach' || task.file !== null) return { expressions: [], next: [], failed: [] }
  return mind.standing(task.expressions, done, { levels: levelsLeft, width: 1 })
}
