/**
 * A person as the model of a block: each request is put as a question, and what is answered is read by a step like any model's reply.
 *
 * 1. The question is recorded before anybody answers, and waits like any other: a killed process, a pause and a later one lose nothing.
 * 2. What is on record is done when the block is executed again, whatever model the process then has.
 * 3. A reply that can't be read is asked for again, with what was wrong, as from any model.
 * 4. `null` as the answer hands the request to the model that the process has.
 */
import {
  type ErrorData,
  type Language,
  type Message,
  type ModelRequest,
  type Question,
  type QuestionNames,
  type Result,
  ThinkonError,
} from '../protocol/index.ts'
import { asEdited, ONE_CALL } from './as-edited.ts'
import type { Durable, Effect, Op } from './durable.ts'
import type { KernelServices } from './services.ts'

type ModelEffect = Effect & { kind: 'model' }

/** One call, in its question or in the step that reads what was answered. */
interface Asked {
  readonly effect: ModelEffect
  readonly isQuestion: boolean
  readonly answers: readonly unknown[]
  /** The number of the operation that another model would have made of the call. */
  readonly at: number
  /** It is asked with what a person wrote in a fork. */
  readonly isEdited: boolean
}

/** What is needed of the block that asks. */
interface AskingBlock {
  readonly durable: Durable
  readonly services: KernelServices
  /** Of its goal, for what a person is told besides the request. */
  readonly language: Language
  /** Of its questions. */
  readonly names: QuestionNames
}

/** The kind of name of these questions. */
export const REPLY = 'reply'

export class PersonCalls {
  private readonly block: AskingBlock
  /** Made on first use: most blocks ask no person. */
  private asked: Map<number, Asked> | null = null
  /** How many operations another model would not have made. */
  private extra = 0

  constructor(block: AskingBlock) {
    this.block = block
  }

  /** `mayCall`: the budget has room for it, as far as the block knows; without it the step is refused before anybody is asked. */
  begin(effect: ModelEffect, mayCall: boolean): Op {
    const { durable, services } = this.block
    const recorded = durable.peek()
    const asksPerson = services.model(effect.request.role).asksPerson === true
    if (recorded === null && !asksPerson) return durable.step(effect)
    const call = { effect: asksPerson ? { ...effect, reserve: ONE_CALL } : effect, answers: [] }
    if (recorded?.type === 'signal-asked') return this.ask(call, recorded.question ?? null, [])
    return recorded === null && mayCall ? this.ask(call, null, []) : this.step(call)
  }

  /** What continues the call after the end of this operation; null where that is the call's, undefined where it is no person's. */
  next(n: number, result: Result): (() => Op) | null | undefined {
    const call = this.asked?.get(n)
    if (call === undefined) return undefined
    this.asked?.delete(n)
    if (call.isQuestion) return result.ok ? () => this.answered(call, result.value) : null
    const more = result.ok ? null : askedAgain(result.error)
    if (more !== null) return () => this.ask(call, this.recordedQuestion(), more)
    // A request that a person wrote is not fitted anew: that would ask something else.
    return call.isEdited && !result.ok ? null : undefined
  }

  /** Whether it is a question, whose end is an answer and not a reply. */
  isQuestion(n: number): boolean {
    return this.asked?.get(n)?.isQuestion === true
  }

  private answered(call: Asked, answer: unknown): Op {
    if (answer === null || answer === undefined) return this.step({ ...call, answers: [] })
    return this.step({ ...call, answers: [...call.answers, answer] })
  }

  private ask(call: Begun, recorded: Question | null, more: readonly Message[]): Op {
    const name = this.block.names.next(REPLY)
    const question = recorded ?? questionOf(call.effect.request, more, this.block.language)
    return this.made(this.block.durable.wait(name, question), call, true)
  }

  private step(call: Begun): Op {
    const { answers, at } = call
    const { durable, services } = this.block
    const effect = asEdited(call.effect, durable.peek(), services)
    if (effect.edited) {
      const { edited: _, ...asked } = effect
      // What was answered before the edit answers another request.
      return this.made(durable.step(effect), { ...call, effect: asked, answers: [], isEdited: true }, false)
    }
    if (answers.length === 0) return this.made(durable.step(effect), call, false)
    // Whoever answers is not paid by the token, also where another model was to.
    const said = { answers, n: at ?? 0 }
    return this.made(durable.step({ ...effect, reserve: ONE_CALL, said }), call, false)
  }

  private made(op: Op, call: Begun, isQuestion: boolean): Op {
    const { effect, answers, at, isEdited = false } = call
    if (at !== undefined) this.extra++
    this.asked ??= new Map()
    this.asked.set(op.n, { effect, answers, isQuestion, at: at ?? op.n - this.extra, isEdited })
    return op
  }

  private recordedQuestion(): Question | null {
    const recorded = this.block.durable.peek()
    return recorded?.type === 'signal-asked' ? (recorded.question ?? null) : null
  }
}

type Begun = Pick<Asked, 'effect' | 'answers'> & Partial<Pick<Asked, 'at' | 'isEdited'>>

/**
 * What a model throws that has read all answers so far and needs another one. `messages` continue the request: the reply that could not be
 * read, and what was wrong with it.
 */
export function needsAnswer(message: string, messages: readonly Message[]): ThinkonError {
  return new ThinkonError('INVALID_FORMAT', message, { data: { askAgain: messages } })
}

/** The messages by which a person is asked again; null where the error is the call's result. */
export function askedAgain({ code, data }: Pick<ErrorData, 'code' | 'data'>): readonly Message[] | null {
  return code === 'INVALID_FORMAT' && Array.isArray(data?.askAgain) ? data.askAgain : null
}

function questionOf(
  { input: _, ...request }: ModelRequest,
  more: readonly Message[],
  lang: Language,
): Question {
  const { kind, messages } = request
  const text = more.length === 0 ? ASKS[lang].first(kind) : ASKS[lang].again(kind)
  return { text, request: { ...request, messages: [...messages, ...more] } }
}

const ASKS: Readonly<Record<Language, Record<'first' | 'again', (kind: string) => string>>> = {
  en: {
    first: (kind) => `You are the model: answer ${kind}`,
    again: (kind) => `That reply can't be used: answer ${kind} again`,
  },
  zh: {
    first: (kind) => `请你充当模型，回答 ${kind}`,
    again: (kind) => `这个回答无法使用：请再回答一次 ${kind}`,
  },
}
