/** Recorded traffic: JSON Lines, one exchange per line. Several runs may be appended one after another. */
import { createHash } from 'node:crypto'
import { appendFile, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readFileText } from '../../files/open-file.ts'
import { PRIVATE_FILE, tightenFile } from '../../files/private-files.ts'
import {
  defined,
  type ErrorData,
  errorText,
  escapeJson,
  isObject,
  type Message,
  type ModelReply,
  type ModelRequest,
  messageText,
  parseJson,
  stableJson,
  ThinkonError,
  type ToolCall,
  type Usage,
} from '../../protocol/index.ts'

export interface RecordedMessage {
  readonly role: string
  readonly text: string
  /** The tools that a turn called. Ids and signatures are left out: they say nothing. */
  readonly calls?: readonly Pick<ToolCall, 'name' | 'input'>[]
  /** The tool whose result it is. */
  readonly answers?: string
}

export interface RecordedRequest {
  readonly kind: string
  readonly version: number
  readonly role: string
  readonly messages: readonly RecordedMessage[]
  readonly schema?: unknown
  readonly tools?: unknown
  readonly settings?: unknown
}

export interface Exchange {
  readonly v: 1
  /** The request's hash, by `keyOf`. */
  readonly key: string
  readonly model: string
  /** The model's context window, if it was known: what its requests carried follows from it. */
  readonly window?: number
  /** Where in its run it was asked: distinguishes requests that are otherwise equal. */
  readonly path: string
  readonly n: number
  readonly request: RecordedRequest
  /** The paid requests that the call consisted of, if there were several. */
  readonly parts?: readonly { readonly value: unknown; readonly usage: Omit<Usage, 'calls'> }[]
  readonly reply?: ModelReply
  readonly error?: ErrorData
}

/** Appends whole lines, in the order given. Resolves when the operating system has the line. */
export class TrafficWriter {
  private readonly file: string
  private last: Promise<void>

  constructor(file: string) {
    this.file = resolve(file)
    this.last = endLine(this.file)
    this.last.catch(() => {})
  }

  append(exchange: Exchange): Promise<void> {
    const line = `${escapeJson(JSON.stringify(exchange))}\n`
    // One write in append mode: two processes that record to one file don't mix their lines.
    const written = this.last.then(() => appendFile(this.file, line, { mode: PRIVATE_FILE }))
    this.last = written
    written.catch(() => {})
    return written.catch((cause) => {
      throw new ThinkonError('STORE_IO', `can't record to ${this.file}: ${errorText(cause)}`, { cause })
    })
  }
}

/** The recorded exchanges, in order. A last line that was cut off by a crash is left out. */
export async function readTraffic(file: string): Promise<Exchange[]> {
  let text: string
  try {
    text = readFileText(file)
  } catch (cause) {
    throw new ThinkonError('NO_MODEL', `can't read the recording ${file}: ${errorText(cause)}`, { cause })
  }
  const lines = text.split('\n')
  const exchanges: Exchange[] = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const exchange = parseJson(line)
    if (isExchange(exchange)) exchanges.push(exchange)
    else if (exchange === undefined && index === lines.length - 1) break
    else {
      throw new ThinkonError(
        'NO_MODEL',
        `${file}:${index + 1} is not an exchange that this version of Thinkon has recorded`,
      )
    }
  }
  return exchanges
}

/** A crash can leave half a line: the next one must not be appended to it. */
async function endLine(file: string): Promise<void> {
  const handle = await open(file, 'a+', PRIVATE_FILE)
  try {
    tightenFile(file)
    const bytes = await handle.readFile()
    const end = bytes.lastIndexOf(NEWLINE) + 1
    if (end < bytes.length) await handle.truncate(end)
  } finally {
    await handle.close()
  }
}

const NEWLINE = 10

function isExchange(value: unknown): value is Exchange {
  return (
    isObject(value) &&
    value.v === 1 &&
    typeof value.key === 'string' &&
    typeof value.request === 'object' &&
    (value.reply !== undefined || value.error !== undefined)
  )
}

/** `input` is left out: the messages contain it, and language models see nothing else. */
export function recordedRequest(request: ModelRequest): RecordedRequest {
  const { kind, version, role, messages, schema, tools, settings } = request
  return {
    kind,
    version,
    role,
    messages: messages.map(recordedMessage),
    ...defined({ schema }),
    ...(tools?.length && { tools }),
    ...(Object.keys(settings ?? {}).length > 0 && { settings }),
  }
}

function recordedMessage(message: Message): RecordedMessage {
  const { role, toolCalls = [], answers } = message
  return {
    role,
    text: messageText(message),
    ...(toolCalls.length > 0 && { calls: toolCalls.map(({ name, input }) => ({ name, input })) }),
    ...(answers !== undefined && { answers: answers.name }),
  }
}

/** Identifies equal requests: a hash of what the model sees, in a fixed order. */
export function keyOf(request: RecordedRequest): string {
  return createHash('sha256').update(stableJson(request)).digest('hex').slice(0, 32)
}
