/** What a tool has returned or thrown, within the bounds of a value from outside, and as the journal will have it. */
import {
  bytesText,
  checkDepth,
  errorText,
  MAX_RESULT_BYTES,
  shortenMiddle,
  ThinkonError,
} from '../protocol/index.ts'
import { isOwnProgram } from './tool.ts'

const MAX_MESSAGE_CHARS = 64 * 1024

/** Throws TOOL_ERROR, which tells the model what to do: a part of a result would be taken for the whole. */
export function checkedResult(value: unknown, toolName: string): unknown {
  if (value === undefined) return null
  checkDepth(value, `${ran(toolName)}, but its result`, 'TOOL_ERROR')
  const json = jsonOf(value, toolName)
  if (isLarge(json) && !isOwnProgram(toolName)) throw tooLarge(toolName, bytesText(Buffer.byteLength(json)))
  return json === undefined ? null : JSON.parse(json)
}

/** The error itself, unless it is too long for a prompt, or too large for the journal. */
export function checkedError(thrown: unknown): unknown {
  const message = errorText(thrown)
  const isOurs = ThinkonError.isInstance(thrown)
  if (message.length <= MAX_MESSAGE_CHARS && !(isOurs && isLarge(JSON.stringify(thrown)))) return thrown
  const short = shortenMiddle(message, MAX_MESSAGE_CHARS, (leftOut) => `[… ${leftOut} characters …]`)
  return isOurs
    ? new ThinkonError(thrown.code, short, { retryable: thrown.retryable })
    : new ThinkonError('TOOL_ERROR', short)
}

function jsonOf(value: unknown, toolName: string): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (error) {
    // Longer than a string can be.
    if (error instanceof RangeError) throw tooLarge(toolName, 'far too much')
    const message = `${ran(toolName)}, but its result is not JSON: ${errorText(error)}`
    throw new ThinkonError('TOOL_ERROR', message, { data: { toolName }, cause: error })
  }
}

function isLarge(json: string | undefined): json is string {
  return (
    json !== undefined && json.length * 3 > MAX_RESULT_BYTES && Buffer.byteLength(json) > MAX_RESULT_BYTES
  )
}

function tooLarge(toolName: string, size: string): ThinkonError {
  return new ThinkonError(
    'TOOL_ERROR',
    `${ran(toolName)}, but its result is ${size}, and a result may have ${bytesText(MAX_RESULT_BYTES)}: ask for less of it`,
    { data: { toolName, maxBytes: MAX_RESULT_BYTES } },
  )
}

function ran(toolName: string): string {
  return `"${toolName}" was run`
}
