/** One turn of a conversation, and what it takes. */
import { type Message, messageText, shorten, type ToolCall } from '../../protocol/index.ts'
import { countTokens } from './count-tokens.ts'

export interface Turn {
  readonly message: Message
  readonly tokens: number
  /** What remains when it is folded; null: it stays whole. */
  readonly line: string | null
  readonly stands?: boolean
  /** Of a result and of an error, whose line stays also where a summary tells of it. */
  readonly failed?: boolean
  /** A long result with at most so many characters of its text. */
  readonly cut?: (maxChars: number) => Turn
}

/** Of what remains of a turn. */
export const MAX_LINE = 240
/** Of what remains of an error: what it said. */
export const MAX_ERROR = 2_000
/** What a message takes in addition to its text. */
export const MESSAGE_TOKENS = 4

export function messageTokens(message: Message): number {
  const { toolCalls, reasoning } = message
  const calls = toolCalls === undefined ? 0 : countTokens(JSON.stringify(toolCalls))
  const thinking = reasoning === undefined ? 0 : countTokens(JSON.stringify(reasoning))
  return countTokens(messageText(message)) + calls + thinking + MESSAGE_TOKENS
}

/** A call without a result would be refused by providers. */
export function withAllAnswers(turns: readonly Turn[]): readonly Turn[] {
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

export function callText({ name, input }: Pick<ToolCall, 'name' | 'input'>): string {
  return `${name} ${shorten(JSON.stringify(input) ?? '', MAX_LINE)}`
}

const SPEAKERS = { system: 'Rules', user: 'Told', assistant: 'You', tool: 'Result' }

export function transcriptOf(message: Message): string {
  const calls = message.toolCalls?.map(callText).join('; ') ?? ''
  return `${SPEAKERS[message.role]}: ${[messageText(message), calls].filter(Boolean).join(' ')}`
}
