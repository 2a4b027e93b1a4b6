/** The strategy's options, and what its two requests are answered with. */
import type { Schema } from '../../kernel/schema.ts'
import type { Context } from '../../kernel/strategy.ts'
import type { StrategyName } from '../../protocol/strategy-registry.ts'
import { type OptionRules, optionsSchema, readOptions } from '../read-options.ts'
import { asObject, invalidReply } from '../read-value.ts'
import type { BestOfNotes } from './notes.ts'

export type BestOfContext = Context<BestOfOptions, BestOfNotes>

export interface BestOfOptions {
  /** At most so many samples: fewer where one is verified, or where the others could not change the vote. Default: 5. */
  samples: number
  /** At most so many samples are drawn at once. Default: 5. */
  concurrency: number
  /** Of the model, for samples that are single calls. Default: 0.7. */
  temperature: number
  /** Whether a program looks at the answers where it can. Default: true. */
  verify: boolean
  /** The strategy that each sample is solved with, as a block of its own. Default: none; a sample is one call. */
  strategy?: StrategyName
}

const RULES: OptionRules<BestOfOptions> = {
  samples: { type: 'whole', least: 1, most: 1_000, fallback: 5 },
  concurrency: { type: 'whole', least: 1, most: 100, fallback: 5 },
  temperature: { type: 'number', least: 0, most: 2, fallback: 0.7 },
  verify: { type: 'switch', fallback: true, about: 'a program checks the answers where it can' },
  strategy: { type: 'text' },
}

export const OPTIONS_SCHEMA = optionsSchema(RULES)

export function checkOptions(given: Readonly<Record<string, unknown>>): BestOfOptions {
  return readOptions('best-of', RULES, given)
}

const TEXT = { type: 'string' }

export const answerSchema: Schema<{ answer: string }> = {
  json: { type: 'object', properties: { reasoning: TEXT, answer: TEXT }, required: ['answer'] },
  check(value) {
    const { answer } = asObject(value)
    // Where the run's result is a value, models also give it as it is.
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
    if (text === undefined || text.trim() === '') throw invalidReply('"answer" is empty', value)
    return { answer: text }
  },
}

/** Which of so many answers is the best, counted from 1. */
export function choiceSchema(count: number): Schema<{ best: number }> {
  return {
    json: {
      type: 'object',
      properties: { reason: TEXT, best: { type: 'integer', minimum: 1, maximum: count } },
      required: ['best'],
    },
    check(value) {
      const { best } = asObject(value)
      if (!Number.isInteger(best) || (best as number) < 1 || (best as number) > count)
        throw invalidReply(`"best" must be a number from 1 to ${count}`, value)
      return { best: best as number }
    },
  }
}
