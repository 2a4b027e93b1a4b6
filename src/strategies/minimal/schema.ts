import type { Schema } from '../../kernel/strategy.ts'
import { type Limits, type Question, ThinkonError, type Todo } from '../../protocol/index.ts'

/** What the model may say. */
export type Move =
  | { do: 'return'; result: string; status?: 'completed' | 'partial' | 'failed'; reason?: string }
  | { do: 'plan'; todo: Todo }
  /** Solves these sub-goals at once; with `first`, the fastest wins and the others are cancelled. */
  | { do: 'call'; goals: string[]; first?: boolean; budget?: Partial<Limits> }
  | { do: 'tool'; calls: { name: string; input: unknown }[] }
  | { do: 'ask'; question: Question; timeoutMs?: number }
  | { do: 'note'; name: string; data: unknown }

export interface MinimalOptions {
  /** How many characters of the timeline a prompt holds. */
  timelineChars: number
  /** The same again and again so many times is told, once more is refused. */
  maxRepeats: number
}

const DEFAULTS: MinimalOptions = { timelineChars: 8_000, maxRepeats: 3 }
const RANGES: Record<keyof MinimalOptions, [number, number]> = {
  timelineChars: [0, 100_000],
  maxRepeats: [1, 1_000],
}

export function checkOptions(given: Readonly<Record<string, unknown>>): MinimalOptions {
  const options = { ...DEFAULTS }
  for (const [key, value] of Object.entries(given)) {
    const range = RANGES[key as keyof MinimalOptions]
    if (range === undefined) {
      throw new ThinkonError(
        'BAD_INPUT',
        `minimal has no option "${key}"; it has: ${Object.keys(RANGES).join(', ')}`,
      )
    }
    if (typeof value !== 'number' || !(value >= range[0] && value <= range[1])) {
      throw new ThinkonError(
        'BAD_INPUT',
        `${key} must be a number from ${range[0]} to ${range[1]}, not ${value}`,
      )
    }
    options[key as keyof MinimalOptions] = value
  }
  return options
}

const MOVES = ['return', 'plan', 'call', 'tool', 'ask', 'note']

export const moveSchema: Schema<Move> = {
  json: {
    type: 'object',
    properties: { do: { enum: MOVES } },
    required: ['do'],
  },
  check(value) {
    const move = value as Move | null
    if (typeof move !== 'object' || move === null || !MOVES.includes(move.do)) {
      throw invalid(`"do" must be one of ${MOVES.join(', ')}`, value)
    }
    if (move.do === 'return' && typeof move.result !== 'string')
      throw invalid('return needs a text "result"', value)
    if (move.do === 'plan' && typeof move.todo !== 'string' && !isTexts(move.todo))
      throw invalid('plan needs "todo"', value)
    if (move.do === 'call' && !isTexts(move.goals))
      throw invalid('call needs "goals", a list of texts', value)
    if (move.do === 'tool' && !Array.isArray(move.calls)) throw invalid('tool needs "calls"', value)
    if (move.do === 'ask' && typeof move.question?.text !== 'string')
      throw invalid('ask needs "question.text"', value)
    if (move.do === 'note' && typeof move.name !== 'string') throw invalid('note needs a "name"', value)
    return move
  },
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function invalid(what: string, value: unknown): ThinkonError {
  return new ThinkonError('INVALID_FORMAT', `the reply is not a move: ${what}`, {
    data: { text: JSON.stringify(value)?.slice(0, 500) },
  })
}
