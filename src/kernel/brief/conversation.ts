/**
 * The conversation of one loop: the model's own turns as it wrote them, the results of its tool calls, what was refused and why,
 * a person's words. A request is the conversation so far plus what is new.
 *
 * 1. Its opening (the sections) and its turns stay byte-equal from request to request, until a compaction.
 * 2. A compaction is rare and recorded. It shortens old results, then folds the oldest turns into a line each; a person's words,
 *    and all else that was said to be kept, survive whole. What an earlier one kept is never thrown away by a later one.
 * 3. The last exchange is never shortened: what was read with `read_result` stands whole in the request that follows (B4). Nor is
 *    the last turn that was said to stand, such as a plan, or anything after it.
 * 4. Every native tool call is followed by its result, as providers demand.
 */
import { type Message, type ModelReply, messageText, oneLine, shorten } from '../../protocol/index.ts'
import { shortenFenced } from '../fence.ts'
import { Folded } from './folded.ts'
import type { Section } from './section.ts'
import { type Answered, shownResult } from './shown-result.ts'
import {
  callText,
  MAX_ERROR,
  MAX_LINE,
  messageTokens,
  type Turn,
  transcriptOf,
  withAllAnswers,
} from './turn.ts'

export interface TurnOptions {
  /** What remains of the turn when it is folded: its first words unless given; nothing if empty. */
  readonly line?: string
  /** It survives a compaction whole: a decision, an error, what a person said. */
  readonly keep?: boolean
  /** An error: what it said survives a compaction. */
  readonly failed?: boolean
  /** It is whole until another turn is said to stand: a plan that the next one replaces. */
  readonly stands?: boolean
}

/** What a turn shows of a reply. */
export type TurnOfModel = Pick<ModelReply, 'text' | 'toolCalls' | 'reasoning'>

export interface Compacted {
  readonly turns: number
  readonly tokensBefore: number
  readonly tokensAfter: number
}

/** Of an old result, before it is folded. */
const SHORT_RESULT = 1_200
/** Of each of many results that came at once. */
const LEAST_RESULT = 150

export class Conversation {
  /** What it is about: the sections of its first message. */
  readonly opening: readonly Section[]
  /** The first message as it stands since it did not fit; null while it is whole. */
  shortOpening: readonly string[] | null = null
  private turns: Turn[] = []
  private readonly folded: Folded
  private hasShortTurns = false
  /** The native calls of the model's last turn, by id. */
  private calls: ReadonlySet<string> = new Set()

  /** `ref` is by which `read_result` lists what the block has found. */
  constructor(opening: readonly Section[], ref?: string) {
    this.opening = opening
    this.folded = new Folded(ref)
  }

  /** Something was shortened or folded: `read_result` is offered from then on. */
  get isShortened(): boolean {
    return this.hasShortTurns || this.shortOpening !== null
  }

  get isEmpty(): boolean {
    return this.turns.length === 0 && this.folded.isEmpty
  }

  /** The model's turn, as it wrote it. */
  reply({ text, toolCalls, reasoning }: TurnOfModel, { line, keep, stands }: TurnOptions = {}): void {
    const called = toolCalls !== undefined && toolCalls.length > 0
    const message: Message = {
      role: 'assistant',
      content: text,
      ...(called && { toolCalls }),
      ...(reasoning !== undefined && { reasoning }),
    }
    this.calls = new Set(called ? toolCalls.map(({ id }) => id) : [])
    const calls = called ? toolCalls.map(callText).join('; ') : ''
    const first = line ?? `you: ${shorten(oneLine([text, calls].filter(Boolean).join(' ')), MAX_LINE)}`
    this.add(message, keep ? null : first, { stands })
  }

  /** Words to the model that are not data: a refusal, a notice, what a person said. */
  say(text: string, { line, keep, stands, failed }: TurnOptions = {}): void {
    const first = line ?? (failed ? shortenFenced(text, MAX_ERROR) : shorten(oneLine(text), MAX_LINE))
    this.add({ role: 'user', content: text }, keep ? null : first, { stands, failed })
  }

  /** Results of tools, in the order of the calls. One that was not called natively stands as the user's message. */
  answer(answers: readonly Answered[], options: TurnOptions = {}): void {
    for (const answered of answers) this.addAnswer(answered, options)
  }

  /** The turns as messages; what was folded comes first. */
  messages(): Message[] {
    const shown: Message[] = []
    if (!this.folded.isEmpty) shown.push({ role: 'user', content: this.folded.text() })
    for (const { message } of withAllAnswers(this.turns)) shown.push(message)
    return shown
  }

  get tokens(): number {
    return this.turns.reduce((sum, turn) => sum + turn.tokens, this.folded.tokens)
  }

  /** What no compaction can take away. */
  get keptTokens(): number {
    const whole = this.turns.filter(({ line }) => line === null)
    return whole.reduce((sum, { tokens }) => sum + tokens, this.folded.keptTokens)
  }

  /**
   * Makes it fit into so many tokens without touching its last exchange, which is shortened only where it alone takes more than
   * `most`. Null where nothing could be done.
   */
  compact(room: number, most: number): Compacted | null {
    const tokensBefore = this.tokens
    this.shortenOldest(room)
    const turns = this.foldTo(room)
    if (this.tokens > most) this.cutLast(most)
    const tokensAfter = this.tokens
    if (turns === 0 && tokensAfter >= tokensBefore) return null
    this.hasShortTurns = true
    return { turns, tokensBefore, tokensAfter }
  }

  /** What a summary of the oldest turns is made from, when all but so many tokens are to be folded. */
  oldest(room: number): { readonly turns: number; readonly text: string } | null {
    const turns = this.turnsBeyond(room)
    if (turns === 0) return null
    const texts = this.turns.slice(0, turns).map(({ message }) => transcriptOf(message))
    return { turns, text: texts.join('\n') }
  }

  /**
   * Replaces the oldest turns by a summary of them, in so many tokens for all that remains. What is to be kept stays whole, of
   * each result a line with its reference.
   */
  fold(turns: number, summary: string, room: number): void {
    this.folded.addSummary(this.turns.splice(0, turns), summary, room)
    if (!this.turns.some(({ message }) => message.role === 'assistant')) this.calls = new Set()
    this.hasShortTurns = true
  }

  /** The summaries of folded turns, the oldest first. */
  get summaries(): readonly string[] {
    return this.folded.summaries
  }

  /** Puts one summary in the place of the oldest ones; without one, the beginning of each. */
  joinSummaries(count: number, summary: string | null, room: number): void {
    this.folded.joinSummaries(count, summary, room)
  }

  /** The turns as items of a request of its own: for a closing call, which has no room for a conversation. */
  asSection(): Section {
    const items = this.messages().map((message) => ({ text: transcriptOf(message) }))
    return { need: 'then', title: 'What was done and said so far:', items }
  }

  private addAnswer(answered: Answered, { line, keep, failed }: TurnOptions): void {
    const { call, result } = answered
    const shown = shownResult(answered)
    const isKept = keep === true || shown.line === null
    const native = call.id !== undefined && this.calls.has(call.id)
    const make = (maxChars: number): Turn => {
      const text = shown.text(maxChars)
      const message: Message = native
        ? { role: 'tool', content: text, answers: { id: call.id as string, name: call.name } }
        : { role: 'user', content: `Result of ${callText(call)}:\n${text}` }
      return {
        message,
        tokens: messageTokens(message),
        line: isKept ? null : (line ?? shown.line),
        failed: failed ?? !result.ok,
        ...(shown.length > SHORT_RESULT && { cut: make }),
      }
    }
    this.turns.push(make(Number.POSITIVE_INFINITY))
  }

  private add(
    message: Message,
    line: string | null,
    { stands = false, failed = false }: { stands?: boolean | undefined; failed?: boolean | undefined },
  ): void {
    const tokens = messageTokens(message)
    this.turns.push({ message, tokens, line, ...(stands && { stands }), ...(failed && { failed }) })
  }

  private shortenOldest(room: number): void {
    const last = this.lastExchange()
    let tokens = this.tokens
    for (let i = 0; i < last && tokens > room; i++) {
      const turn = this.turns[i] as Turn
      const shorter = turn.cut?.(turn.failed ? MAX_ERROR : SHORT_RESULT)
      if (shorter === undefined || shorter.tokens >= turn.tokens) continue
      this.turns[i] = shorter
      tokens += shorter.tokens - turn.tokens
    }
  }

  /** The results of the last exchange alone are too long: all of them get the same limit. */
  private cutLast(room: number): void {
    const from = this.lastExchange()
    const last = this.turns.slice(from)
    let maxChars = Math.max(SHORT_RESULT, ...last.map(({ message }) => messageText(message).length))
    while (this.tokens > room && maxChars > LEAST_RESULT) {
      maxChars = Math.max(LEAST_RESULT, Math.floor(maxChars * 0.8))
      for (const [i, turn] of last.entries()) this.turns[from + i] = turn.cut?.(maxChars) ?? turn
    }
  }

  private foldTo(room: number): number {
    const turns = this.turnsBeyond(room)
    this.folded.add(this.turns.splice(0, turns), room)
    return turns
  }

  /** How many of the oldest turns do not fit; a call and its results stay together. */
  private turnsBeyond(room: number): number {
    const last = this.lastExchange()
    let tokens = this.tokens
    let turns = 0
    while (turns < last && tokens > room) {
      do tokens -= foldedAway(this.turns[turns++] as Turn)
      while (turns < last && this.turns[turns]?.message.role === 'tool')
      tokens += FOLDED_TOKENS
    }
    return turns
  }

  /** Where the model's last turn begins, or what stands; with its results, and what was said since, it stays whole. */
  private lastExchange(): number {
    const last = this.turns.findLastIndex(({ message }) => message.role === 'assistant')
    const standing = this.turns.findLastIndex(({ stands }) => stands === true)
    return Math.max(0, standing < 0 ? last : Math.min(last, standing))
  }
}

/** What is to be kept stays whole, and saves nothing. */
function foldedAway({ line, tokens }: Turn): number {
  return line === null ? 0 : tokens
}

/** About what a folded turn still takes. */
const FOLDED_TOKENS = 60
