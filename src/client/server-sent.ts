/** Server-sent events as they come, read no faster than they are taken. What is cut off in the middle is left out. */
import type { DecodingBudget } from '../protocol/decoding-budget.ts'
import { Lines } from './lines.ts'

export interface ServerSent {
  /** `message`, unless it says otherwise. */
  readonly event: string
  readonly data: string
}

/** Ends with the stream. Throws its errors, and an error after a silence of `silenceMs`: a living service sends comments. `budget`: of each line. */
export async function* serverSent(
  body: ReadableStream<Uint8Array>,
  silenceMs: number,
  budget: DecodingBudget,
): AsyncGenerator<ServerSent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const lines = new Lines(budget)
  let fields: Record<string, string> = {}
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), silenceMs)
      if (done) return
      for (const line of lines.add(decoder.decode(value, { stream: true }))) {
        const text = line.replace(/\r?\n$/, '')
        if (text !== '') addField(fields, text)
        else {
          const { event = 'message', data } = fields
          fields = {}
          if (data !== undefined) yield { event, data }
        }
      }
    }
  } finally {
    // The reader has gone, or the connection has: nobody waits for it.
    reader.cancel().catch(() => {})
  }
}

/** Lines without a name are comments. */
function addField(fields: Record<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
  if (name === 'data' && fields.data !== undefined) fields.data += `\n${value}`
  else if (name !== '') fields[name] = value
}

async function inTime<T>(promise: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`nothing came for ${ms / 1000} s`)), ms)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
