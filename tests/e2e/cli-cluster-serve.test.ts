/** The service in front of a cluster: HTTP, streams, webhooks and MCP, with the work done by a worker in another process. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../src/client.ts'
import { until } from '../conformance/async.ts'
import { call } from '../mcp/connect.ts'
import { sentEvents } from '../server/serve-here.ts'
import { type ServeProcess, startServe } from '../server/serve-process.ts'
import { type Receiver, receiver, SECRET } from '../webhooks/receiver.ts'
import { bin } from './cli-process.ts'
import { type ClusterPlace, makeClusterPlace } from './cluster-place.ts'

let place: ClusterPlace
let serving: ServeProcess
let hooks: Receiver

beforeAll(async () => {
  hooks = await receiver()
  place = await makeClusterPlace()
  const config = { webhooks: [{ url: hooks.url, secret: SECRET }] }
  writeFileSync(join(place.folder, 'thinkon.config.json'), JSON.stringify(config))
  serving = await startServe(place)
})

afterAll(async () => {
  await place?.end()
  await hooks?.close()
})

const client = () => createClient({ url: serving.url, token: serving.token })

async function start(goal: string): Promise<string> {
  const response = await serving.post('/api/runs', { goal })
  expect(response.status).toBe(201)
  return ((await response.json()) as { run: string }).run
}

/** The numbers of what comes after event `after`, up to `most` of them. */
async function numbers(run: string, after: number, most = Number.POSITIVE_INFINITY): Promise<number[]> {
  const gone = new AbortController()
  const headers = { accept: 'text/event-stream', ...(after > 0 && { 'last-event-id': String(after) }) }
  const response = await serving.fetch(`/api/runs/${run}/events`, { headers, signal: gone.signal })
  const ids: number[] = []
  for await (const { id } of sentEvents(response)) {
    if (id !== undefined) ids.push(Number(id))
    if (ids.length >= most) break
  }
  gone.abort()
  return ids
}

const isAsked = (run: string) =>
  until(async () => (await client().show(run)).questions.length > 0, `run ${run} asks`)

it('a run is started, followed from where a stream broke off, listed, forked and deleted', async () => {
  const run = await start('hello')
  const first = await numbers(run, 0, 2)
  const rest = await numbers(run, 2)
  const ended = await client().show(run)
  expect(ended).toMatchObject({ status: 'completed', outcome: { result: 'reached: hello' } })
  expect([...first, ...rest]).toEqual(Array.from({ length: ended.seq }, (_, i) => i + 1))
  // Whoever has read the end is told to stop.
  const again = await serving.fetch(`/api/runs/${run}/events`, {
    headers: { accept: 'text/event-stream', 'last-event-id': String(ended.seq) },
  })
  expect(again.status).toBe(204)
  const { runs, total } = await client().list({ search: 'hello', status: ['completed'], figures: true })
  expect([runs.map(({ id }) => id), total]).toEqual([[run], 1])
  const fork = await client().fork(run, 2)
  expect(await client().run(fork).outcome).toMatchObject({ result: 'reached: hello' })
  expect(await client().list({ forkOf: run })).toMatchObject({ runs: [{ id: fork }] })
  expect(await client().replay(run)).toMatchObject({ differences: [] })
  expect((await client().delete(fork)).freedBytes).toBeGreaterThanOrEqual(0)
})

it('a question is answered and a run is cancelled; webhooks tell of each, once', async () => {
  const told = (run: string) =>
    hooks.taken.filter(({ payload }) => payload.data.run === run).map(({ payload }) => payload.type)
  const asking = await start('ask')
  await isAsked(asking)
  // Whoever answers at once is not told that there is a question.
  await until(() => told(asking).length > 0, 'the webhook of the question')
  await client().answer(asking, 'maybe later')
  expect(await client().run(asking).outcome).toMatchObject({ result: 'answer: maybe later' })
  const waiting = await start('wait')
  for await (const { type, path } of client().run(waiting).events)
    if (type === 'model-end' && path === '1-2') break
  await client().cancel(waiting, 'enough')
  expect(await client().run(waiting).outcome).toMatchObject({ status: 'cancelled' })
  await until(() => told(waiting).length > 0 && told(asking).length > 1, 'the webhooks arrive')
  expect([told(asking), told(waiting)]).toEqual([['run.waiting', 'run.ended'], ['run.ended']])
  expect(hooks.refused).toEqual([])
})

it('a service that is killed and started again goes on: the question is there, and its webhook does not come twice', async () => {
  const run = await start('ask')
  await isAsked(run)
  const told = () => hooks.taken.filter(({ payload }) => payload.data.run === run).length
  await until(() => told() === 1, 'the webhook of the question')
  serving.child.kill('SIGKILL')
  await serving.ended
  serving = await startServe(place)
  const outcome = client().run(run).outcome
  await client().answer(run, 'yes')
  expect(await outcome).toMatchObject({ result: 'answer: yes' })
  await until(() => told() === 2, 'the webhook of the end')
})

it('NUL, which PostgreSQL has no character for, is stored in texts and refused in names', async () => {
  const nul = '\u0000'
  const run = await start(`a${nul}b`)
  expect(await client().run(run).outcome).toMatchObject({ result: `reached: a${nul}b` })
  expect(await client().list({ search: `A${nul}` })).toMatchObject({ runs: [{ id: run, goal: `a${nul}b` }] })
  const refused = [
    await serving.post('/api/runs', { goal: 'a', id: `a${nul}b` }),
    await serving.fetch('/api/runs?forkOf=a%00b'),
    await serving.fetch('/api/runs?strategy=a%00b'),
    await serving.fetch('/api/runs/a%00b'),
    await serving.fetch('/api/runs/a%00b/events'),
    await serving.post('/api/runs/a%00b/cancel', { reason: 'a' }),
    await serving.fetch('/api/runs/a%00b', { method: 'DELETE' }),
  ]
  for (const response of refused) {
    expect([response.url, response.status]).toEqual([response.url, 400])
    expect(((await response.json()) as { detail: string }).detail).toMatch(/NUL|must match/)
  }
  const asking = await start('ask')
  await isAsked(asking)
  await client().signal(asking, '1', 'message', `a${nul}b`)
  await client().cancel(asking, `a${nul}b`)
  expect(await client().run(asking).outcome).toMatchObject({ status: 'cancelled' })
})

it('an editor runs a goal over MCP and waits for one that takes longer', async () => {
  const editor = new Client({ name: 'editor', version: '1' }, { capabilities: {} })
  await editor.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bin, 'mcp'],
      cwd: place.folder,
      env: place.env as Record<string, string>,
      stderr: 'ignore',
    }),
  )
  try {
    expect(await call(editor, 'run', { goal: 'over MCP' })).toMatchObject({
      status: 'completed',
      result: 'reached: over MCP',
    })
    const asked = await call(editor, 'run', { goal: 'ask' })
    expect(asked).toMatchObject({ status: 'waiting', questions: [{ text: 'Go on?' }] })
    await call(editor, 'answer', { run: asked.run, answer: 'no' })
    expect(await call(editor, 'wait', { run: asked.run })).toMatchObject({ result: 'answer: no' })
  } finally {
    await editor.close()
  }
})
