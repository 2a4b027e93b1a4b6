/**
 * A local HTTP server that speaks `/v1/embeddings` as OpenAI does. Texts on one topic are alike, whatever their words, and as
 * unlike as can be to those on another.
 */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

const TOPICS = [/cat\b|kitten|feline|猫/i, /\bcar\b|vehicle|automobile|汽车/i, /tree|forest|oak/i]

export interface EmbeddingRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly model: string
  readonly input: readonly string[]
}

export interface FakeEmbeddings {
  /** With `/v1`. */
  readonly url: string
  readonly requests: EmbeddingRequest[]
  /** Requests that were given up by the one who sent them. */
  readonly givenUp: () => number
  close(): Promise<void>
}

export interface EmbeddingTrouble {
  /** Answers after so long. */
  delayMs?: number
  hang?: boolean
  /** An HTTP error, which repeats what the request's headers said. */
  status?: number
}

export async function startFakeEmbeddings(trouble: EmbeddingTrouble = {}): Promise<FakeEmbeddings> {
  const requests: EmbeddingRequest[] = []
  let givenUp = 0
  const server = createServer(async (incoming, response) => {
    response.on('close', () => {
      if (!response.writableEnded) givenUp++
    })
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    if (incoming.method !== 'POST') return void response.end('{"data":[]}')
    const { model, input } = JSON.parse(Buffer.concat(chunks).toString())
    requests.push({ path: incoming.url ?? '', headers: incoming.headers, model, input })
    if (trouble.hang) return
    await new Promise((resolve) => setTimeout(resolve, trouble.delayMs ?? 0))
    response.writeHead(trouble.status ?? 200, { 'content-type': 'application/json' })
    if (trouble.status !== undefined)
      return void response.end(
        JSON.stringify({ error: { message: `refused: ${incoming.headers.authorization}`, type: 'x' } }),
      )
    const data = (input as string[]).map((text, index) => ({
      object: 'embedding',
      index,
      embedding: vectorOf(text),
    }))
    response.end(
      JSON.stringify({ object: 'list', model, data, usage: { prompt_tokens: 1, total_tokens: 1 } }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    givenUp: () => givenUp,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function vectorOf(text: string): number[] {
  return TOPICS.map((topic) => (topic.test(text) ? 1 : 0))
}
