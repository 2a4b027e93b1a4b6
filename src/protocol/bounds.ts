/** How large and how deep a value from outside may be. What is beyond is refused where it comes in, with a message. */
import { isTooDeep, MAX_DEPTH } from './depth.ts'
import { ThinkonError } from './errors.ts'

/** Of a model's reply, with what it thought and the arguments of its calls; a model's `maxReplyBytes` overrides it. */
export const MAX_REPLY_BYTES = 4 * 1024 * 1024
/** Of a tool's result, with all its parts, as JSON. */
export const MAX_RESULT_BYTES = 4 * 1024 * 1024

/** `what` begins the message: `the reply`, `the result of "search"`. */
export function checkDepth(value: unknown, what: string, code: ThinkonError['code'] = 'BAD_INPUT'): void {
  if (isTooDeep(value)) throw tooDeep(what, code)
}

export function tooDeep(what: string, code: ThinkonError['code'] = 'BAD_INPUT'): ThinkonError {
  const message = `${what} is nested deeper than ${MAX_DEPTH} levels: make it flatter`
  return new ThinkonError(code, message, { data: { maxDepth: MAX_DEPTH } })
}

/** `4 MiB`, `1.5 MiB`, `700 bytes`. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  const [size, unit] = bytes < 1024 * 1024 ? [bytes / 1024, 'KiB'] : [bytes / (1024 * 1024), 'MiB']
  return `${Math.round(size * 10) / 10} ${unit}`
}
