/** A receiver of webhooks on a free port of the loopback, which verifies them as a user's would: with the package `standardwebhooks`. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { WebhookPayload } from '../../src/server.ts'

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
export const OTHER_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

export interface Received {
  readonly id: string
  readonly payload: WebhookPayload
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What it answers: a status, or whatever is done with the response; `attempt` counts those of the same id. */
type Answer = (received: Received, attempt: number, response: ServerResponse) => number | undefined

export interface Receiver {
  readonly url: string
  /** Everything that came, repeats included. */
  readonly received: readonly Received[]
  /** Those that were answered with 2xx. */
  readonly taken: readonly Received[]
  /** Why some could not be verified. */
  readonly refused: readonly string[]
  until(count: number, which?: 'received' | 'taken'): Promise<void>
  close(): Promise<void>
}

export async function receiver(
  answer: Answer = () => 204,
  { secret = SECRET, port = 0 }: { secret?: string; port?: number } = {},
): Promise<Receiver> {
  const lists = { received: [] as Received[], taken: [] as Received[] }
  const refused: string[] = []
  let wake = () => {}
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    try {
      const payload = new Webhook(secret).verify(body, request.headers as Record<string, string>)
      const id = String(request.headers['webhook-id'])
      const one = { id, payload: payload as WebhookPayload, headers: request.headers, body }
      lists.received.push(one)
      const attempt = lists.received.filter((other) => other.id === id).length
      const status = answer(one, attempt, response)
      if (typeof status === 'number') {
        if (status < 300) lists.taken.push(one)
        response.writeHead(status).end()
      }
    } catch (thrown) {
      refused.push((thrown as Error).message)
      response.writeHead(401).end()
    }
    wake()
  }).listen(port, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    ...lists,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=in-the-query`,
    refused,
    async until(count, which = 'taken') {
      while (lists[which].length < count)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
