/** Checks a tool's result: plain JSON within the bounds of outside values, as the journal stores it. */
import { bytesText, MAX_RESULT_BYTES, ThinkonError, tooDeep } from '../protocol/index.ts'
import { NotPlain, plainValue } from './plain-value.ts'
import { isOwnProgram } from './tool.ts'

/** Of a strategy's own program, whose result is in the journal and in no prompt. */
const MAX_PROGRAM_BYTES = 256 * 1024 * 1024

/** Throws TOOL_ERROR, which tells the model what to do: a part of a result would be taken for the whole. */
export function checkedResult(value: unknown, toolName: string): unknown {
  const maxBytes = isOwnProgram(toolName) ? MAX_PROGRAM_BYTES : MAX_RESULT_BYTES
  try {
    return plainValue(value, { maxBytes }) ?? null
  } catch (thrown) {
    throw thrown instanceof NotPlain ? refused(thrown, toolName, maxBytes) : thrown
  }
}

function refused({ kind, message }: NotPlain, toolName: string, maxBytes: number): ThinkonError {
  const result = `"${toolName}" was run, but its result`
  if (kind === 'deep') return tooDeep(result, 'TOOL_ERROR')
  if (kind === 'foreign')
    return new ThinkonError('TOOL_ERROR', `${result} is not JSON: ${message}`, { data: { toolName } })
  return new ThinkonError(
    'TOOL_ERROR',
    `${result} is too large, and a result may have ${bytesText(maxBytes)}: ask for less of it`,
    { data: { toolName, maxBytes } },
  )
}
