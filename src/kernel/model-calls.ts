/**
 * The model calls of one block: a brief becomes a request, and some replies are answered here before the strategy sees them.
 *
 * 1. A request is made from records alone (budget and window are recorded with the run), so that a block that is executed
 *    again makes the same bytes.
 * 2. What a person said and the kernel noticed since a conversation's last request is said in it before the next (B7).
 * 3. A model that asks for what was left out reads it, where the strategy offers no tools of its own (B4).
 * 4. A request that was too long for the model teaches its window, and is fitted anew.
 */
import type {
  ErrorData,
  Language,
  ModelReply,
  ModelRequest,
  QuestionNames,
  Result,
  Role,
  ToolCall,
  ToolSpec,
} from '../protocol/index.ts'
import type { JsonSchema } from '../schema/check-schema.ts'
import { type Brief, isBrief } from './brief/brief.ts'
import { Conversation } from './brief/conversation.ts'
import { type Fitted, fitBrief, foldingRoom, type PromptLimits, wholeFits } from './brief/fit-brief.ts'
import { DEFAULT_WINDOW, promptBudget } from './brief/prompt-budget.ts'
import type { Section } from './brief/section.ts'
import { READ_RESULT } from './brief/shown-result.ts'
import { CLOSING_OUTPUT_TOKENS } from './budget.ts'
import type { BlockFrame, Durable, Op } from './durable.ts'
import type { Knowledge } from './knowledge.ts'
import { cleanRequest, DEFAULT_OUTPUT_TOKENS, modelReserve, shortReply } from './model-effect.ts'
import { outputRule, VALUE_REQUEST } from './output/prompts.ts'
import { PersonCalls } from './person-calls.ts'
import { requireRecordable } from './recorded-value.ts'
import type { KernelServices } from './services.ts'
import { begun, type ModelCall, type ModelWork } from './work.ts'

/** What the calls need of their block. */
export interface CallingBlock {
  readonly durable: Durable
  readonly services: KernelServices
  readonly frame: BlockFrame
  readonly knows: Knowledge
  readonly output: JsonSchema | null
  readonly language: Language
  readonly names: QuestionNames
  /** Calls that nobody holds. */
  callsLeft(): number
  /** Tokens that nobody holds, besides what the block kept back for closing. */
  tokensLeft(): number
  /** Starts a call of `read_result`. */
  readResult(input: unknown): Op
}

/** For models without native tool calls. */
const READ_RULE =
  'To read what was left out before you answer, answer with this alone: {"name":"…","input":{…}}'

/** How often one call may read or be fitted anew: a model that only reads never answers. */
const MAX_AGAIN = 12

export class ModelCalls {
  private readonly block: CallingBlock
  /** Windows by role, learned from providers that refused a request as too long. */
  private readonly learned: Partial<Record<Role, number>> = {}

  private readonly person: PersonCalls

  constructor(block: CallingBlock) {
    this.block = block
    this.person = new PersonCalls(block)
  }

  /** A request that a strategy has made itself is a step and no more. */
  begin(given: Brief | ModelRequest, closing: boolean): ModelWork {
    if (!isBrief(given)) return begun<ModelWork>('model', this.step(given, closing, false), null)
    const brief = this.withOutput(given)
    const call: ModelCall = { closing, brief, mayRead: false, again: 0, reading: [] }
    return begun<ModelWork>('model', this.ask(call, brief), call)
  }

  roomFor(given: Brief): number | null {
    const brief = this.withOutput(given)
    return foldingRoom(brief, this.limitsOf(brief).budget, this.block.services.reader)
  }

  /** Who answers the run is told the form that its result must have. */
  private withOutput(brief: Brief): Brief {
    const { output } = this.block
    if (output === null || brief.role === 'compact' || brief.kind === VALUE_REQUEST) return brief
    return { ...brief, system: [brief.system, outputRule(output)].flat() }
  }

  /** Begins what continues the call after this end; null when the end is the strategy's. */
  next({ of: call, n }: ModelWork, result: Result): (() => Op) | null {
    const asking = this.person.next(n, result)
    if (asking !== undefined) return asking
    return call === null ? null : this.continuation(call, n, result)
  }

  /** Whether it waits for a person's answer, which is no reply yet. */
  asksPerson({ n }: ModelWork): boolean {
    return this.person.isQuestion(n)
  }

  private continuation(call: ModelCall, n: number, result: Result): (() => Op) | null {
    const { brief } = call
    if (call.reading.length > 0) return () => this.readNext(call, brief, result, n)
    if (call.again >= MAX_AGAIN) return null
    if (!result.ok) return this.fitAnew(call, brief, result.error)
    const reply = result.value as ModelReply
    return this.asksToRead(call, reply) ? () => this.beginReading(call, brief, reply) : null
  }

  private asksToRead({ mayRead }: ModelCall, { toolCalls = [] }: ModelReply): boolean {
    return mayRead && toolCalls.length > 0 && toolCalls.every(({ name }) => name === READ_RESULT)
  }

  private beginReading(call: ModelCall, brief: Brief, reply: ModelReply): Op {
    call.again++
    this.conversationOf(call, brief).reply(reply)
    call.reading = [...(reply.toolCalls ?? [])]
    return this.block.readResult(call.reading[0]?.input)
  }

  private ask(call: ModelCall, brief: Brief): Op {
    if (brief.conversation !== undefined) this.block.knows.tellNews(brief.conversation)
    const fitted = this.fit(call, brief)
    call.mayRead = fitted.isShortened && brief.tools === undefined && this.readerFor(call) !== null
    const { compacted } = fitted
    if (compacted !== undefined)
      this.block.durable.emit({ type: 'note', name: 'conversation-compacted', data: compacted })
    const request = call.mayRead ? { ...fitted.request, toolRule: READ_RULE } : fitted.request
    return this.step(request, call.closing, true)
  }

  /** A model that only reads is not offered to read any more: it has to answer. */
  private readerFor({ again }: ModelCall): ToolSpec | null {
    return again < MAX_AGAIN ? this.block.services.reader : null
  }

  private fit(call: ModelCall, brief: Brief): Fitted {
    const { budget, most } = this.limitsOf(brief)
    if (!call.closing) return fitBrief(brief, { budget, most }, this.readerFor(call))
    // What is kept back for closing is little: nothing is indispensable then, and nothing is read.
    const room = Math.floor((this.closingTokens() - CLOSING_OUTPUT_TOKENS) * COUNTED_SHARE)
    const least = Math.max(0, Math.min(budget, room))
    return fitBrief(withoutWhole(brief), { budget: least, most }, null)
  }

  private limitsOf({ role, settings }: Brief): PromptLimits {
    const { config } = this.block.frame
    const learned = this.learned[role]
    const window = learned ?? config.windows?.[role] ?? DEFAULT_WINDOW
    const recorded = config.promptTokens?.[role] ?? promptBudget(window)
    const reply = Math.min(settings?.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS, Math.floor(window / 4))
    const budget = learned === undefined ? recorded : Math.min(recorded, promptBudget(window))
    return { budget, most: Math.max(budget, window - reply) }
  }

  private fitAnew(call: ModelCall, brief: Brief, { code, data }: ErrorData): (() => Op) | null {
    if (code !== 'CONTEXT_OVERFLOW') return null
    const { role } = brief
    const told = typeof data?.window === 'number' ? data.window : this.limitsOf(brief).budget
    // A window that was known already: our count of tokens is too low for this text.
    const known = this.learned[role] ?? this.block.frame.config.windows?.[role] ?? Number.POSITIVE_INFINITY
    const window = Math.min(told, Math.floor(known * 0.8))
    if (window < LEAST_WINDOW) return null
    this.learned[role] = window
    // What must be whole does not fit there: then the provider's refusal is the call's result.
    if (!call.closing && !wholeFits(brief, this.limitsOf(brief), this.readerFor(call))) return null
    call.again++
    return () => this.ask(call, brief)
  }

  private readNext(call: ModelCall, brief: Brief, result: Result, n: number): Op {
    const ref = this.block.knows.refOf(n)
    const [answered, ...rest] = call.reading as [ToolCall, ...ToolCall[]]
    const conversation = this.conversationOf(call, brief)
    conversation.answer([{ call: answered, result, ref }])
    call.reading = rest
    if (rest.length === 0 && call.again >= MAX_AGAIN)
      conversation.say('No more can be read: answer with what you have.')
    const [next] = rest
    return next === undefined ? this.ask(call, brief) : this.block.readResult(next.input)
  }

  private step(given: ModelRequest, closing: boolean, isFitted: boolean): Op {
    const { services } = this.block
    const clean = cleanRequest(given, services.clean)
    const request = closing ? shortReply(clean) : clean
    // What a brief was made of was read already, to fit it.
    const tokensLeft = isFitted ? 0 : this.block.tokensLeft()
    const reserve = modelReserve(request, services.model(request.role), tokensLeft)
    if (reserve.tokens > MANY_TOKENS) requireRecordable(request.messages, `the request ${request.kind}`)
    const kept = closing ? this.block.frame.kept.calls : 0
    const mayCall = this.block.callsLeft() + kept > 0
    return this.person.begin({ kind: 'model', request, reserve, closing }, mayCall)
  }

  /** What a closing call may take, its reply included. */
  private closingTokens(): number {
    return this.block.tokensLeft() + this.block.frame.kept.tokens
  }

  /** A request on its own becomes a conversation when the model reads. */
  private conversationOf(call: ModelCall, brief: Brief): Conversation {
    if (brief.conversation !== undefined) return brief.conversation
    const conversation = new Conversation(brief.sections)
    // All that was said until now is in its sections.
    this.block.knows.tellNews(conversation)
    const { sections: _, ...rest } = brief
    call.brief = { ...rest, conversation }
    return conversation
  }
}

/** A request of fewer is never too large for the journal. */
const MANY_TOKENS = 100_000
/** Reserves are counted by an upper bound; what fits is counted by what is expected. */
const COUNTED_SHARE = 0.6
const LEAST_WINDOW = 1_000

function withoutWhole(brief: Brief): Brief {
  const opening = brief.conversation?.opening ?? brief.sections ?? []
  const sections = opening.map((section): Section => {
    return section.need === 'whole' ? { ...section, need: 'first' } : section
  })
  if (brief.conversation === undefined) return { ...brief, sections }
  const { conversation, ...rest } = brief
  return { ...rest, sections: [...sections, conversation.asSection()] }
}
