/** Turns a thrown value of a model or tool object into an error of its step: plain data, and short enough for a prompt and the journal. */
import {
  type ErrorCode,
  errorText,
  isObject,
  MAX_RESULT_BYTES,
  shortenMiddle,
  ThinkonError,
} from '../protocol/index.ts'
import { FATAL } from './ending.ts'
import { plainValue } from './plain-value.ts'

const MAX_MESSAGE_CHARS = 64 * 1024

/** `code`: of an error that has none, or one of the machinery's. Never throws. */
export function checkedError(
  thrown: unknown,
  code: 'MODEL_ERROR' | 'TOOL_ERROR' = 'TOOL_ERROR',
): ThinkonError {
  if (!ThinkonError.isInstance(thrown)) return new ThinkonError(code, shortText(thrown))
  const own = memberOf(thrown, 'code')
  const data = plainData(memberOf(thrown, 'data'))
  const cause = memberOf(thrown, 'cause')
  return new ThinkonError(isStepCode(own) ? own : code, shortText(thrown), {
    retryable: memberOf(thrown, 'retryable') === true,
    ...(data !== undefined && { data }),
    ...(cause !== undefined && { cause: shortText(cause) }),
  })
}

function isStepCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && !FATAL.has(code as ErrorCode)
}

function shortText(thrown: unknown): string {
  return shortenMiddle(errorText(thrown), MAX_MESSAGE_CHARS, (leftOut) => `[… ${leftOut} characters …]`)
}

function memberOf(thrown: ThinkonError, name: keyof ThinkonError): unknown {
  try {
    return thrown[name]
  } catch {
    return undefined
  }
}

/** Left out if it is not JSON, too deep or too large. */
function plainData(data: unknown): Record<string, unknown> | undefined {
  try {
    const plain = plainValue(data, { maxBytes: MAX_RESULT_BYTES })
    return isObject(plain) ? plain : undefined
  } catch {
    return undefined
  }
}
