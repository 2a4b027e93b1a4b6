// The HTTP API as a program meets it: every route, its answers held against the schemas that the document shows.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { builtinTools } from '../../src/index.ts'
import { type Event, REDACTED, ThinkonError } from '../../src/protocol/index.ts'
import { checkSchema, type JsonSchema } from '../../src/schema/check-schema.ts'
import { ROUTES } from '../../src/server/http/routes/index.ts'
import { ASK_ABOUT_PRESSES, asksTwice, presses, pressTool } from '../presses.ts'
import { all } from '../stores.ts'
import { endAll, gate, sentEvents, serveHere, storeFile } from './serve-here.ts'

afterEach(endAll)

const answered = new Set<string>()

/** The JSON of an answer that fits the schema of its route. */
async function fitting(name: string, response: Response): Promise<never> {
  const route = ROUTES.find((one) => one.name === name)
  const schema = route?.answers[response.status]?.schema as JsonSchema
  const value = await response.json()
  expect(schema, `${name} answered with ${response.status}: ${JSON.stringify(value)}`).toBeDefined()
  expect(checkSchema(value, schema)).toEqual([])
  answered.add(name)
  return value as never
}

it('starts, lists, shows and tells of a run; every answer is as the document says', async () => {
  const { fetch, post } = await serveHere()
  const started = await post('/api/runs', { goal: 'a', model: 'slow', budget: { calls: 7 } })
  expect(started.status).toBe(201)
  const { run } = (await fitting('startRun', started)) as { run: string }
  expect(started.headers.get('location')).toBe(`/api/runs/${run}`)
  const sent = await all(
    sentEvents(await fetch(`/api/runs/${run}/events`, { headers: { accept: 'text/event-stream' } })),
  )
  expect(sent.at(-1)).toEqual({ event: 'end', data: '{"why":"run-end"}' })
  const events = sent.slice(0, -1).map(({ data }) => JSON.parse(data) as Event)
  expect(sent.slice(0, -1).map(({ id }) => Number(id))).toEqual(events.map((_, i) => i + 1))
  const page = (await fitting('runEvents', await fetch(`/api/runs/${run}/events?limit=2`))) as {
    events: Event[]
    next: number
  }
  expect(page).toEqual({ events: events.slice(0, 2), next: 3, last: events.length })
  expect(await fitting('showRun', await fetch(`/api/runs/${run}`))).toMatchObject({
    id: run,
    status: 'completed',
    outcome: { result: 'done' },
    model: 'slow',
  })
  expect(await fitting('listRuns', await fetch('/api/runs?limit=10&status=completed,failed'))).toMatchObject({
    total: 1,
  })
  const form = await fetch(`/api/runs/${run}/blocks/1/form?at=${events.length}&lang=zh`)
  expect(await fitting('blockForm', form)).toEqual({ form: null })
  expect((await fetch(`/api/runs/${run}/blocks/1-9/form`)).status).toBe(404)
  expect((await fetch(`/api/runs/${run}/blocks/1/form?lang=tlh`)).status).toBe(400)
  expect(await fitting('runState', await fetch(`/api/runs/${run}/state?open`))).toMatchObject({
    blocks: { 1: { status: 'completed' } },
  })
  expect(await fitting('replayRun', await post(`/api/runs/${run}/replay`))).toMatchObject({ differences: [] })
})

it('sends fewer events in a page where they are large', async () => {
  const result = 'long '.repeat(100_000)
  const { fetch, service } = await serveHere({ script: () => ({ do: 'return', result }) })
  const run = await service.start('find out')
  await run.outcome
  const ask = async (from: number) =>
    (await fitting('runEvents', await fetch(`/api/runs/${run.id}/events?limit=1000&from=${from}`))) as {
      events: Event[]
      next: number | null
    }
  const seqs: number[] = []
  let pages = 0
  for (let from: number | null = 1; from !== null; pages++) {
    const page = await ask(from)
    expect(JSON.stringify(page).length).toBeLessThan(1.1 * 1024 * 1024)
    seqs.push(...page.events.map(({ seq }) => seq))
    from = page.next
  }
  expect(pages).toBeGreaterThan(1)
  expect(seqs).toEqual([...(await service.engine.events(run.id))].map(({ seq }) => seq))
})

it('lists pages of runs, by strategy, with what each has spent and asks if that is wanted', async () => {
  const { fetch, post, service } = await serveHere({
    script: ({ messages }) =>
      JSON.stringify(messages).includes('Ask!')
        ? { do: 'ask', question: { text: 'Which?' } }
        : { do: 'return', result: 'done' },
  })
  const outlines = vi.spyOn(service.engine, 'outline')
  for (const id of ['a', 'b', 'c']) {
    await post('/api/runs', { goal: 'x', id, model: 'slow' })
    await (await service.attach(id)).outcome
  }
  const ids = async (query: string) =>
    ((await fitting('listRuns', await fetch(`/api/runs?${query}`))) as { runs: { id: string }[] }).runs.map(
      ({ id }) => id,
    )
  expect(await ids('limit=2')).toEqual(['c', 'b'])
  expect(await ids('limit=2&offset=2')).toEqual(['a'])
  expect(await ids('strategy=minimal')).toHaveLength(3)
  expect(await ids('strategy=cot')).toEqual([])
  expect(outlines).not.toHaveBeenCalled()

  const figures = async () =>
    (await fitting('listRuns', await fetch('/api/runs?figures&limit=2'))) as { runs: object[]; total: number }
  expect(await figures()).toMatchObject({
    total: 3,
    runs: ['c', 'b'].map((id) => ({
      id,
      figures: { model: 'slow', usage: { calls: 1 }, openQuestions: 0, score: null },
    })),
  })
  expect(await figures()).toEqual(await figures())
  expect(outlines, 'each journal is read once').toHaveBeenCalledTimes(2)

  await post('/api/runs', { goal: 'Ask!', id: 'asks' })
  await expect
    .poll(async () => (await figures()).runs[0])
    .toMatchObject({ id: 'asks', status: 'waiting', waitsFor: 'person', figures: { openQuestions: 1 } })

  // A run that can't be read leaves the others as they are.
  await post('/api/runs/asks/cancel')
  await expect.poll(() => ids('status=cancelled')).toEqual(['asks'])
  outlines.mockRejectedValueOnce(new ThinkonError('STORE_CORRUPT', 'it is broken'))
  const { runs } = await figures()
  expect(runs).toMatchObject([
    { id: 'asks', figures: null },
    { id: 'c', figures: { model: 'slow' } },
  ])
})

it('answers permissions that one block asks for at the same time, each by its id, whatever the order', async () => {
  const { fetch, post, service } = await serveHere({
    engine: { strategies: [presses], tools: [pressTool] },
    service: { strategies: [presses], defaults: { strategy: 'presses', approval: ASK_ABOUT_PRESSES } },
  })
  const { run } = (await (await post('/api/runs', { goal: 'press' })).json()) as { run: string }
  const questions = async () =>
    (
      (await fitting('listQuestions', await fetch(`/api/questions?run=${run}`))) as {
        questions: { id: number; name: string }[]
      }
    ).questions
  const open = [{ name: 'approve' }, { name: 'approve-2' }]
  await expect.poll(questions).toMatchObject(open)
  const page = await fitting('listQuestions', await fetch(`/api/questions?run=${run}&limit=1&offset=1`))
  expect(page).toMatchObject({ questions: [{ name: expect.any(String) }], total: 2 })
  expect(page).toMatchObject({ questions: (await questions()).slice(1) })
  const [first, second] = await questions()
  const answer = (body: object) => post(`/api/runs/${run}/answers`, body)
  const which = await answer({ answer: 'yes' })
  expect([which.status, await which.json()]).toMatchObject([
    400,
    {
      detail: expect.stringMatching(/has 2 open questions.*press.*start.*press.*erase/),
      data: { open: [first?.id, second?.id] },
    },
  ])
  expect((await answer({ answer: 'no', question: second?.id })).status).toBe(202)
  expect(await questions()).toEqual([first])
  // A second person was slower: the question is no longer open, and no other takes what they say.
  expect((await answer({ answer: 'yes', question: second?.id })).status).toBe(409)
  expect((await answer({ answer: 'yes' })).status).toBe(202)
  expect(await (await service.attach(run)).outcome).toMatchObject({ result: 'pressed start, denied' })
})

it('says what a call would do to a file as it is now, while it waits for permission; the lines of a key are shown to nobody', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-http-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  const key = ['-----BEGIN PRIVATE KEY-----', 'MIIEvQIBADANBgkq', '-----END PRIVATE KEY-----']
  writeFileSync(join(workspace, 'a.pem'), `${key.join('\n')}\nkept\n`)
  const input = { path: 'a.pem', content: 'kept\nnew\n' }
  const { fetch, post, json } = await serveHere({
    script: () => ({ do: 'tool', calls: [{ id: 'a', name: 'write_file', input }] }),
    service: { workspace },
    engine: { tools: builtinTools({ workspace }) },
  })
  const { run } = (await (await post('/api/runs', { goal: 'a' })).json()) as { run: string }
  const questions = async () =>
    ((await json(`/api/runs/${run}`)) as { questions: { id: number }[] }).questions
  await expect.poll(async () => (await questions()).length).toBe(1)
  const [{ id }] = (await questions()) as [{ id: number }]
  const ask = async (asked: number) =>
    fitting('proposedChanges', await fetch(`/api/runs/${run}/questions/${asked}/changes`))
  expect(await ask(id)).toEqual({
    changes: [
      {
        path: 'a.pem',
        isBlind: false,
        lines: [
          { kind: 'removed', text: key[0] },
          { kind: 'removed', text: REDACTED },
          { kind: 'removed', text: key[2] },
          { kind: 'same', text: 'kept' },
          { kind: 'added', text: 'new' },
        ],
      },
    ],
  })
  expect(await ask(id + 1)).toEqual({ changes: null })
})

it('questions of a strategy with the same name take answers in their order', async () => {
  const { post, json, service } = await serveHere({
    engine: { strategies: [asksTwice] },
    service: { strategies: [asksTwice], defaults: { strategy: 'asks-twice' } },
  })
  const { run } = (await (await post('/api/runs', { goal: 'both' })).json()) as { run: string }
  const open = async () => ((await json(`/api/runs/${run}`)) as { questions: object[] }).questions.length
  for (const [left, answer] of [
    [2, 'one'],
    [1, 'two'],
  ] as const) {
    await expect.poll(open).toBe(left)
    const { questions } = (await json(`/api/questions?run=${run}`)) as { questions: { id: number }[] }
    const question = questions[0]?.id
    expect((await post(`/api/runs/${run}/answers`, { answer, question })).status).toBe(202)
  }
  expect(await (await service.attach(run)).outcome).toMatchObject({ result: 'one and two' })
})

it('steers a run: messages, answers, cancel; what is over is a conflict', async () => {
  let asked = false
  const { post, json, service } = await serveHere({
    script: () => {
      if (asked) return { do: 'return', result: 'thanks' }
      asked = true
      return { do: 'ask', question: { text: 'Which?', choices: ['red', 'green'] } }
    },
  })
  const { run } = (await (await post('/api/runs', { goal: 'a' })).json()) as { run: string }
  for (;;) {
    const { questions } = (await json(`/api/runs/${run}`)) as { questions: object[] }
    if (questions.length > 0) break
  }
  const wrong = await post(`/api/runs/${run}/answers`, { answer: 'blue' })
  expect(wrong.status).toBe(400)
  expect(await wrong.json()).toMatchObject({ code: 'INVALID_ANSWER', data: { choices: ['red', 'green'] } })
  await fitting('signalRun', await post(`/api/runs/${run}/signals`, { name: 'message', value: 'hurry' }))
  expect(await fitting('answerRun', await post(`/api/runs/${run}/answers`, { answer: '2' }))).toMatchObject({
    run,
    running: true,
  })
  expect(await (await service.attach(run)).outcome).toMatchObject({ result: 'thanks' })
  const events = [...(await service.engine.events(run))]
  expect(events.find(({ type }) => type === 'signal-taken')).toMatchObject({
    name: 'message',
    value: 'hurry',
  })
  const late = await post(`/api/runs/${run}/answers`, { answer: 'red' })
  expect([late.status, await late.json()]).toMatchObject([
    409,
    { code: 'QUESTION_NOT_OPEN', title: 'The state of the run does not allow it' },
  ])
  expect((await post(`/api/runs/${run}/cancel`)).status).toBe(409)
  const again = (await fitting(
    'redoBlock',
    await post(`/api/runs/${run}/redo`, { path: '1', message: 'better' }),
  )) as { run: string }
  expect(again.run).not.toBe(run)
  expect(await (await service.attach(again.run)).outcome).toMatchObject({ status: 'completed' })
})

it('cancels a run, resumes one that was stopped, forks, exports, imports and deletes', async () => {
  const { script, asked } = gate()
  const store = storeFile()
  const first = await serveHere({ script, store })
  const { run } = (await (await first.post('/api/runs', { goal: 'a' })).json()) as { run: string }
  await asked
  expect((await first.fetch(`/api/runs/${run}`, { method: 'DELETE' })).status).toBe(409)
  const other = (await (await first.post('/api/runs', { goal: 'b' })).json()) as { run: string }
  await fitting('cancelRun', await first.post(`/api/runs/${other.run}/cancel`, { reason: 'enough' }))
  expect(await (await first.service.attach(other.run)).outcome).toMatchObject({ status: 'cancelled' })
  await first.close()

  const { post, fetch, service } = await serveHere({ store })
  await fitting('resumeRun', await post(`/api/runs/${run}/resume`, {}))
  expect(await (await service.attach(run)).outcome).toMatchObject({ status: 'completed' })
  const forked = (await fitting('forkRun', await post(`/api/runs/${run}/fork`, { at: 2 }))) as { run: string }
  expect(await (await service.attach(forked.run)).outcome).toMatchObject({ status: 'completed' })
  const file = await (await fetch(`/api/runs/${run}/export`)).text()
  answered.add('exportRun')
  const page = await fetch(`/api/runs/${run}/page`)
  expect(page.headers.get('content-disposition')).toMatch(/\.html"$/)
  expect(await page.text()).toMatch(/^<!doctype html>/i)
  answered.add('runPage')
  expect(await fitting('deleteRun', await fetch(`/api/runs/${run}`, { method: 'DELETE' }))).toMatchObject({
    freedBytes: expect.any(Number),
  })
  const imported = await fetch('/api/imports?as=again', { method: 'POST', body: file })
  expect(await fitting('importRun', imported)).toMatchObject({ run: 'again', existed: false })
  expect(await (await fetch('/api/runs/again')).json()).toMatchObject({ status: 'completed' })
  const personal = await serveHere({ store, service: { mayTrust: true } })
  const trusted = await personal.fetch('/api/runs/again/trust', { method: 'POST' })
  expect(await fitting('trustRun', trusted)).toEqual({ run: 'again' })
})

it('says what it offers: models, strategies with schemas of their options, tools, blueprints; and whom it tells', async () => {
  const { fetch, service } = await serveHere({ service: { workspace: storeFile().replace(/runs\.db$/, '') } })
  expect(await fitting('listModels', await fetch('/api/models'))).toMatchObject({
    models: [{ model: 'fast', isDefault: true }, {}],
  })
  const { strategies } = (await fitting('listStrategies', await fetch('/api/strategies'))) as {
    strategies: { name: string; options: JsonSchema }[]
  }
  const tot = strategies.find(({ name }) => name === 'tot')?.options as JsonSchema
  expect(checkSchema({ depth: 3, branching: 2 }, tot)).toEqual([])
  expect(checkSchema({ depth: 0 }, tot)).not.toEqual([])
  // What the schema says is what the strategy does: its defaults are options that it takes.
  for (const { name, options } of strategies) {
    const solver = await service.strategies.get(name)?.load()
    const defaults = Object.entries(options.properties ?? {}).flatMap(([key, one]) =>
      'default' in (one as object) ? [[key, (one as { default: unknown }).default]] : [],
    )
    expect(solver?.options(Object.fromEntries(defaults)), name).toBeDefined()
    // A form can say what each is for.
    const properties = Object.entries((options.properties ?? {}) as Record<string, JsonSchema>)
    const dumb = properties.flatMap(([key, { description }]) => (description === undefined ? [key] : []))
    expect(dumb, name).toEqual([])
  }
  await fitting('listTools', await fetch('/api/tools'))
  const { blueprints } = (await fitting('listBlueprints', await fetch('/api/blueprints'))) as {
    blueprints: object[]
  }
  expect(blueprints.length).toBeGreaterThan(0)
  expect(await fitting('listWebhooks', await fetch('/api/webhooks'))).toEqual({ deliveries: [] })
  expect(ROUTES.map(({ name }) => name).filter((name) => !answered.has(name))).toEqual([])
})

it('has an OpenAPI document and a page that needs nothing from elsewhere', async () => {
  const { fetch, url } = await serveHere()
  const document = (await (await fetch('/api/openapi.json')).json()) as {
    openapi: string
    paths: Record<string, Record<string, { operationId: string }>>
    servers: object[]
  }
  expect(document.openapi).toBe('3.1.0')
  expect(await new Validator().validate(document)).toEqual({ valid: true })
  // Its lists are separated by commas, which is not how OpenAPI reads them unless it is told.
  expect(document.paths['/runs']?.get).toMatchObject({
    parameters: expect.arrayContaining([expect.objectContaining({ name: 'status', explode: false })]),
  })
  expect(document.servers).toEqual([{ url: '/api' }])
  const names = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((one) => one.operationId),
  )
  expect(names.sort()).toEqual(ROUTES.map(({ name }) => name).sort())
  const refs = JSON.stringify(document).match(/#\/components\/schemas\/\w+/g) ?? []
  for (const ref of refs) expect(document).toHaveProperty(ref.slice(2).split('/'))
  const page = await fetch('/api/docs')
  const html = await page.text()
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(html).toContain('<code>/api/runs</code>')
  for (const name of names) expect(html).toContain(`href="#${name}"`)
  expect(html.match(/(?:src|href)="(?!#|\/api\/openapi\.json)[^"]*"/g)).toBeNull()
  expect(await (await globalThis.fetch(`${url}/api/health`)).json()).toEqual({ ok: true })
})
