/** What an AI SDK tool's `toModelOutput` returns, as the result of a call: text and JSON as they are, errors as failures. */
import { isObject, ThinkonError } from '../../protocol/index.ts'

export function modelOutput(output: unknown): unknown {
  const { type, value, reason } = Object(output) as { type?: unknown; value?: unknown; reason?: unknown }
  switch (type) {
    case 'text':
    case 'json':
      return value
    case 'content':
      return Array.isArray(value) ? value.map(partText).join('\n') : value
    case 'error-text':
    case 'error-json':
      throw new ThinkonError('TOOL_ERROR', typeof value === 'string' ? value : JSON.stringify(value))
    case 'execution-denied':
      throw new ThinkonError('DENIED', typeof reason === 'string' ? reason : 'the tool denied it')
    default:
      throw new ThinkonError('TOOL_ERROR', `toModelOutput returned the unknown type ${JSON.stringify(type)}`)
  }
}

/** A file is named, not shown: what is recorded is text. */
function partText(part: unknown): string {
  const { type, text, data, mediaType, filename, url } = Object(part) as Record<string, unknown>
  if (type === 'text') return String(text)
  const inner = isObject(data) ? data : { data, url }
  if (inner.type === 'text') return String(inner.text)
  const about = [filename ?? type, mediaType, inner.url ?? sizeText(inner.data)]
  return `[${about.filter((one) => one !== undefined).join(', ')}]`
}

function sizeText(data: unknown): string | undefined {
  if (typeof data === 'string') return `${Buffer.byteLength(data, 'base64')} bytes`
  const { byteLength } = Object(data) as { byteLength?: unknown }
  return typeof byteLength === 'number' ? `${byteLength} bytes` : undefined
}
