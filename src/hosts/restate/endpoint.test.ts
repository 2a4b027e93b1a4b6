import { type ClientHttp2Session, connect } from 'node:http2'
import { afterEach, expect, test } from 'vitest'
import { type Endpoint, type EndpointOptions, openEndpoint } from './endpoint.ts'

const open: (Endpoint | ClientHttp2Session)[] = []

afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function endpoint(options: Partial<EndpointOptions> = {}) {
  const waiting: (() => void)[] = []
  const opened = await openEndpoint({
    path: '/v2',
    handler: (_, response) => {
      response.writeHead(200)
      waiting.push(() => response.end('done'))
    },
    ...options,
  })
  open.push(opened)
  return { opened, waiting, client: client(opened.port) }
}

function client(port: number): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`)
  session.on('error', () => {})
  open.push(session)
  return session
}

function request(
  session: ClientHttp2Session,
  path: string,
): { status: Promise<number>; text: Promise<string> } {
  const stream = session.request({ ':path': path })
  const status = new Promise<number>((resolve, reject) => {
    stream.once('response', (headers) => resolve(Number(headers[':status'])))
    stream.once('error', reject)
  })
  const text = new Promise<string>((resolve, reject) => {
    let all = ''
    stream.setEncoding('utf8').on('data', (part) => {
      all += part
    })
    stream.once('end', () => resolve(all))
    stream.once('error', reject)
  })
  text.catch(() => {})
  return { status, text }
}

test('serves under the path of its version alone, and says that it is well', async () => {
  const { client: session, waiting } = await endpoint()
  expect(await request(session, '/health').status).toBe(200)
  expect(await request(session, '/v2/health').status).toBe(200)
  expect(await request(session, '/v1/invoke/block/run').status).toBe(404)
  expect(await request(session, '/v22/invoke/block/run').status).toBe(404)
  const { status, text } = request(session, '/v2/invoke/block/run')
  expect(await status).toBe(200)
  waiting[0]?.()
  expect(await text).toBe('done')
})

test('answers HTTP/1.1, too, which Kubernetes asks in', async () => {
  const { opened } = await endpoint()
  const answer = await fetch(`http://127.0.0.1:${opened.port}/health`)
  expect(answer.status).toBe(200)
  const draining = opened.drain(() => false)
  expect((await fetch(`http://127.0.0.1:${opened.port}/health`)).status).toBe(404)
  await draining
})

test('a draining worker finishes what it has, takes no new streams, and says so', async () => {
  const { opened, client: session, waiting } = await endpoint()
  const first = request(session, '/v2/invoke/block/run')
  await first.status
  let active = true
  const drained = opened.drain(() => active)
  expect(await request(session, '/health').status).toBe(404)
  // Until the balancer has noticed, it still takes requests.
  const second = request(session, '/v2/invoke/block/run')
  expect(await second.status).toBe(200)
  await new Promise<void>((resolve) => {
    session.on('remoteSettings', ({ maxConcurrentStreams }) => maxConcurrentStreams === 0 && resolve())
  })
  expect(await request(client(opened.port), '/health').status).toBe(404)
  for (const end of waiting) end()
  expect(await first.text).toBe('done')
  expect(await second.text).toBe('done')
  active = false // such as an effect whose request was cut off
  await drained
  expect(opened.active()).toBe(0)
})

test('a drain that takes too long is given up', async () => {
  const { opened, client: session } = await endpoint()
  const { status } = request(session, '/v2/invoke/block/run')
  await status
  await opened.drain(() => false, AbortSignal.abort())
  expect(opened.active()).toBe(1)
})

test('says who has the port when it is taken', async () => {
  const { opened } = await endpoint()
  await expect(endpoint({ port: opened.port })).rejects.toThrow(/127\.0\.0\.1:\d+: something else listens/)
})
