/** How an item stands in a message, whole and shortened. */
import { oneLine, shorten, shortenMiddle } from '../../protocol/index.ts'
import { fence } from '../fence.ts'
import { leftOutMark } from '../left-out.ts'
import type { Item } from './section.ts'

/** The item with at most so many characters of its text; whole without a limit. */
export function itemText({ about, text, data, ref }: Item, maxChars = Number.POSITIVE_INFINITY): string {
  const head = about === undefined ? '' : `${about}\n`
  const options = { maxChars, ...(ref !== undefined && { ref }) }
  const body = data === undefined ? cutText(text, maxChars, ref) : fence(data, text, options)
  return `${head}${body}\n`
}

/** What remains of an item when there is no room for its text. */
export function itemLine({ about, text, data, ref }: Item): string {
  const what = about ?? data ?? text
  return `- ${shorten(oneLine(what), MAX_LINE)} [${leftOutMark(text.length, text.length, ref)}]\n`
}

/** What remains when there is no room for lines either. */
export function countLine(items: number, ref: string | undefined): string {
  const where = ref === undefined ? '' : `; read_result ${JSON.stringify(ref)} lists them`
  return `(${items} earlier ${items === 1 ? 'item' : 'items'} left out${where})\n`
}

const MAX_LINE = 240

function cutText(text: string, maxChars: number, ref: string | undefined): string {
  return shortenMiddle(text, maxChars, (leftOut, from) => `[${leftOutMark(leftOut, text.length, ref, from)}]`)
}
