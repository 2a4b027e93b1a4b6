/** Server-sent events as they come, read no faster than they are taken. What is cut off in the middle is left out. */

export interface ServerSent {
  /** `message`, unless it says otherwise. */
  readonly event: string
  readonly data: string
}

/** Ends when the stream does. Throws what breaks it, and an error if nothing comes for so long: a living service says that it is there. */
export async function* serverSent(
  body: ReadableStream<Uint8Array>,
  silenceMs: number,
): AsyncGenerator<ServerSent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let fields: Record<string, string> = {}
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), silenceMs)
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const text = line.replace(/\r$/, '')
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
