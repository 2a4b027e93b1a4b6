/**
 * embedded:abacus: a program behind the model port, not a language model, and it says so. It understands arithmetic goals in English
 * and Chinese and answers structured requests about them step by step, by computing. It is deterministic.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseGoal } from '../../../arithmetic/parse-goal.ts'
import { estimateTokens } from '../../../kernel/budget.ts'
import type { Model } from '../../../kernel/model.ts'
import {
  type Language,
  type ModelReply,
  type ModelRequest,
  messageText,
  type ThinkonError,
} from '../../../protocol/index.ts'
import { answer, type KindOf, refusal } from '../embedded-model.ts'
import { WORDS } from '../words.ts'
import { exactMind } from './exact-mind.ts'
import { SELF } from './words.ts'

export const ABACUS = 'embedded:abacus'

export interface AbacusOptions {
  /** Delay of each answer, so that a person can watch the tree grow. */
  delayMs?: number
  kindOf: KindOf
}

export interface AbacusModel extends Model {
  describe(language?: Language): string
}

export function abacusModel({ delayMs = 0, kindOf }: AbacusOptions): AbacusModel {
  return {
    id: ABACUS,
    describe: (language = 'en') => SELF[language].about,
    cost: () => 0,
    refusal: refusalOf,
    async call(request, io) {
      io.signal.throwIfAborted()
      if (delayMs > 0) await sleep(delayMs, undefined, { signal: io.signal })
      return answer(request, {
        id: ABACUS,
        self: SELF,
        kindOf,
        mindFor: (language) => exactMind(WORDS[language]),
        understand: async (goal) => parseGoal(goal),
        usage: (text) => usageOf(request, text),
      })
    },
  }
}

/** Why the abacus can't work on this goal; null if it can. Checked before a run starts. */
export function refusalOf(goal: string): ThinkonError | null {
  return parseGoal(goal) === null ? refusal(goal, { id: ABACUS, self: SELF }) : null
}

function usageOf(request: ModelRequest, text: string): ModelReply['usage'] {
  const inputTokens = request.messages.reduce((sum, item) => sum + estimateTokens(messageText(item)), 0)
  return { inputTokens, outputTokens: estimateTokens(text), costUsd: 0 }
}
