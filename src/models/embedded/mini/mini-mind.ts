/**
 * What the small language model decides. It is asked in the compact form; what it says stands, right or wrong. Nothing here computes: a
 * program only puts its answers where they belong. training/README.md says which question decides what.
 */
import {
  countOperations,
  type Expression,
  number,
  operation,
  substitute,
} from '../../../arithmetic/expression.ts'
import type { Task } from '../../../arithmetic/parse-goal.ts'
import type { Puzzle } from '../../../arithmetic/puzzle.ts'
import { equals, parseRational, type Rational } from '../../../arithmetic/rational.ts'
import { languageOf } from '../../../protocol/index.ts'
import {
  type Deed,
  type Found,
  type Mind,
  type Move,
  type Offer,
  type Reached,
  type Room,
  type Standing,
  type ToolChoice,
  type Wanted,
  withResults,
} from '../mind.ts'
import { readResult } from '../results.ts'
import type { Questions } from './ask-model.ts'
import { compactExpression, PROMPTS } from './compact.ts'
import { readCompact, readStep } from './read-compact.ts'
import type { SayNothing } from './words.ts'

export function miniMind(questions: Questions, words: SayNothing): Mind {
  const { ask, weigh } = questions

  async function value(expression: Expression): Promise<Found> {
    if (expression.type === 'number') return { ok: true, value: expression.value }
    const said = await ask(PROMPTS.direct(expression))
    const found = parseRational(said ?? '')
    return found === null ? { ok: false, why: words.noNumber(said) } : { ok: true, value: found }
  }

  /** A part to work out first, or the value; null where it is neither. */
  async function think(expression: Expression, draw = 1): Promise<Expression | Rational | null> {
    const said = (await ask(PROMPTS.think(expression), { draw })) ?? ''
    if (said.startsWith('R')) return parseRational(said.slice(1))
    return said.startsWith('C') ? partOf(expression, said.slice(1)) : null
  }

  /** The first operation that it would do, with what it says that it comes to; null where that can't be used. */
  async function firstMove(expression: Expression, draw?: number): Promise<Move | null> {
    const thought = await think(expression, draw)
    if (thought === null) return null
    return 'type' in thought ? firstMove(thought, draw) : { operation: expression, value: thought }
  }

  async function workOut(expression: Expression) {
    const steps: Move[] = []
    for (let left = expression; ; ) {
      if (left.type === 'number') return { ok: true as const, value: left.value, steps }
      const move = await firstMove(left)
      if (move === null) return { ...(await value(left)), steps }
      steps.push(move)
      left = withMove(left, move)
    }
  }

  /** What it names next, a part at a time; several expressions are parts of their goal. */
  async function standing(
    given: readonly Expression[],
    done: readonly string[],
    { levels }: Room,
  ): Promise<Standing> {
    const expressions = withResults(given, done)
    const here = { expressions, next: [], failed: [] }
    const open = expressions.filter((expression) => countOperations(expression) > 0)
    const [first] = open
    if (levels < 1 || first === undefined) return here
    const next = given.length > 1 ? first : await think(first)
    if (next === null) return here
    if (!('type' in next)) return { ...here, expressions: [number(next)] }
    const last = done.at(-1)
    if (last === undefined || readResult(last) !== null) return { ...here, next: [next] }
    // What was tried last has no value, and it would try the same again.
    return { ...here, failed: [{ expression: compactExpression(next), text: last }] }
  }

  async function reach(puzzle: Puzzle): Promise<Reached> {
    const said = await ask(PROMPTS.puzzle(puzzle))
    const end = followed(puzzle, (said ?? '').split(';'))
    return end === null ? { ok: false, why: words.noWay(said) } : { ok: true, ...end }
  }

  /** Different ones, as many as are wanted if it comes to think of so many. Which of them are possible nobody has looked at. */
  async function drawn(
    { most, draw }: Wanted,
    once: (draw: number) => Promise<Offer | null>,
    mostWaves: number,
  ): Promise<Offer[]> {
    if (draw !== undefined) return [await once(draw.n)].filter((offer) => offer !== null)
    const different = new Map<string, Offer>()
    for (let wave = 0; different.size < most && wave < mostWaves; wave++) {
      const draws = Array.from({ length: most }, (_, i) => wave * most + i + 1)
      for (const offer of await Promise.all(draws.map(once)))
        if (offer !== null) different.set(keyOf(offer), offer)
    }
    return [...different.values()].slice(0, most)
  }

  function moves(puzzle: Puzzle, wanted: Wanted): Promise<Offer[]> {
    const once = async (draw: number): Promise<Offer | null> => {
      const said = (await ask(PROMPTS.puzzle(puzzle), { stop: ';', draw })) ?? ''
      const step = readStep(said)
      if (step === null) return said === '' ? null : { said }
      const { operator, left, right, value } = step
      return { operation: operation(operator, number(left), number(right)), value }
    }
    return drawn(wanted, once, MOST_WAVES)
  }

  /** In any order they come to the same: one is enough. */
  function reductions(expressions: readonly Expression[], wanted: Wanted): Promise<Offer[]> {
    const open = expressions.filter((expression) => countOperations(expression) > 0)
    const once = async (draw: number): Promise<Offer | null> => {
      const expression = open[(draw - 1) % open.length]
      return expression === undefined ? null : firstMove(expression, draw)
    }
    return drawn(wanted, once, 1)
  }

  return {
    isExact: false,
    value,
    workOut,
    standing,
    reach,
    moves,
    reductions,
    async worth(puzzle) {
      const share = await weigh(PROMPTS.value(puzzle), ['s', 'i'])
      if (share === null) return { score: 5, confidence: 0 }
      return { score: 10 * share, confidence: Math.max(share, 1 - share) }
    },
    async tool({ offered, used, wantsFile }: ToolChoice) {
      const said = await ask(PROMPTS.tool(lettersOf(offered), wantsFile, lettersOf(used)))
      return DEEDS.get(said ?? '') ?? null
    },
  }
}

/** Each asks as often as moves are wanted: what a model thinks of first is often the same. */
const MOST_WAVES = 4

/** What a word problem asks for; null where the model does not say. */
export async function translated({ ask }: Questions, goal: string): Promise<Task | null> {
  const expression = readCompact((await ask(PROMPTS.words(goal))) ?? '')
  if (expression === null || countOperations(expression) === 0) return null
  return { type: 'compute', language: languageOf(goal), file: null, expressions: [expression] }
}

/** The part that is written like this; null for the whole, and for what is not there. */
function partOf(expression: Expression, text: string): Expression | null {
  for (const part of operandsOf(expression)) {
    const found = compactExpression(part) === text ? part : partOf(part, text)
    if (found !== null) return found.type === 'number' ? null : found
  }
  return null
}

function operandsOf(expression: Expression): Expression[] {
  if (expression.type === 'number') return []
  return expression.type === 'negation' ? [expression.of] : [expression.left, expression.right]
}

function withMove(expression: Expression, { operation: done, value }: Move): Expression {
  const text = compactExpression(done)
  return substitute(expression, (part) => (compactExpression(part) === text ? value : undefined))
}

interface Item {
  readonly value: Rational
  readonly expression: Expression
}

/** The expression that moves amount to, as far as they can be read, and what the last one says that it comes to. */
function followed({ numbers }: Puzzle, moves: readonly string[]): Item | null {
  const items: Item[] = numbers.map((value) => ({ value, expression: number(value) }))
  /** The one made last first, as the strategies read moves. A number that is not there is taken as it is. */
  const take = (value: Rational): Expression => {
    const at = items.findLastIndex((item) => equals(item.value, value))
    return at < 0 ? number(value) : ((items.splice(at, 1)[0] as Item).expression as Expression)
  }
  let last: Item | null = null
  for (const move of moves) {
    const step = readStep(move)
    if (step === null) return last
    const [left, right] = [take(step.left), take(step.right)]
    last = { value: step.value, expression: operation(step.operator, left, right) }
    items.push(last)
  }
  return last
}

function keyOf(offer: Offer): string {
  if ('said' in offer) return offer.said
  return `${compactExpression(offer.operation)}=${compactExpression(number(offer.value))}`
}

const LETTERS: Readonly<Record<Deed, string>> = { calculate: 'c', write: 'w' }
const DEEDS: ReadonlyMap<string, Deed> = new Map([
  ['c', 'calculate'],
  ['w', 'write'],
])

function lettersOf(deeds: readonly Deed[]): string {
  return deeds.map((deed) => LETTERS[deed]).join('')
}
