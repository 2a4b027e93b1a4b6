/** The commands on the runs of a cluster: a real PostgreSQL, and a worker in a process of its own. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postgresPlace } from '../../src/kernel/postgres-place.ts'
import { type ClusterPlace, makeClusterPlace } from './cluster-place.ts'

let place: ClusterPlace

beforeAll(async () => {
  place = await makeClusterPlace()
})

afterAll(() => place?.end())

const address = () => postgresPlace(String(place.env.THINKON_POSTGRES)).address

interface Row {
  id: string
  status: string
  owned: boolean
}

async function rows(...args: string[]): Promise<Row[]> {
  const { stdout } = await place.cli(['list', '--json', ...args])
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** Starts a run and leaves it with Ctrl-C once a line of its output says so. */
async function leftWhen(goal: string, isThere: (line: string) => boolean): Promise<string> {
  const going = place.start(['run', goal, '--ask', '--json'])
  let run = ''
  let rest = ''
  going.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    rest += text
    for (const line of rest.split('\n').slice(0, -1)) {
      run ||= JSON.parse(line).run
      if (isThere(line)) going.child.kill('SIGINT')
    }
    rest = rest.slice(rest.lastIndexOf('\n') + 1)
  })
  const { code, stderr } = await going.ended
  expect(code).toBe(130)
  expect(stderr).toContain('goes on in the cluster')
  for (const command of ['show', 'resume', 'cancel']) expect(stderr).toContain(`thinkon ${command} ${run}`)
  return run
}

const isAsked = (line: string) => line.includes('"signal-asked"')

it('run follows a run to its end, as on this machine; what has ended is shown, replayed and exported', async () => {
  const { code, stdout, stderr } = await place.cli(['run', 'hello'])
  expect(stderr).toBe('')
  expect(stdout).toContain('reached: hello')
  expect(code).toBe(0)
  const [row] = await rows()
  expect(row).toMatchObject({ status: 'completed' })
  const { id } = row as Row
  // Nothing has run on this machine yet: there is not even a store.
  const here = await place.cli(['resume', id, '--host', 'local'])
  expect(here.stderr).toContain(`run ${id} is not here: it lives in the cluster at ${address()}`)
  expect((await place.cli(['show', id])).stdout).toContain('reached: hello')
  expect((await place.cli(['events', id, '--follow'])).stdout).toContain('run-end')
  expect(await place.cli(['replay', id])).toMatchObject({ code: 0 })
  expect((await place.cli(['resume', id])).stdout).toContain('reached: hello')
  expect(await place.cli(['export', id, 'run.jsonl'])).toMatchObject({ code: 0 })
  expect(await place.cli(['import', 'run.jsonl', '--as', 'copy'])).toMatchObject({ code: 0 })
  expect((await place.cli(['show', 'copy'])).stdout).toContain('reached: hello')
  expect(await place.cli(['delete', 'copy'])).toMatchObject({ code: 0 })
})

it('a fork goes on where it is resumed, and so does an import', async () => {
  const [{ id }] = (await rows()) as [Row]
  const forked = await place.cli(['fork', id, '--at', '2', '--json'])
  const { run } = JSON.parse(forked.stdout)
  expect(await rows('--status', 'stopped')).toMatchObject([{ id: run, owned: false }])
  expect(await place.cli(['export', run, 'fork.jsonl'])).toMatchObject({ code: 0 })
  expect((await place.cli(['resume', run])).stdout).toContain('reached: hello')
  expect((await place.cli(['fork', id, '--at', '2', '--resume'])).stdout).toContain('reached: hello')
  expect(await rows('--status', 'completed')).toHaveLength(3)
  expect(await place.cli(['import', 'fork.jsonl', '--host', 'local'])).toMatchObject({ code: 0 })
  expect((await place.cli(['resume', run, '--host', 'local', '--trust'])).stdout).toContain('reached: hello')
})

it('a run belongs to a host: the wrong one says where it lives', async () => {
  const [, { id: run }, { id }] = (await rows()) as [Row, Row, Row]
  const here = await place.cli(['show', id, '--host', 'local'])
  expect(here.stderr).toContain(
    `run ${id} is not here: it lives in the cluster at ${address()}; add --host cluster`,
  )
  expect(await place.cli(['delete', run])).toMatchObject({ code: 0 })
  const there = await place.cli(['show', run])
  expect(there.stderr).toContain('add --host local')
  const question = await leftWhen('ask', isAsked)
  await place.cli(['cancel', question])
  expect((await place.cli(['events', question, '--follow'])).stdout).toContain('run-end')
})

it('Ctrl-C leaves a run in the cluster; it is answered from elsewhere, and attached to', async () => {
  const id = await leftWhen('ask', isAsked)
  expect(await rows('--status', 'waiting')).toMatchObject([{ id, owned: true }])
  expect(await rows('--status', 'stopped')).toEqual([])
  const shown = await place.cli(['show', id])
  expect(shown.stdout).toContain(`thinkon answer ${id} `)
  const attached = place.start(['resume', id])
  const answered = await place.cli(['answer', id, 'no'])
  expect(answered.stdout).not.toContain('nothing is working')
  const { stdout, code } = await attached.ended
  expect(stdout).toContain('answer: no')
  expect(code).toBe(0)
})

it('blocks are told, skipped and done again, and a run is cancelled, at once', async () => {
  const id = await leftWhen('wait', (line) => line.includes('"path":"1-2"') && line.includes('model-end'))
  expect(await place.cli(['message', id, '1-1', 'hurry'])).toMatchObject({ code: 0 })
  expect(await place.cli(['redo', id, '1-2', '-m', 'please hurry'])).toMatchObject({ code: 0 })
  const { stdout } = await place.cli(['events', id, '--follow'])
  expect(stdout).toContain('run-end')
  expect((await place.cli(['show', id])).stdout).toContain('hurried')
  const other = await leftWhen('wait', (line) => line.includes('"path":"1-2"') && line.includes('model-end'))
  expect(await place.cli(['skip', other, '1-1'])).toMatchObject({ code: 0 })
  expect((await place.cli(['delete', other, '--yes'])).stderr).toContain('is being worked on')
  expect((await place.cli(['cancel', other])).stdout).toContain('ends with what it has')
  expect((await place.cli(['resume', other])).code).toBe(130)
  expect((await rows('--status', 'cancelled')).map((row) => row.id)).toContain(other)
  expect(await place.cli(['delete', other, '--yes'])).toMatchObject({ code: 0 })
})

it('says what can not be reached, and no password', async () => {
  const url = new URL(String(place.env.THINKON_POSTGRES))
  url.password = 's3cret-word'
  url.port = '1'
  const noDatabase = await place.cli(['list'], undefined, { ...place.env, THINKON_POSTGRES: url.href })
  expect(noDatabase.stderr).toContain('postgres://127.0.0.1:1/')
  expect(noDatabase.stderr).not.toContain('s3cret-word')
  expect(noDatabase.code).not.toBe(0)
  const named = await place.cli(['list', '--store', 'runs.db'])
  expect(named.stderr).toContain("a cluster's runs are in its PostgreSQL")
})
