/** What the abacus decides: everything is computed, but that a search has something to search for, its values of states are not exact. */
import { type Expression, formatExpression } from '../../../arithmetic/expression.ts'
import { nextSteps, type Puzzle, type Step, solvePuzzle, verifyAnswer } from '../../../arithmetic/puzzle.ts'
import { estimateState } from '../../../arithmetic/puzzle-estimate.ts'
import { formatRational } from '../../../arithmetic/rational.ts'
import { ThinkonError } from '../../../protocol/index.ts'
import type { Found, Mind, Move, Reached, ToolChoice, Wanted } from '../mind.ts'
import { resultText } from '../results.ts'
import type { Words } from '../words.ts'
import { compute, operationsOf, standing } from './decompose.ts'

export function exactMind(words: Words): Mind {
  const found = (expression: Expression): Found => {
    const computed = compute(expression)
    return computed.ok ? computed : { ok: false, why: words.arithmetic[computed.why.reason] }
  }
  return {
    isExact: true,
    value: async (expression) => found(expression),
    async workOut(expression) {
      const end = found(expression)
      return { ...end, steps: end.ok ? operationsOf(expression, words) : [] }
    },
    standing: async (given, done, room) => standing(given, done, room),
    reach: async (puzzle) => reach(puzzle, words),
    moves: async (puzzle, wanted) => some(ranked(puzzle), wanted),
    reductions: async (expressions, wanted) => some(reductions(expressions, words), wanted),
    worth: async (puzzle) => estimateState(puzzle),
    tool: async (choice) => toolFor(choice),
  }
}

function reach(puzzle: Puzzle, words: Words): Reached {
  const target = formatRational(puzzle.target)
  const expression = solvePuzzle(puzzle)
  if (expression === null)
    return { ok: false, why: words.noWay(target, words.list(puzzle.numbers.map(formatRational))) }
  const line = resultText(expression, puzzle.target)
  const check = verifyAnswer(line, puzzle)
  if (!check.ok) throw new Error(`a wrong solution (${check.why}): ${line}`)
  return { ok: true, expression, value: puzzle.target }
}

function some(moves: readonly Move[], { most, draw }: Wanted): readonly Move[] {
  return draw === undefined ? moves.slice(0, most) : moves.slice(draw.n - 1, draw.n)
}

/** The most promising first; of those that lead to the same state only one. */
function ranked({ target, numbers }: Puzzle): Step[] {
  const states = new Map<string, Step>()
  for (const step of nextSteps(numbers)) {
    const state = step.left.map(formatRational).join(' ')
    if (!states.has(state)) states.set(state, step)
  }
  return [...states.values()]
    .map((step) => ({ step, score: estimateState({ numbers: step.left, target }).score }))
    .sort((a, b) => b.score - a.score)
    .map(({ step }) => step)
}

/** Every operation on two numbers. One that has no value is an error: there is no way around it. */
function reductions(expressions: readonly Expression[], words: Words): Move[] {
  const found = new Map<string, Move>()
  const visit = (part: Expression): void => {
    if (part.type === 'negation') visit(part.of)
    if (part.type !== 'operation') return
    if (part.left.type !== 'number' || part.right.type !== 'number') {
      visit(part.left)
      visit(part.right)
      return
    }
    const computed = compute(part)
    if (!computed.ok) {
      const why = words.arithmetic[computed.why.reason]
      throw new ThinkonError('MODEL_ERROR', `${formatExpression(part)}: ${why}`)
    }
    found.set(resultText(part, computed.value), { operation: part, value: computed.value })
  }
  for (const expression of expressions) visit(expression)
  return [...found.values()]
}

function toolFor({ offered, used, wantsFile }: ToolChoice) {
  const wanted = wantsFile ? 'write' : 'calculate'
  return offered.includes(wanted) && !used.includes(wanted) ? wanted : null
}
