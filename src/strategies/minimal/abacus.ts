/** How the minimal strategy's requests are answered: one move at a time. */

import type { Task } from '../../arithmetic/parse-goal.ts'
import { linesSoFar, type Solution, solutionOf, WRITE_TOOL } from '../../models/embedded/abacus/answer.ts'
import { type Standing, standing, subGoal } from '../../models/embedded/abacus/decompose.ts'
import { type Analysis, type Kinds, kind } from '../../models/embedded/abacus/kinds.ts'
import type { Result } from '../../protocol/index.ts'

/** The part of the strategy's input that is used here. */
export interface MinimalInput {
  readonly goal: string
  readonly path: string
  readonly level: number
  readonly done: readonly string[]
  readonly results?: readonly { name: string; result: Result }[]
  /** How many levels there may be below this block. */
  readonly levelsLeft?: number
}

export const abacus: Kinds = {
  'minimal/next': kind<MinimalInput>(next),
  'minimal/close': kind<MinimalInput>(close),
}

/** The number of levels unless the input says otherwise: one less than the default limit. */
const LEVELS = 7

function next(analysis: Analysis, input: MinimalInput): object {
  const { task, words } = analysis
  const now = standingOf(task, input)
  if (now.next.length > 0) return { do: 'call', goals: now.next.map((part) => subGoal(part, words)) }
  if (now.failed.length > 0) return giveUp(analysis, now)
  const solution = solutionOf(task, now.expressions)
  return task.file === null || solution.lines.length === 0
    ? returned(solution, solution.lines, analysis)
    : writeOrReturn(solution, task.file, analysis, input)
}

function close({ task, words }: Analysis, input: MinimalInput): object {
  return { do: 'return', result: words.join(linesSoFar(task, standingOf(task, input).expressions)) }
}

function standingOf(task: Task, { done, level, levelsLeft }: MinimalInput): Standing {
  if (task.type === 'reach') return { expressions: [], next: [], failed: [] }
  return standing(task.expressions, done, { levels: levelsLeft ?? Math.max(0, LEVELS - level) })
}

/** A child without a value is archived as "[failed: why] what it had". */
function giveUp({ task, words }: Analysis, { failed, expressions }: Standing): object {
  const ends = failed.map(({ expression, text }) => {
    const [, status, why] = /^\[(\w+)(?:: (.*?))?\](?: |$)/s.exec(text) ?? []
    return { status, reason: why ?? `${expression}: ${text}` }
  })
  const nothing = expressions.every((expression) => expression.type !== 'number')
  const status = nothing && ends.every((end) => end.status === 'failed') ? 'failed' : 'partial'
  const reason = words.join([...new Set(ends.map((end) => end.reason))])
  return { do: 'return', status, result: words.join(linesSoFar(task, expressions)), reason }
}

function writeOrReturn(solution: Solution, file: string, analysis: Analysis, input: MinimalInput): object {
  const { words, tools } = analysis
  const written = input.results?.findLast(({ name }) => name === WRITE_TOOL)?.result
  if (written?.ok) {
    return returned(solution, [...solution.lines, words.written(file)], analysis)
  }
  if (written === undefined && tools.includes(WRITE_TOOL)) {
    return { do: 'tool', calls: [{ name: WRITE_TOOL, input: { path: file, content: solution.content } }] }
  }
  const reason = written === undefined ? words.noWriter(WRITE_TOOL) : written.error.message
  const lines = [...solution.lines, `${words.notWritten(file)}: ${reason}`]
  return returned({ ...solution, status: 'partial', reason }, lines, analysis)
}

function returned({ status, reason }: Solution, lines: readonly string[], { words }: Analysis): object {
  const result = words.join(lines)
  if (status === 'completed') return { do: 'return', result }
  return { do: 'return', status, result, reason }
}
