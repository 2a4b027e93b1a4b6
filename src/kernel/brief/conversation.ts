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
import {
  isObject,
  type Message,
  type ModelReply,
  messageText,
  oneLine,
  type Result,
  shorten,
  shortenMiddle,
  type ToolCall,
} from '../../protocol/index.ts'
import { fence } from '../fence.ts'
import { leftOutMark } from '../left-out.ts'
import { countTokens } from './count-tokens.ts'
import { personSays } from './person-says.ts'
import type { Section } from './section.ts'
import { valueText } from './value-text.ts'

interface Turn {
  readonly message: Message
  readonly tokens: number
  /** What remains when it is folded; null: it stays whole. */
  readonly line: string | null
  readonly stands?: boolean
  /** Of a result, whose line stays also where a summary tells of it. */
  readonly failed?: boolean
  /** A long result with at most so many characters of its text. */
  readonly cut?: (maxChars: number) => Turn
}

interface Remains {
  readonly text: string
  readonly tokens: number
  /** What is worth more is dropped later; what is to be kept, never. */
  readonly worth: Worth
}

type Worth = 'line' | 'failure' | 'summary' | 'kept'

export interface TurnOptions {
  /** What remains of the turn when it is folded: its first words unless given; nothing if empty. */
  readonly line?: string
  /** It survives a compaction whole: a decision, an error, what a person said. */
  readonly keep?: boolean
  /** It is whole until another turn is said to stand: a plan that the next one replaces. */
  readonly stands?: boolean
}

/** What a turn shows of a reply. */
export type TurnOfModel = Pick<ModelReply, 'text' | 'toolCalls' | 'reasoning'>

/** A tool call with its result, and where the journal has it. */
export interface Answered {
  readonly call: { readonly id?: string; readonly name: string; readonly input: unknown }
  readonly result: Result
  readonly ref: string
}

export interface Compacted {
  readonly turns: number
  readonly tokensBefore: number
  readonly tokensAfter: number
}

const MAX_LINE = 240
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
  /** What remains of folded turns, in order. */
  private folded: Remains[] = []
  /** Lines that there was no room for. */
  private dropped = 0
  private readonly ref: string | undefined
  private hasShortTurns = false

  /** `ref` is by which `read_result` lists what the block has found. */
  constructor(opening: readonly Section[], ref?: string) {
    this.opening = opening
    this.ref = ref
  }

  /** Something was shortened or folded: `read_result` is offered from then on. */
  get isShortened(): boolean {
    return this.hasShortTurns || this.shortOpening !== null
  }

  get isEmpty(): boolean {
    return this.turns.length === 0 && this.folded.length === 0
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
    const calls = called ? toolCalls.map(callText).join('; ') : ''
    const first = line ?? `you: ${shorten(oneLine([text, calls].filter(Boolean).join(' ')), MAX_LINE)}`
    this.add(message, keep ? null : first, stands)
  }

  /** Words to the model that are not data: a refusal, a notice, what a person said. */
  say(text: string, { line, keep, stands }: TurnOptions = {}): void {
    const first = line ?? shorten(oneLine(text), MAX_LINE)
    this.add({ role: 'user', content: text }, keep ? null : first, stands)
  }

  /** Results of tools, in the order of the calls. One that was not called natively stands as the user's message. */
  answer(answers: readonly Answered[], options: TurnOptions = {}): void {
    for (const answered of answers) this.addAnswer(answered, options)
  }

  /** The turns as messages; what was folded comes first. */
  messages(): Message[] {
    const shown: Message[] = []
    if (this.folded.length + this.dropped > 0) shown.push({ role: 'user', content: this.foldedText() })
    for (const { message } of withAllAnswers(this.turns)) shown.push(message)
    return shown
  }

  get tokens(): number {
    const folded = this.folded.length === 0 ? 0 : countTokens(this.foldedText()) + MESSAGE_TOKENS
    return this.turns.reduce((sum, turn) => sum + turn.tokens, folded)
  }

  /** What no compaction can take away. */
  get keptTokens(): number {
    const kept = this.folded.filter(({ worth }) => worth === 'kept')
    const whole = this.turns.filter(({ line }) => line === null)
    return [...kept, ...whole].reduce((sum, { tokens }) => sum + tokens, 0)
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
    if (tokensAfter >= tokensBefore) return null
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
    this.folded.push(remains(boundedSummary(summary, room), 'summary'))
    for (const { message, line, failed } of this.turns.splice(0, turns)) {
      if (line === null) this.folded.push(remains(messageText(message), 'kept'))
      else if (failed !== undefined) this.folded.push(remains(line, failed ? 'failure' : 'line'))
    }
    this.dropTo(room)
    this.hasShortTurns = true
  }

  /** The summaries of folded turns, the oldest first. */
  get summaries(): readonly string[] {
    return this.folded.filter(({ worth }) => worth === 'summary').map(({ text }) => text)
  }

  /** Puts one summary in the place of the oldest ones; without one, the beginning of each. */
  joinSummaries(count: number, summary: string | null, room: number): void {
    const joined = this.folded.filter(({ worth }) => worth === 'summary').slice(0, count)
    const at = this.folded.indexOf(joined[0] as Remains)
    const each = Math.floor((summaryTokens(room) * CHARS_PER_TOKEN) / count)
    const text = summary ?? joined.map((one) => shorten(oneLine(one.text), each)).join(' ')
    this.folded[at] = remains(boundedSummary(text, room), 'summary')
    this.folded = this.folded.filter((one) => !joined.includes(one))
  }

  /** The turns as items of a request of its own: for a closing call, which has no room for a conversation. */
  asSection(): Section {
    const items = this.messages().map((message) => ({ text: transcriptOf(message) }))
    return { need: 'then', title: 'What was done and said so far:', items }
  }

  private addAnswer(answered: Answered, { line, keep }: TurnOptions): void {
    const { call, result } = answered
    const shown = shownResult(answered)
    const isKept = keep === true || shown.line === null
    const native = this.calls(call.id)
    const make = (maxChars: number): Turn => {
      const text = shown.text(maxChars)
      const message: Message = native
        ? { role: 'tool', content: text, answers: { id: call.id as string, name: call.name } }
        : { role: 'user', content: `Result of ${callText(call)}:\n${text}` }
      return {
        message,
        tokens: messageTokens(message),
        line: isKept ? null : (line ?? shown.line),
        failed: !result.ok,
        ...(shown.length > SHORT_RESULT && { cut: make }),
      }
    }
    this.turns.push(make(Number.POSITIVE_INFINITY))
  }

  /** Whether a turn since the last words of ours called this natively. */
  private calls(id: string | undefined): boolean {
    if (id === undefined) return false
    const asked = this.turns.findLast(({ message }) => message.role === 'assistant')
    return asked?.message.toolCalls?.some((call) => call.id === id) ?? false
  }

  private add(message: Message, line: string | null, stands = false): void {
    this.turns.push({ message, tokens: messageTokens(message), line, ...(stands && { stands }) })
  }

  private shortenOldest(room: number): void {
    const last = this.lastExchange()
    let tokens = this.tokens
    for (let i = 0; i < last && tokens > room; i++) {
      const turn = this.turns[i] as Turn
      const shorter = turn.cut?.(SHORT_RESULT)
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
    for (const { message, line, failed } of this.turns.splice(0, turns)) {
      if (line === '') continue
      const worth = line === null ? 'kept' : failed ? 'failure' : 'line'
      this.folded.push(remains(line ?? messageText(message), worth))
    }
    this.dropTo(room)
    return turns
  }

  private dropTo(room: number): void {
    this.dropLines('line', room * FOLDED_SHARE)
    this.dropLines('failure', room * FOLDED_SHARE)
  }

  /** The oldest lines become a count. */
  private dropLines(worth: Worth, room: number): void {
    let tokens = this.folded.reduce((sum, line) => sum + line.tokens, 0)
    this.folded = this.folded.filter((line) => {
      if (line.worth !== worth || tokens <= room) return true
      tokens -= line.tokens
      this.dropped++
      return false
    })
  }

  /** How many of the oldest turns do not fit; a call and its results stay together. */
  private turnsBeyond(room: number): number {
    const last = this.lastExchange()
    let tokens = this.tokens
    let turns = 0
    while (turns < last && tokens > room) {
      do tokens -= (this.turns[turns++] as Turn).tokens
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

  private foldedText(): string {
    const where =
      this.ref === undefined ? '' : `; read_result ${JSON.stringify(this.ref)} lists what was found`
    const dropped = this.dropped === 0 ? '' : `(${this.dropped} earlier lines left out${where})\n`
    const lines = this.folded.map(({ text }) => `- ${text}\n`)
    return `Earlier in this conversation, in short:\n${dropped}${lines.join('')}`
  }
}

function remains(text: string, worth: Worth): Remains {
  return { text, tokens: countTokens(text) + 3, worth }
}

/** A summary is short by order; one that is not must not fill the room that it was to make. */
function boundedSummary(summary: string, room: number): string {
  const most = summaryTokens(room)
  const tokens = countTokens(summary)
  if (tokens <= most) return summary
  const maxChars = Math.floor((summary.length * most) / tokens)
  return shortenMiddle(summary, maxChars, (leftOut) => `[${leftOutMark(leftOut, summary.length)}]`)
}

function summaryTokens(room: number): number {
  return Math.max(LEAST_SUMMARY, room * SUMMARY_SHARE)
}

const CHARS_PER_TOKEN = 4
/** In tokens. */
const LEAST_SUMMARY = 100
const SUMMARY_SHARE = 1 / 16

/** The part of a compacted conversation that lines may take. */
const FOLDED_SHARE = 0.5
/** About what a folded turn still takes. */
const FOLDED_TOKENS = 60
/** What a message takes in addition to its text. */
export const MESSAGE_TOKENS = 4

export function messageTokens(message: Message): number {
  const { toolCalls, reasoning } = message
  const calls = toolCalls === undefined ? 0 : countTokens(JSON.stringify(toolCalls))
  const thinking = reasoning === undefined ? 0 : countTokens(JSON.stringify(reasoning))
  return countTokens(messageText(message)) + calls + thinking + MESSAGE_TOKENS
}

/** A call without a result would be refused by providers. */
function withAllAnswers(turns: readonly Turn[]): readonly Turn[] {
  const shown: Turn[] = []
  for (const [i, turn] of turns.entries()) {
    shown.push(turn)
    const next = turns[i + 1]?.message.role
    if (turn.message.role === 'user' || next === 'tool') continue
    for (const { id, name } of unanswered(shown)) {
      const message: Message = { role: 'tool', content: 'It was not carried out.', answers: { id, name } }
      shown.push({ message, tokens: messageTokens(message), line: null })
    }
  }
  return shown
}

/** The calls of the last assistant's turn that have no result yet. */
function unanswered(turns: readonly Turn[]): readonly ToolCall[] {
  const at = turns.findLastIndex(({ message }) => message.role === 'assistant')
  const answered = new Set(turns.slice(at + 1).map(({ message }) => message.answers?.id))
  return turns[at]?.message.toolCalls?.filter(({ id }) => !answered.has(id)) ?? []
}

function callText({ name, input }: Pick<ToolCall, 'name' | 'input'>): string {
  return `${name} ${shorten(JSON.stringify(input) ?? '', MAX_LINE)}`
}

interface ShownResult {
  /** How much of it could be left out, in characters. */
  readonly length: number
  /** What remains when it is folded; null: it stays whole. */
  readonly line: string | null
  text(maxChars: number): string
}

function shownResult({ call, result, ref }: Answered): ShownResult {
  if (!result.ok) {
    const { code, message } = result.error
    // The words of an error survive: what failed is not to be tried again in the same way.
    const line = `${callText(call)} failed: ${fence('error', message, { maxChars: MAX_LINE, ref })}`
    const text = (maxChars: number) => `It failed (${code}): ${fence(call.name, message, { maxChars, ref })}`
    return { length: message.length, line, text }
  }
  // A person's answer is an instruction, not data from outside (B7).
  if (call.name === ASK_USER)
    return { length: 0, line: null, text: () => personSays(valueText(result.value)) }
  const read = call.name === READ_RESULT ? readPart(result.value) : null
  if (read !== null) return read
  const text = valueText(result.value)
  const line = `${callText(call)} [${leftOutMark(text.length, text.length, ref)}]`
  return { length: text.length, line, text: (maxChars) => fence(call.name, text, { maxChars, ref }) }
}

/** A part that was read stands raw. If there is no room for all of it, it ends early and says where to read on. */
function readPart(value: unknown): ShownResult | null {
  if (!isObject(value) || typeof value.text !== 'string' || typeof value.ref !== 'string') return null
  const { text, ref, total } = value
  const from = Number(value.from ?? 0)
  return {
    length: text.length,
    line: `read ${ref} from ${from} to ${from + text.length}`,
    text(maxChars) {
      const part = text.slice(0, maxChars)
      const end = from + part.length
      const rest = Number(total) - end
      const more = rest > 0 ? `\n[${leftOutMark(rest, Number(total), ref, end)}]` : ''
      return `Characters ${from} to ${end} of ${total}:\n${fence(ref, part)}${more}`
    },
  }
}

/** The tool that reads what was shortened. */
export const READ_RESULT = 'read_result'
/** The tool by which a model asks a person. */
export const ASK_USER = 'ask_user'

const SPEAKERS = { system: 'Rules', user: 'Told', assistant: 'You', tool: 'Result' }

function transcriptOf(message: Message): string {
  const calls = message.toolCalls?.map(callText).join('; ') ?? ''
  return `${SPEAKERS[message.role]}: ${[messageText(message), calls].filter(Boolean).join(' ')}`
}
