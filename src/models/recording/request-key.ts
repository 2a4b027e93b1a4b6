/** Identifies equal requests: a hash of what the model sees, in a fixed order. */
import { createHash } from 'node:crypto'
import { defined, type ModelRequest, messageText, stableJson } from '../../protocol/index.ts'

export interface RecordedRequest {
  readonly kind: string
  readonly version: number
  readonly role: string
  readonly messages: readonly { readonly role: string; readonly text: string }[]
  readonly schema?: unknown
  readonly tools?: unknown
  readonly settings?: unknown
}

/** `input` is left out: the messages contain it, and language models see nothing else. */
export function recordedRequest(request: ModelRequest): RecordedRequest {
  const { kind, version, role, messages, schema, tools, settings } = request
  return {
    kind,
    version,
    role,
    messages: messages.map((message) => ({ role: message.role, text: messageText(message) })),
    ...defined({ schema }),
    ...(tools?.length && { tools }),
    ...(Object.keys(settings ?? {}).length > 0 && { settings }),
  }
}

export function keyOf(request: RecordedRequest): string {
  return createHash('sha256').update(stableJson(request)).digest('hex').slice(0, 32)
}
