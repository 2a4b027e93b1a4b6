/**
 * embedded:abacus, the default model: a program behind the model port, not a language model, and it says so. It understands
 * arithmetic goals in English and Chinese and answers structured requests about them step by step, by computing. It is
 * deterministic and costs nothing. It refuses every other goal and says how to connect a model.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseGoal } from '../../../arithmetic/parse-goal.ts'
import { estimateTokens } from '../../../kernel/budget.ts'
import type { Model } from '../../../kernel/model.ts'
import { VALUE_REQUEST } from '../../../kernel/output/prompts.ts'
import {
  goalTitle,
  type Language,
  languageOf,
  type ModelReply,
  type ModelRequest,
  messageText,
  ThinkonError,
} from '../../../protocol/index.ts'
import { CallTools, type Kind } from './kinds.ts'
import { VALUE_KIND } from './value-kind.ts'
import { WORDS, type Words } from './words.ts'

export const ABACUS = 'embedded:abacus'

export interface AbacusOptions {
  /** Delay of each answer, so that a person can watch the tree grow. */
  delayMs?: number
  /** How a kind of request is answered: each strategy provides its kinds in its abacus.ts. */
  kindOf(kind: string): Promise<Kind | undefined> | Kind | undefined
}

export interface AbacusModel extends Model {
  describe(language?: Language): string
}

export function abacusModel({ delayMs = 0, kindOf }: AbacusOptions): AbacusModel {
  return {
    id: ABACUS,
    describe: (language = 'en') => WORDS[language].about,
    cost: () => 0,
    refusal: refusalOf,
    async call(request, io) {
      io.signal.throwIfAborted()
      if (delayMs > 0) await sleep(delayMs, undefined, { signal: io.signal })
      const known = request.kind === VALUE_REQUEST ? VALUE_KIND : await kindOf(request.kind)
      return replyTo(request, known)
    },
  }
}

/** Why the abacus can't work on this goal; null if it can. Checked before a run starts. */
export function refusalOf(goal: string): ThinkonError | null {
  return parseGoal(goal) === null ? refusal(goal) : null
}

function replyTo(request: ModelRequest, known: Kind | undefined): ModelReply {
  const goal = known?.goalOf(request.input)
  if (known === undefined || goal === undefined) throw unknownKind(request)
  const task = parseGoal(goal)
  if (task === null) throw refusal(goal)
  const words = WORDS[task.language]
  const value = known.answer({ goal, task, words, tools: toolNames(request) }, request.input)
  if (value === null) throw noValue(words, request)
  if (value instanceof CallTools) {
    return { text: '', toolCalls: value.calls, usage: usageOf(request, JSON.stringify(value.calls)) }
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return typeof value === 'string'
    ? { text, usage: usageOf(request, text) }
    : { text, value, usage: usageOf(request, text) }
}

function usageOf(request: ModelRequest, text: string): ModelReply['usage'] {
  const inputTokens = request.messages.reduce((sum, item) => sum + estimateTokens(messageText(item)), 0)
  return { inputTokens, outputTokens: estimateTokens(text), costUsd: 0 }
}

/** Tools are listed in the request if they can be called natively, otherwise in its input. */
function toolNames({ tools = [], input }: ModelRequest): readonly string[] {
  const listed = (input as { tools?: unknown }).tools
  return [...tools, ...(Array.isArray(listed) ? listed : [])]
    .map((item: unknown) => (typeof item === 'string' ? item : (item as { name?: unknown } | null)?.name))
    .filter((name) => typeof name === 'string')
}

function refusal(goal: string): ThinkonError {
  const words = WORDS[languageOf(goal)]
  return new ThinkonError('NO_MODEL', `${words.refused(goalTitle(goal))}\n${words.connect}`, {
    data: { model: ABACUS, goal: goalTitle(goal) },
  })
}

/** What the run's output asks for is not a number or a text for each result. */
function noValue(words: Words, { kind }: ModelRequest): ThinkonError {
  return new ThinkonError('NO_MODEL', `${words.noValue}\n${words.connect}`, { data: { model: ABACUS, kind } })
}

function unknownKind({ kind, input }: ModelRequest): ThinkonError {
  const goal = (input as { goal?: unknown } | null | undefined)?.goal
  const words = WORDS[languageOf(typeof goal === 'string' ? goal : '')]
  return new ThinkonError('NO_MODEL', `${words.unknownKind(kind)}\n${words.connect}`, {
    data: { model: ABACUS, kind },
  })
}
