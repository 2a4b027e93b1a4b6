/**
 * A model that ships: it takes requests by kind and input. The strategies give replies their form, the model's mind decides what stands
 * in them. It understands arithmetic goals, refuses every other one and says how to connect a model. It costs nothing.
 */
import type { Task } from '../../arithmetic/parse-goal.ts'
import { VALUE_REQUEST } from '../../kernel/output/prompts.ts'
import {
  goalTitle,
  type Language,
  languageOf,
  type ModelReply,
  type ModelRequest,
  messageText,
  ThinkonError,
} from '../../protocol/index.ts'
import { CallTools, type Kind } from './kinds.ts'
import type { Mind } from './mind.ts'
import { VALUE_KIND } from './value-kind.ts'
import { WORDS, type Words } from './words.ts'

/** How a kind of request is answered: each strategy provides its kinds in its embedded.ts. */
export type KindOf = (kind: string) => Promise<Kind | undefined> | Kind | undefined

/** What a model says of itself. */
export interface SelfWords {
  readonly about: string
  refused(goal: string): string
  unknownKind(kind: string): string
  /** What the run's output asks for is not what there is. */
  readonly noValue: string
}

export interface Answering {
  readonly id: string
  readonly self: Readonly<Record<Language, SelfWords>>
  /** The model is the default of a program that passed none. */
  readonly isDefault?: boolean
  readonly kindOf: KindOf
  mindFor(language: Language): Mind
  /** What the goal asks for; null for what is none of the model's business. */
  understand(goal: string): Promise<Task | null>
  usage(text: string): ModelReply['usage']
}

export async function answer(request: ModelRequest, answering: Answering): Promise<ModelReply> {
  const { id, self, kindOf, mindFor, understand, usage } = answering
  if (request.input === undefined) throw onlyMessages(request, answering)
  const known = request.kind === VALUE_REQUEST ? VALUE_KIND : await kindOf(request.kind)
  const goal = known?.goalOf(request.input)
  if (known === undefined || goal === undefined) throw unknownKind(request, answering)
  const task = await understand(goal)
  if (task === null) throw refusal(goal, answering)
  const words = WORDS[task.language]
  const analysis = { goal, task, words, tools: toolNames(request), mind: mindFor(task.language) }
  const value = await known.answer(analysis, request.input)
  if (value === null) {
    const data = { model: id, kind: request.kind }
    throw new ThinkonError('NO_MODEL', `${self[task.language].noValue}\n${advice(words, answering)}`, {
      data,
    })
  }
  if (value instanceof CallTools)
    return { text: '', toolCalls: value.calls, usage: usage(JSON.stringify(value.calls)) }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return typeof value === 'string' ? { text, usage: usage(text) } : { text, value, usage: usage(text) }
}

export function refusal(
  goal: string,
  { id, self, isDefault = false }: Pick<Answering, 'id' | 'self' | 'isDefault'>,
): ThinkonError {
  const language = languageOf(goal)
  const message = `${self[language].refused(goalTitle(goal))}\n${advice(WORDS[language], { isDefault })}`
  return new ThinkonError('NO_MODEL', message, { data: { model: id, goal: goalTitle(goal) } })
}

function advice({ connect, passModel }: Words, { isDefault }: Pick<Answering, 'isDefault'>): string {
  return isDefault ? passModel : connect
}

/** Tools are listed in the request if they can be called natively, otherwise in its input. */
function toolNames({ tools = [], input }: ModelRequest): readonly string[] {
  const listed = (input as { tools?: unknown }).tools
  return [...tools, ...(Array.isArray(listed) ? listed : [])]
    .map((item: unknown) => (typeof item === 'string' ? item : (item as { name?: unknown } | null)?.name))
    .filter((name) => typeof name === 'string')
}

/** It answers what a prompt was made from, not its words: a prompt that a person has edited in a fork it can't answer. */
function onlyMessages({ kind, messages }: ModelRequest, answering: Answering): ThinkonError {
  const { id } = answering
  const words = WORDS[languageOf(messages.map(messageText).join('\n'))]
  return new ThinkonError('NO_MODEL', `${words.onlyMessages(id, kind)}\n${advice(words, answering)}`, {
    data: { model: id, kind },
  })
}

function unknownKind({ kind, input }: ModelRequest, answering: Answering): ThinkonError {
  const { id, self } = answering
  const goal = (input as { goal?: unknown } | null | undefined)?.goal
  const language = languageOf(typeof goal === 'string' ? goal : '')
  const message = `${self[language].unknownKind(kind)}\n${advice(WORDS[language], answering)}`
  return new ThinkonError('NO_MODEL', message, { data: { model: id, kind } })
}
