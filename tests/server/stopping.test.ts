// The service stops, is full, or can't write: what requests and streams are told, and what is left.
import { connect } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { all } from '../stores.ts'
import { requestHead } from './raw.ts'
import { endAll, gate, sentEvents, serveHere, storeFile, TOKEN } from './serve-here.ts'

afterEach(endAll)

const STREAM = { headers: { accept: 'text/event-stream' } }

it('when it stops, streams end with a hint, requests get 503, and the next one goes on', async () => {
  const { script, asked } = gate()
  const store = storeFile()
  const first = await serveHere({ script, store })
  const { run } = (await (await first.post('/api/runs', { goal: 'a' })).json()) as { run: string }
  await asked
  const sent = sentEvents(await first.fetch(`/api/runs/${run}/events`, STREAM))
  const seen = [(await sent.next()).value, (await sent.next()).value]
  expect(seen.map((one) => one?.id)).toEqual(['1', '2'])
  await first.service.close()
  const rest = await all(sent)
  expect(rest.at(-1)).toEqual({ event: 'end', data: '{"why":"stopping"}' })
  for (const path of ['/api/runs', `/api/runs/${run}`, `/api/runs/${run}/events`, '/api/tools']) {
    const refused = await first.fetch(path)
    expect([path, refused.status, refused.headers.get('retry-after')]).toEqual([path, 503, '5'])
    expect(await refused.json()).toMatchObject({ code: 'INTERRUPTED', retryable: true })
  }
  expect((await first.post('/api/runs', { goal: 'b' })).status).toBe(503)
  await first.close()

  const second = await serveHere({ store })
  await second.service.open()
  const last = [...seen, ...rest].filter((one) => one?.id !== undefined).at(-1)?.id as string
  const more = await all(
    sentEvents(
      await second.fetch(`/api/runs/${run}/events`, {
        headers: { ...STREAM.headers, 'last-event-id': last },
      }),
    ),
  )
  expect(Number(more[0]?.id)).toBe(Number(last) + 1)
  expect(more.at(-1)).toEqual({ event: 'end', data: '{"why":"run-end"}' })
  const after = await second.fetch(`/api/runs/${run}/events`, {
    headers: { ...STREAM.headers, 'last-event-id': String(Number(last) + more.length - 1) },
  })
  expect(after.status).toBe(204)
})

it('runs for which there is no room when it starts go on when there is', async () => {
  const store = storeFile()
  const { script, asked } = gate()
  const first = await serveHere({ script, store })
  for (const id of ['a', 'b', 'c']) await first.service.start('x', { id })
  await asked
  await first.close()
  const problems: string[] = []
  const second = await serveHere({
    store,
    service: { maxRuns: 1, retryMs: 10, onProblem: (text) => problems.push(text) },
  })
  await second.service.open()
  await expect.poll(() => second.service.engine.count({ status: 'completed' })).toBe(3)
  expect(problems).toEqual([])
})

it('a reader that stops reading is let go, and costs others nothing', async () => {
  const text = 'x'.repeat(100_000)
  let calls = 0
  const printed = vi.spyOn(console, 'error')
  const { post, port, service, fetch } = await serveHere({
    script: () => (calls++ < 200 ? { do: 'note', name: 'n', data: text } : { do: 'return', result: 'done' }),
    app: { limits: { stallMs: 2_000, heartbeatMs: 50, maxStreams: 2 }, onError: () => {} },
  })
  const { run } = (await (await post('/api/runs', { goal: 'a' })).json()) as { run: string }
  const path = `/api/runs/${run}/events`
  const socket = connect(port, '127.0.0.1')
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.on('error', () => {})
  socket.write(
    requestHead(`GET ${path}`, {
      host: `127.0.0.1:${port}`,
      authorization: `Bearer ${TOKEN}`,
      ...STREAM.headers,
    }),
  )
  socket.pause()
  const other = await all(sentEvents(await fetch(path, STREAM)))
  expect(other.at(-1)).toEqual({ event: 'end', data: '{"why":"run-end"}' })
  expect(await (await service.attach(run)).outcome).toMatchObject({ run })
  // Its place is free again, though it has neither read nor closed.
  for (let i = 0; i < 2; i++)
    await expect
      .poll(async () => (await fetch(path, { ...STREAM, signal: AbortSignal.timeout(5_000) })).status)
      .toBe(200)
  socket.resume()
  await closed
  expect(printed).not.toHaveBeenCalled()
  printed.mockRestore()
})
