import type { Schema } from '../../kernel/schema.ts'
import type { Limits, Question, Todo } from '../../protocol/index.ts'
import { type OptionRules, optionsSchema, readOptions } from '../read-options.ts'
import { invalidReply } from '../read-value.ts'

/** What the model may reply. */
export type Move =
  | { do: 'return'; result: string; status?: 'completed' | 'partial' | 'failed'; reason?: string }
  | { do: 'plan'; todo: Todo }
  /** Solves these sub-goals concurrently; with `first`, the fastest wins and the others are cancelled. */
  | { do: 'call'; goals: string[]; first?: boolean; budget?: Partial<Limits> }
  | { do: 'tool'; calls: { id?: string; name: string; input: unknown }[] }
  | { do: 'ask'; question: Question; timeoutMs?: number }
  | { do: 'note'; name: string; data: unknown }

export interface MinimalOptions {
  /**
   * How many characters of the timeline stand in a request's `input`, which programs behind the model port read; messages are made by the
   * brief. Default: 8,000.
   */
  timelineChars: number
  /** When the same call has come so many times the model is warned; once more is refused. Default: 3. */
  maxRepeats: number
}

const RULES: OptionRules<MinimalOptions> = {
  timelineChars: {
    type: 'whole',
    least: 0,
    most: 100_000,
    fallback: 8_000,
    about: 'how many characters of the timeline a program behind the model port is given',
  },
  maxRepeats: {
    type: 'whole',
    least: 1,
    most: 1_000,
    fallback: 3,
    about:
      'how often the same tool call or sub-goal may repeat without new results before the model is warned; once more is refused',
  },
}

export const OPTIONS_SCHEMA = optionsSchema(RULES)

export function checkOptions(given: Readonly<Record<string, unknown>>): MinimalOptions {
  return readOptions('minimal', RULES, given)
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
      throw invalidReply(`"do" must be one of ${MOVES.join(', ')}`, value)
    }
    if (move.do === 'return' && typeof move.result !== 'string')
      throw invalidReply('return needs a text "result"', value)
    if (move.do === 'plan' && typeof move.todo !== 'string' && !isTexts(move.todo))
      throw invalidReply('plan needs "todo"', value)
    if (move.do === 'call' && !isTexts(move.goals))
      throw invalidReply('call needs "goals", a list of texts', value)
    if (move.do === 'tool' && !Array.isArray(move.calls)) throw invalidReply('tool needs "calls"', value)
    if (move.do === 'ask' && typeof move.question?.text !== 'string')
      throw invalidReply('ask needs "question.text"', value)
    if (move.do === 'note' && typeof move.name !== 'string') throw invalidReply('note needs a "name"', value)
    return move
  },
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
