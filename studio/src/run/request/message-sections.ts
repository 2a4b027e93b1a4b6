/** A message as it was put together: its sections with their items, data in its fence, and what was left out. */
import { type Message, messageText } from 'thinkon/protocol'

export interface MessageSection {
  /** The first line of what stands above its items; empty if nothing does. */
  readonly title: string
  readonly pieces: readonly MessagePiece[]
}

export interface MessagePiece {
  /** Where the data is from; null for the run's own words. */
  readonly from: string | null
  readonly text: string
}

export function messageSections(message: Message): MessageSection[] {
  return sectionParts(message).map(({ heading, parts }) => ({
    title: heading.trim(),
    pieces: parts.flatMap(piecesOf),
  }))
}

/** The parts of a section, as they are sent; `heading` is that of its title, empty if it has none. */
export interface SectionParts {
  readonly heading: string
  readonly parts: readonly string[]
}

export function sectionParts(message: Message): SectionParts[] {
  const all = typeof message.content === 'string' ? [message.content] : message.content
  const sections: { heading: string; parts: string[] }[] = []
  for (const part of all) {
    if (isTitle(part) && all.length > 1) sections.push({ heading: part, parts: [] })
    else {
      if (sections.length === 0) sections.push({ heading: '', parts: [] })
      sections.at(-1)?.parts.push(part)
    }
  }
  return sections
}

/** A section's title is one line, with nothing else in its part. */
function isTitle(part: string): boolean {
  return part.length < 200 && /^[^\n]+\n$/.test(part) && !part.startsWith('- ') && !part.startsWith('(')
}

const OPENING = /<data-([0-9a-f]{12}) from="([^"\n]*)">\n?/g
/** Beginnings without an end: each takes a search of the rest of the text. */
const MAX_OPEN = 100

function piecesOf(part: string): MessagePiece[] {
  const pieces: MessagePiece[] = []
  const say = (text: string) => {
    if (text.trim() !== '') pieces.push({ from: null, text: text.replace(/(?<!\n)\n+$/, '') })
  }
  let at = 0
  let open = 0
  for (const { 0: opening, 1: nonce, 2: from = '', index } of part.matchAll(OPENING)) {
    if (index < at) continue
    const closing = `</data-${nonce}>`
    const end = part.indexOf(closing, index + opening.length)
    if (end === -1) {
      if (++open === MAX_OPEN) break
      continue
    }
    say(part.slice(at, index))
    pieces.push({ from, text: part.slice(index + opening.length, end).replace(/\n$/, '') })
    at = end + closing.length
    if (part[at] === '\n') at++
  }
  say(part.slice(at))
  return pieces
}

const LEFT_OUT = /… [\d,]+ of [\d,]+ characters left out|\(\d+ earlier (?:items?|lines) left out/g

/** How many places say that something was left out. */
export function leftOutIn(message: Message): number {
  return messageText(message).match(LEFT_OUT)?.length ?? 0
}

/** How many messages at the beginning are the same as in the request before: what a provider's cache can know. */
export function sameAsBefore(messages: readonly Message[], before: readonly Message[] | undefined): number {
  if (before === undefined) return 0
  const at = messages.findIndex(
    (message, i) => before[i]?.role !== message.role || messageText(before[i]) !== messageText(message),
  )
  return at < 0 ? messages.length : at
}
