/** The value of a tool as text: as a model reads it, and as `read_result` reads from it, so that positions agree. */
import { isObject } from '../../protocol/index.ts'

/** A text stands as it is. An object's long texts stand raw below its other fields, not escaped into JSON. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  if (!isObject(value)) return JSON.stringify(value) ?? ''
  const texts = Object.entries(value).filter(([, field]) => typeof field === 'string' && isLong(field))
  if (texts.length === 0) return JSON.stringify(value)
  const rest = Object.fromEntries(
    Object.entries(value).filter(([, field]) => typeof field !== 'string' || !isLong(field)),
  )
  const head = Object.keys(rest).length === 0 ? [] : [JSON.stringify(rest)]
  return [...head, ...texts.map(([name, text]) => `${name}:\n${text}`)].join('\n')
}

const MAX_INLINE = 80

function isLong(text: string): boolean {
  return text.length > MAX_INLINE || text.includes('\n')
}
