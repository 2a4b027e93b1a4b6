/** How the minimal strategy's requests are answered: one move at a time. */

import { countOperations, formatExpression, number } from '../../arithmetic/expression.ts'
import { type Analysis, type Kinds, kind } from '../../models/embedded/kinds.ts'
import type { Standing } from '../../models/embedded/mind.ts'
import { subGoal } from '../../models/embedded/results.ts'
import { linesSoFar, type Solution, solutionOf } from '../../models/embedded/solution.ts'
import { calculated, deedsOf, nextDeed, TOOLS } from '../../models/embedded/tools.ts'
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

export const embedded: Kinds = {
  'minimal/next': kind<MinimalInput>(next),
  'minimal/close': kind<MinimalInput>(close),
}

/** The number of levels unless the input says otherwise: one less than the default limit. */
const LEVELS = 7

async function next(analysis: Analysis, input: MinimalInput): Promise<object> {
  const { task, words, mind } = analysis
  const now = await standingOf(analysis, input)
  if (now.next.length > 0) return { do: 'call', goals: now.next.map((part) => subGoal(part, words)) }
  if (now.failed.length > 0) return giveUp(analysis, now)
  const { results = [] } = input
  const used = deedsOf(results.map(({ name }) => name))
  // The abacus calculates itself.
  const deed = await nextDeed(analysis, used, mind.isExact ? ['write'] : ['calculate', 'write'])
  const calls = deed === 'calculate' ? calculations(analysis) : []
  if (calls.length > 0) return { do: 'tool', calls }
  const known = mind.isExact ? now.expressions : withCalculated(analysis, results)
  const solution = await solutionOf(analysis, { known })
  if (task.file === null || solution.lines.length === 0) return returned(solution, solution.lines, analysis)
  if (deed === 'write') {
    return {
      do: 'tool',
      calls: [{ name: TOOLS.write, input: { path: task.file, content: solution.content } }],
    }
  }
  return written(solution, task.file, analysis, input)
}

async function close(analysis: Analysis, input: MinimalInput): Promise<object> {
  const { task, words } = analysis
  const { expressions } = await standingOf(analysis, input)
  return { do: 'return', result: words.join(linesSoFar(task, expressions)) }
}

/** A language model is on its own here, but for its tools: that is the plain loop. */
async function standingOf(
  { task, mind }: Analysis,
  { done, level, levelsLeft }: MinimalInput,
): Promise<Standing> {
  if (task.type === 'reach' || !mind.isExact) return { expressions: [], next: [], failed: [] }
  return mind.standing(task.expressions, done, { levels: levelsLeft ?? Math.max(0, LEVELS - level) })
}

function calculations({ task }: Analysis): object[] {
  if (task.type === 'reach') return []
  return task.expressions
    .filter((expression) => countOperations(expression) > 0)
    .map((expression) => ({ name: TOOLS.calculate, input: { expression: formatExpression(expression) } }))
}

/** The expressions, with what the calculator made of them in the same order. */
function withCalculated({ task }: Analysis, results: MinimalInput['results'] = []) {
  if (task.type === 'reach') return []
  const ended = results.filter(({ name }) => name === TOOLS.calculate)
  return task.expressions.map((expression) => {
    const result = countOperations(expression) > 0 ? ended.shift()?.result : undefined
    const value = result?.ok ? calculated(result.value) : null
    return value === null ? expression : number(value)
  })
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

function written(solution: Solution, file: string, analysis: Analysis, { results }: MinimalInput): object {
  const { words } = analysis
  const end = results?.findLast(({ name }) => name === TOOLS.write)?.result
  if (end?.ok) return returned(solution, [...solution.lines, words.written(file)], analysis)
  const reason = end === undefined ? words.noWriter(TOOLS.write) : end.error.message
  const lines = [...solution.lines, `${words.notWritten(file)}: ${reason}`]
  return returned({ ...solution, status: 'partial', reason }, lines, analysis)
}

function returned({ status, reason }: Solution, lines: readonly string[], { words }: Analysis): object {
  const result = words.join(lines)
  if (status === 'completed') return { do: 'return', result }
  return { do: 'return', status, result, reason }
}
