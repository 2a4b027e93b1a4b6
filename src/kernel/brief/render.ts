/** How an item stands in a message, whole and shortened. */
import { oneLine, shorten, shortenMiddle } from '../../protocol/index.ts'
import { fence } from '../fence.ts'
import { leftOutMark } from '../left-out.ts'
import type { Item, Topic } from './section.ts'

/** The item with at most so many characters of its text; whole without a limit. */
export function itemText({ about, text, data, ref }: Item, maxChars = Number.POSITIVE_INFINITY): string {
  const head = about === undefined ? '' : `${aboutText(about, maxChars)}\n`
  const options = { maxChars, ...(ref !== undefined && { ref }) }
  const body = data === undefined ? cutText(text, maxChars, ref) : fence(data, text, options)
  return `${head}${body}\n`
}

/** What remains of an item when there is no room for its text. */
export function itemLine({ about, text, data, ref }: Item): string {
  const what = about === undefined ? shorten(oneLine(data ?? text), MAX_LINE) : aboutLine(about)
  return `- ${what} [${leftOutMark(text.length, text.length, ref)}]\n`
}

/** What remains when there is no room for lines either. */
export function countLine(items: number, ref: string | undefined): string {
  const where = ref === undefined ? '' : `; read_result ${JSON.stringify(ref)} has them`
  return `(${items} earlier ${items === 1 ? 'item' : 'items'} left out${where})\n`
}

const MAX_LINE = 240
/** Of what a shortened item is about, so much is shown, or a quarter of what is shown of its text. */
const MIN_ABOUT = 400

function aboutText(about: string | Topic, maxChars: number): string {
  if (typeof about === 'string') return about
  const { before = '', text, after = '', ref } = about
  return `${before}${cutText(text, Math.max(MIN_ABOUT, Math.floor(maxChars / 4)), ref)}${after}`
}

function aboutLine(about: string | Topic): string {
  if (typeof about === 'string') return shorten(oneLine(about), MAX_LINE)
  const { before = '', text, after = '' } = about
  return `${before}${shorten(oneLine(text), MAX_LINE)}${after}`
}

/** How long what an item is about may be, in characters. */
export function aboutLength(about: string | Topic = ''): number {
  if (typeof about === 'string') return about.length
  return (about.before?.length ?? 0) + about.text.length + (about.after?.length ?? 0)
}

function cutText(text: string, maxChars: number, ref: string | undefined): string {
  return shortenMiddle(text, maxChars, (leftOut, from) => `[${leftOutMark(leftOut, text.length, ref, from)}]`)
}
