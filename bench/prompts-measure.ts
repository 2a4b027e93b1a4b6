/** What requests are made of: how much a cache could serve, what stands twice, what is cut; and what a journal takes on disk. */
import { countRequestTokens } from '../src/models/tokens.ts'
import { type Event, type Message, type ModelRequest, messageText } from '../src/protocol/index.ts'
import type { Planted } from './prompts-texts.ts'

/** As it is in the journal. */
export type Request = Omit<ModelRequest, 'input'>

export function requestsOf(events: readonly Event[]): Request[] {
  return events.flatMap((event) => (event.type === 'model-start' ? [event.request] : []))
}

export function tokensOf(requests: readonly Request[]): { requests: number; mean: number; max: number } {
  const counts = requests.map((request) => countRequestTokens(request))
  const sum = counts.reduce((all, count) => all + count, 0)
  return { requests: counts.length, mean: Math.round(sum / counts.length), max: Math.max(...counts) }
}

/** The share of all characters of requests that stand in the longest prefix shared with an earlier request. */
export function prefixShare(requests: readonly Request[]): number {
  const texts = requests.map(asSent)
  let all = 0
  let shared = 0
  for (const [i, text] of texts.entries()) {
    all += text.length
    shared += Math.max(0, ...texts.slice(0, i).map((earlier) => commonPrefix(earlier, text)))
  }
  return shared / all
}

/** Tools come before the messages, as providers put them. */
function asSent({ tools = [], messages }: Request): string {
  return `${JSON.stringify(tools)}${messages.map((message) => `<${message.role}>${wholeText(message)}`).join('')}`
}

function wholeText(message: Message): string {
  const { toolCalls = [], reasoning = [] } = message
  const more = toolCalls.length + reasoning.length === 0 ? '' : JSON.stringify([toolCalls, reasoning])
  return `${messageText(message)}${more}`
}

function commonPrefix(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let i = 0
  while (i < most && a.charCodeAt(i) === b.charCodeAt(i)) i++
  return i
}

/** Texts of so many characters that stand twice in one request. */
const MIN_DOUBLED = 200

/** Per request the texts that stand in it twice, the model's own turns aside. */
export function doubledIn(request: Request): string[] {
  const { tools = [], messages } = request
  const texts = messages.filter(({ role }) => role !== 'assistant').map(messageText)
  // Separators that differ keep a repeated text from reaching beyond its message.
  const parts = [...tools.map((tool) => `${tool.description} ${JSON.stringify(tool.schema)}`), ...texts]
  return repeats(parts.map((part, i) => `${part}\u0000${i}\u0000`).join(''), MIN_DOUBLED)
}

/** Maximal texts of at least `length` characters that occur again later, without overlap. */
export function repeats(text: string, length: number): string[] {
  const window = Math.floor(length / 2)
  const found: string[] = []
  // A text of two windows contains a whole aligned one; any position may repeat it.
  const aligned = new Map<number, number>()
  let end = 0
  for (const [at, key] of rollingHashes(text, window)) {
    const first = aligned.get(key)
    if (at % window === 0 && first === undefined) aligned.set(key, at)
    if (first === undefined || at < end || at - first < window) continue
    const { from, size } = extended(text, first, at, window)
    if (size < length || size > at - first) continue
    end = from + (at - first) + size
    found.push(text.slice(from, from + size))
  }
  return [...new Set(found)]
}

/** The longest equal text around the two places; size 0 where the window itself differs. */
function extended(text: string, a: number, b: number, window: number): { from: number; size: number } {
  if (text.slice(a, a + window) !== text.slice(b, b + window)) return { from: a, size: 0 }
  let before = 0
  while (before < a && text[a - before - 1] === text[b - before - 1]) before++
  let after = window
  while (b + after < text.length && text[a + after] === text[b + after]) after++
  return { from: a - before, size: before + after }
}

const BASE = 0x01000193

function* rollingHashes(text: string, window: number): Generator<[at: number, key: number]> {
  let key = 0
  let out = 1
  for (let i = 1; i < window; i++) out = Math.imul(out, BASE)
  for (let i = 0; i < text.length; i++) {
    if (i >= window) key = (key - Math.imul(text.charCodeAt(i - window), out)) | 0
    key = (Math.imul(key, BASE) + text.charCodeAt(i)) | 0
    if (i >= window - 1) yield [i - window + 1, key]
  }
}

/** What the kernel writes where it leaves something out. */
const MARK = /… [\d,.]+ of [\d,.]+ characters left out/g

/** Marks of shortening, and planted texts that are begun and not ended. */
export function cutsIn(request: Request, planted: readonly Planted[]): string[] {
  const text = request.messages.map(wholeText).join('\n')
  const marks = text.match(MARK) ?? []
  const begun = planted.filter(({ head, tail }) => text.includes(head) && !text.includes(tail))
  return [...marks, ...begun.map(({ head }) => head)]
}

/**
 * The bytes of all that was said, each text once: the parts of the messages, their tool calls and reasoning, the lists of tools, the
 * replies, and the results of tools.
 */
export function bytesSaid(events: readonly Event[]): number {
  const texts = new Set<string>()
  for (const event of events) for (const text of said(event)) texts.add(text)
  let bytes = 0
  for (const text of texts) bytes += Buffer.byteLength(text)
  return bytes
}

function said(event: Event): string[] {
  if (event.type === 'model-start') {
    const { tools, messages } = event.request
    return [...(tools === undefined ? [] : [JSON.stringify(tools)]), ...messages.flatMap(textsOf)]
  }
  if (event.type === 'model-end') {
    const reply = event.result.ok ? event.result.value : undefined
    return reply === undefined ? [] : textsOf({ role: 'assistant', content: reply.text, ...reply })
  }
  if (event.type !== 'tool-end' || !event.result.ok) return []
  const { value } = event.result
  return [typeof value === 'string' ? value : JSON.stringify(value ?? null)]
}

function textsOf({ content, toolCalls = [], reasoning = [] }: Message): string[] {
  const more = [...toolCalls, ...reasoning].map((part) => JSON.stringify(part))
  return [...(typeof content === 'string' ? [content] : content), ...more]
}
