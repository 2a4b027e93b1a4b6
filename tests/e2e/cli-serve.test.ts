// `thinkon serve` as processes: started, asked, killed and started again.
import { once } from 'node:events'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { sandboxStatus } from '../../src/tools/sandbox.ts'
import { until } from '../conformance/async.ts'
import { sentEvents } from '../server/serve-here.ts'
import { type ServeProcess, startServe } from '../server/serve-process.ts'
import { makePlace, type Place } from './cli-process.ts'

let place: Place
afterEach(() => place.remove())

/** What is said at the start of every server: where commands run without a sandbox, just that. */
const { kind } = await sandboxStatus()
const SAYS = kind === 'none' ? expect.stringMatching(/^shell: no sandbox .*\n$/) : ''

const STREAM = { accept: 'text/event-stream' }

interface Shown {
  status: string
  outcome: { result: string } | null
  questions: { path: string; name: string; question: { text: string; choices: string[] } }[]
}

const show = ({ json }: ServeProcess, run: string) => json(`/api/runs/${run}`) as Promise<Shown>

async function start({ post }: ServeProcess, goal: string, more: object = {}): Promise<string> {
  const response = await post('/api/runs', { goal, ...more })
  expect(response.status).toBe(201)
  return ((await response.json()) as { run: string }).run
}

it('killed with kill -9 in the middle of 20 runs and started again: all complete, streams go on by Last-Event-ID', async () => {
  place = makePlace()
  const first = await startServe(place)
  const runs = await Promise.all(
    Array.from({ length: 20 }, (_, i) => start(first, 'wait', { id: `run-${i}` })),
  )
  const followers = runs.map((run) => follower(run))
  await Promise.all(followers.map((one) => one.read(first, 6)))
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')

  const second = await startServe(place)
  expect(second.token).toBe(first.token)
  const ends = followers.map((one) => one.read(second))
  // They tick until they are told to hurry, which is told to the children.
  await Promise.all(
    runs.map(async (run) => {
      await until(
        async () => (await second.post(`/api/runs/${run}/signals`, { name: 'message', value: 'hurry' })).ok,
        run,
      )
    }),
  )
  await Promise.all(ends)
  for (const [i, run] of runs.entries()) {
    expect(await show(second, run)).toMatchObject({
      status: 'completed',
      outcome: { result: 'hurried | hurried' },
    })
    const { seqs } = followers[i] as ReturnType<typeof follower>
    expect(seqs).toEqual(seqs.map((_, at) => at + 1))
    expect(((await second.json(`/api/runs/${run}`)) as { seq: number }).seq).toBe(seqs.length)
  }
  second.child.kill('SIGINT')
  expect(await second.ended).toMatchObject({ code: 0, stderr: SAYS })
}, 300_000)

/** Reads a run's stream as a browser does, from where it was. */
function follower(run: string) {
  const seqs: number[] = []
  return {
    seqs,
    /** Until the run ends, or it has so many. */
    async read({ fetch }: ServeProcess, most = Number.POSITIVE_INFINITY): Promise<void> {
      const gone = new AbortController()
      const last = seqs.at(-1)
      const headers = { ...STREAM, ...(last !== undefined && { 'last-event-id': String(last) }) }
      const response = await fetch(`/api/runs/${run}/events`, { headers, signal: gone.signal })
      for await (const { id, event } of sentEvents(response)) {
        if (id !== undefined) seqs.push(Number(id))
        if (event === 'end' || seqs.length >= most) break
      }
      gone.abort()
    },
  }
}

it('there is somebody to ask: a permission is answered over HTTP; Ctrl-C leaves runs, and the next one goes on', async () => {
  place = makePlace()
  const first = await startServe(place)
  expect(statSync(first.tokenFile as string).mode & 0o777).toBe(0o600)
  expect(first.tokenFile).toContain(join(place.env.XDG_STATE_HOME as string, 'thinkon/workspaces'))
  const asking = await start(first, 'two files')
  const question = async (from: ServeProcess) => {
    await until(async () => (await show(from, asking)).questions.length > 0, 'a question')
    return (await show(from, asking)).questions[0]
  }
  expect(await question(first)).toMatchObject({
    path: '1',
    text: expect.stringContaining('a.txt'),
  })
  const answer = { answer: 'yes' }
  expect((await first.post(`/api/runs/${asking}/answers`, answer)).status).toBe(202)
  await until(
    async () => JSON.stringify((await show(first, asking)).questions).includes('b.txt'),
    'the second',
  )
  const stream = sentEvents(await first.fetch(`/api/runs/${asking}/events`, { headers: STREAM }))
  first.child.kill('SIGINT')
  let last = {}
  for await (const sent of stream) last = sent
  expect(last).toEqual({ event: 'end', data: '{"why":"stopping"}' })
  expect(await first.ended).toMatchObject({ code: 0, stderr: SAYS })

  const second = await startServe(place)
  await question(second)
  await until(
    async () => (await second.post(`/api/runs/${asking}/answers`, answer)).status === 202,
    'an answer',
  )
  await until(async () => (await show(second, asking)).outcome !== null, 'the end')
  expect(await show(second, asking)).toMatchObject({ outcome: { result: 'written | written' } })
  const waiting = await start(second, 'wait')
  expect((await second.post(`/api/runs/${waiting}/cancel`, { reason: 'enough' })).status).toBe(202)
  await until(async () => (await show(second, waiting)).status === 'cancelled', 'cancelled')
}, 300_000)

it('others reach it only with a token of the configuration; what is configured holds', async () => {
  place = makePlace()
  const refused = await place.cli(['serve', '--port', '0', '--listen', '0.0.0.0'])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('serve.tokens') })
  const serve = { tokens: [{ token: `\${READ_TOKEN}`, scopes: ['read'] }], maxBodyBytes: 2_000 }
  writeFileSync(join(place.folder, 'thinkon.config.json'), JSON.stringify({ serve }))
  const short = await place.cli(['serve', '--port', '0'], undefined, { ...place.env, READ_TOKEN: 'short' })
  expect(short).toMatchObject({ code: 2, stderr: expect.stringContaining('at least 16 characters') })
  place.env.READ_TOKEN = 'a-token-only-for-reading'
  place.env.START_TOKEN = 'a-token-only-for-starting'
  serve.tokens.push({ token: `\${START_TOKEN}`, scopes: ['start'] })
  writeFileSync(join(place.folder, 'thinkon.config.json'), JSON.stringify({ serve }))
  const served = await startServe(place, { token: place.env.START_TOKEN })
  // With configured tokens there is no other one that may do everything.
  expect(served.tokenFile).toBeUndefined()
  expect(readdirSync(place.env.XDG_STATE_HOME as string, { recursive: true }).join()).not.toContain('token')
  const reader = { authorization: `Bearer ${place.env.READ_TOKEN}` }
  expect((await served.fetch('/api/runs', { headers: reader })).status).toBe(200)
  expect((await served.fetch('/api/runs', { method: 'POST', headers: reader })).status).toBe(403)
  expect((await served.post('/api/runs', { goal: 'x'.repeat(3_000) })).status).toBe(413)
  const busy = await place.alone(['serve', '--port', String(served.port)])
  expect(busy).toMatchObject({ code: 2, stderr: expect.stringContaining('another program listens there') })
}, 300_000)
