/** Where a model thinks aloud in its reply: what stands there is no part of the answer, however much it looks like one. */

export interface Span {
  readonly start: number
  readonly end: number
}

const NAMES = 'think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis'
const OPENING: [open: RegExp, close: (name: string) => string][] = [
  [new RegExp(`<(${NAMES})(?:\\s[^<>\\n]{0,40})?>`, 'iy'), (name) => `</${name}>`],
  [/\[think\]/iy, () => '[/think]'],
  [/◁think▷/iy, () => '◁/think▷'],
  [/<\|begin_of_thought\|>/iy, () => '<|end_of_thought|>'],
  [/<\|channel\|>analysis<\|message\|>/iy, () => '<|end|>'],
]
const CLOSING = `</(?:${NAMES})>|\\[/think\\]|◁/think▷|<\\|end_of_thought\\|>`
const CLOSING_TAG = new RegExp(`^(?:${CLOSING})$`, 'i')

/** Where the thinking that begins here ends; null when none begins. Thinking that is never closed takes the rest. */
export function thinkingAt(text: string, at: number): number | null {
  for (const [opening, closing] of OPENING) {
    opening.lastIndex = at
    const match = opening.exec(text)
    if (match === null) continue
    const close = closing(match[1] ?? '')
    const end = indexOfAnyCase(text, close, opening.lastIndex)
    return end < 0 ? text.length : end + close.length
  }
  return null
}

/** A tag that ends thinking. With none before it that opens it, all before it is thinking: some prompts hold the opening tag. */
export function endsThinking(tag: string): boolean {
  return CLOSING_TAG.test(tag)
}

/**
 * A reply that is text, not JSON, without its thinking. Here a tag counts only where it begins a line, or ends one of prose: in
 * the middle of a line, or indented as in a block of YAML, it may be what the answer is about.
 */
export function withoutThinking(text: string): string {
  const lead = text.search(/\S/)
  const opened: Span[] = []
  for (const { 0: indent, index } of text.matchAll(TAG_LINE)) {
    const start = index + indent.length
    const end = indent === '' || start === lead ? thinkingAt(text, start) : null
    if (end !== null && start >= (opened.at(-1)?.end ?? 0)) opened.push({ start, end })
  }
  const isOpened = (end: number) => opened.some((span) => span.start < end && end <= span.end)
  const closed = [...text.matchAll(CLOSED)].map(({ 0: line, index }) => index + line.length)
  const end = closed.findLast((one) => !isOpened(one)) ?? 0
  return withoutSpans(text, [{ start: 0, end }, ...opened.filter(({ start }) => start >= end)])
}

const TAG_LINE = /^[ \t]*(?=[<[◁])/gm
const CLOSED = new RegExp(`^(?![ \\t]|- |[\\w-]+:).*?(?:${CLOSING})`, 'gim')

export function withoutSpans(text: string, spans: readonly Span[]): string {
  let from = 0
  const kept: string[] = []
  for (const { start, end } of spans) {
    kept.push(text.slice(from, start))
    from = end
  }
  return [...kept, text.slice(from)].join('')
}

/** What a reply says between two places, without the thinking there. */
export function spokenBetween(text: string, from: number, to: number, thinking: readonly Span[]): string {
  const within = thinking.filter(({ start, end }) => start >= from && end <= to)
  return withoutSpans(
    text.slice(from, to),
    within.map(({ start, end }) => ({ start: start - from, end: end - from })),
  )
}

function indexOfAnyCase(text: string, what: string, from: number): number {
  const pattern = new RegExp(what.replace(/[[\]|/]/g, '\\$&'), 'gi')
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? -1
}
