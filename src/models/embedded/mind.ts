/**
 * Who decides what stands in a reply. Its form (sentences, fields of a plan, the content of a file) is the strategy's and the same for
 * all; what a value is, what to work out first, which move to make, is decided here. The abacus computes it (abacus/exact-mind.ts), the
 * small language model is asked (mini/mini-mind.ts), and may be wrong.
 */
import { type Expression, formatExpression, substitute } from '../../arithmetic/expression.ts'
import type { Puzzle } from '../../arithmetic/puzzle.ts'
import type { Estimate } from '../../arithmetic/puzzle-estimate.ts'
import { parseRational, type Rational } from '../../arithmetic/rational.ts'
import { parseExpression } from '../../arithmetic/read-expression.ts'
import { readResult } from './results.ts'

export interface Mind {
  /** What it says is computed. It needs nobody's results, and computes everything again. */
  readonly isExact: boolean
  /** At once. */
  value(expression: Expression): Promise<Found>
  /** One operation after another. */
  workOut(expression: Expression): Promise<WorkedOut>
  /** How far a block is that works these expressions out in children, and what comes next. */
  standing(given: readonly Expression[], done: readonly string[], room: Room): Promise<Standing>
  /** An expression that is to reach the target. */
  reach(puzzle: Puzzle): Promise<Reached>
  /** Moves that could come next in a puzzle, the most promising first. Nobody has seen whether they are possible. */
  moves(puzzle: Puzzle, wanted: Wanted): Promise<readonly Offer[]>
  /** Operations that could come next in expressions. */
  reductions(expressions: readonly Expression[], wanted: Wanted): Promise<readonly Offer[]>
  /** Whether the target can still be reached. */
  worth(puzzle: Puzzle): Promise<Estimate>
  /** Which tool to use next; null for none. */
  tool(choice: ToolChoice): Promise<Deed | null>
}

/** `why` is a phrase in the goal's language. */
export type Found =
  | { readonly ok: true; readonly value: Rational }
  | { readonly ok: false; readonly why: string }

export type WorkedOut = Found & { readonly steps: readonly Move[] }

/** An operation with what it is said to come to. */
export interface Move {
  readonly operation: Expression
  readonly value: Rational
}

/** A move, or something that can't be read as one. */
export type Offer = Move | { readonly said: string }

export function isMove(offer: Offer): offer is Move {
  return 'operation' in offer
}

/** `value` is what the expression is said to come to. */
export type Reached =
  | { readonly ok: true; readonly expression: Expression; readonly value: Rational }
  | { readonly ok: false; readonly why: string }

export interface Room {
  /** Levels available below the block. */
  readonly levels: number
  /** How many parts are solved at once; by default all that are ready. */
  readonly width?: number
}

export interface Standing {
  /** The expressions with all known values substituted. */
  readonly expressions: readonly Expression[]
  /** The parts to solve now. If there are none and nothing failed, the block can answer. */
  readonly next: readonly Expression[]
  /** Parts without a value, with their result texts. */
  readonly failed: readonly { expression: string; text: string }[]
}

export interface Wanted {
  readonly most: number
  /** Only the n-th of so many that are drawn one by one. */
  readonly draw?: { readonly n: number; readonly of: number } | undefined
}

export type Deed = 'calculate' | 'write'

export interface ToolChoice {
  readonly offered: readonly Deed[]
  readonly used: readonly Deed[]
  readonly wantsFile: boolean
}

/** The expressions with the results that texts tell, for a mind that builds on results. A later one of the same part counts. */
export function recalled(
  { isExact }: Mind,
  given: readonly Expression[],
  texts: readonly string[],
): readonly Expression[] {
  return isExact ? given : withResults(given, texts)
}

/** The answer to a puzzle that a text tells, for a mind that builds on results. */
export function recalledAnswer({ isExact }: Mind, texts: readonly string[]): Reached | null {
  const text = isExact ? undefined : texts.findLast((one) => readResult(one)?.expression)
  const [left = '', value = ''] = text?.split(' = ') ?? []
  const [expression, said] = [parseExpression(left), parseRational(value.trim())]
  return expression === null || said === null ? null : { ok: true, expression, value: said }
}

/** Results of parts may stand in parts that have a result, too. */
export function withResults(given: readonly Expression[], texts: readonly string[]): readonly Expression[] {
  const known = new Map<string, Rational>()
  for (const text of texts.flatMap((several) => several.split(BETWEEN_RESULTS))) {
    const result = readResult(text)
    if (result !== null && result.expression !== null) known.set(result.expression, result.value)
  }
  const value = (part: Expression) => known.get(formatExpression(part))
  const settled = (expression: Expression): Expression => {
    const now = substitute(expression, value)
    return formatExpression(now) === formatExpression(expression) ? now : settled(now)
  }
  return given.map(settled)
}

/** As Words.join puts it. */
const BETWEEN_RESULTS = /[;；]\s*/
