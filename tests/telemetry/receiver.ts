/** A server that takes requests as it is told to: an OTLP receiver, or the receiver of webhooks. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

export interface Taken {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** How it was answered; 0: not at all. */
  readonly status: number
}

export interface Receiver {
  readonly url: string
  readonly taken: Taken[]
  /** What it answers: a status, or nothing at all. */
  answers: (request: Omit<Taken, 'status'>) => number | 'nothing'
  /** Goes down; `up` brings it back at the same address. */
  down(): Promise<void>
  up(): Promise<void>
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  let server: Server
  let port = 0
  const receiver: Receiver = {
    get url() {
      return `http://127.0.0.1:${port}`
    },
    taken: [],
    answers: () => 200,
    async down() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    async up() {
      server = createServer((request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk) => chunks.push(chunk))
        request.on('end', () => {
          const bytes = Buffer.concat(chunks)
          const { url: path = '', headers } = request
          const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
          const answer = receiver.answers({ path, headers, text })
          receiver.taken.push({ path, headers, text, status: answer === 'nothing' ? 0 : answer })
          if (answer === 'nothing') return
          response.writeHead(answer, { location: 'http://127.0.0.1:1/elsewhere', 'retry-after': '0' })
          response.end('{}')
        })
      })
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
      port = (server.address() as AddressInfo).port
    },
    close: () => receiver.down(),
  }
  await receiver.up()
  return receiver
}

export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[]
}

/** The spans that were taken, as they came. */
export function spansIn({ taken }: Pick<Receiver, 'taken'>): OtlpSpan[] {
  return taken
    .filter(({ path, status }) => path === '/v1/traces' && status === 200)
    .flatMap(({ text }) => spansOf(JSON.parse(text)))
}

export function spansOf(body: {
  resourceSpans: readonly { scopeSpans: readonly { spans: readonly OtlpSpan[] }[] }[]
}): OtlpSpan[] {
  return body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
}
