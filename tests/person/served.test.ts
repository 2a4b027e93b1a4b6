// A person as the model, over HTTP and MCP: whoever asks for the run sees the request, and their answer is the reply.
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { openModel } from '../../src/models/open-model.ts'
import type { PendingQuestion } from '../../src/protocol/index.ts'
import { calculateTool } from '../../src/tools/builtin/calculate.ts'
import { call, connect, ERAS, endAll as endMcp, open } from '../mcp/connect.ts'
import { endAll, serveHere, storeFile } from '../server/serve-here.ts'

afterEach(endAll)
afterEach(endMcp)

const SIX = '{"do":"return","result":"six"}'

it('is shown and answered over HTTP; what is too large is refused, and nothing is lost', async () => {
  const { post, json } = await serveHere({ engine: { model: 'person', tools: [calculateTool()] } })
  const { run } = (await (await post('/api/runs', { goal: 'what is 2 * 3?' })).json()) as { run: string }
  const asked = async () => {
    const { questions } = (await json(`/api/runs/${run}`)) as { questions: PendingQuestion[] }
    return questions
  }
  await expect.poll(async () => (await asked()).length).toBe(1)
  const [question] = await asked()
  expect(question?.request).toMatchObject({ kind: 'minimal/next', messages: expect.any(Array) })
  expect(question?.request?.tools?.map(({ name }) => name)).toContain('calculate')
  const answer = (body: object) => post(`/api/runs/${run}/answers`, body)
  expect((await answer({ answer: 'x'.repeat(20_000_000) })).status).toBe(413)
  const toolCalls = [{ name: 'calculate', input: { expression: '2 * 3' } }]
  expect((await answer({ answer: { toolCalls } })).status).toBe(202)
  const next = async () => (await asked()).find(({ id }) => id !== question?.id)?.id
  await expect.poll(next).toBeDefined()
  const value = { do: 'return', result: 'six' }
  expect((await answer({ answer: value, question: question?.id })).status).toBe(409)
  expect((await answer({ answer: value, question: await next() })).status).toBe(202)
  await expect
    .poll(async () => json(`/api/runs/${run}`))
    .toMatchObject({ status: 'completed', outcome: { result: 'six' } })
})

it('hands a request over to the model of its role, if the run is resumed with another', async () => {
  const store = storeFile()
  const first = createEngine({ model: 'person', store })
  const run = await first.start('compute 3+4', { strategy: 'minimal', id: 'over' })
  run.outcome.catch(() => {})
  await expect.poll(async () => (await first.state('over')).openQuestions).toBe(1)
  await first.close()
  const second = createEngine({
    model: 'person',
    models: { act: 'embedded:abacus', plan: 'embedded:abacus' },
    store,
  })
  const resumed = await second.resume('over')
  expect((await resumed.outcome).result).toContain('7')
  await second.close()
})

describe.each(ERAS)('a %s client of MCP', (era) => {
  it('is asked the whole request, and its words are the reply', async () => {
    const asked: string[] = []
    const client = await connect(open({ model: await openModel('person') }), era, {
      elicit({ message }) {
        asked.push(message)
        return { action: 'accept', content: { answer: asked.length === 1 ? 'it is six' : SIX } }
      },
    })
    expect(await call(client, 'run', { goal: 'what is 2 * 3?' })).toMatchObject({
      status: 'completed',
      result: 'six',
    })
    expect(asked[0]).toContain('You are the model: answer minimal/next')
    expect(asked[0]).toContain('── user ──')
    expect(asked[1]).toContain("That reply can't be used")
  })

  it('that can not be asked gets it with the report, and answers with a tool', async () => {
    const client = await connect(open({ model: await openModel('person') }), era)
    const report = await call(client, 'run', { goal: 'what is 2 * 3?' })
    expect(report).toMatchObject({ status: 'waiting', questions: [{ id: expect.any(Number) }] })
    expect(report.questions?.[0]?.text).toContain('what is 2 * 3?')
    await call(client, 'answer', { run: report.run, answer: SIX })
    expect(await call(client, 'wait', { run: report.run })).toMatchObject({ result: 'six' })
  })
})
