// A person as the model: asked, answered, asked again, left waiting, and handed over, with the journal as the only memory.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Engine, EngineOptions } from '../../src/engine.ts'
import { createEngine } from '../../src/engine.ts'
import { ThinkonError } from '../../src/protocol/index.ts'
import { calculateTool } from '../../src/tools/builtin/calculate.ts'
import { openQuestions } from '../../src/views/questions.ts'
import { answerAt, answerIn } from '../answers.ts'

let folder: string
const engines: Engine[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'thinkon-person-'))
})
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close()
  rmSync(folder, { recursive: true, force: true })
})

function open(options: Partial<EngineOptions> = {}): Engine {
  const engine = createEngine({ model: 'person', store: join(folder, 'runs.db'), ...options })
  engines.push(engine)
  return engine
}

/** What the run asks of a person as its model now, once it has asked `asked` times in all. */
async function waiting(engine: Engine, id: string, asked: number) {
  return vi.waitUntil(async () => {
    const events = [...(await engine.events(id))]
    if (events.filter(({ type }) => type === 'signal-asked').length < asked) return undefined
    return [...openQuestions(await engine.state(id))]
  }, 20_000)
}

async function outline(engine: Engine, id: string): Promise<string[]> {
  const journal = [...(await engine.events(id))]
  return journal.flatMap((event) => {
    if (event.type === 'model-end') return [event.result.ok ? 'reply' : event.result.error.code]
    return event.type === 'signal-asked' || event.type === 'signal-answered'
      ? [`${event.type} ${event.name}`]
      : []
  })
}

it('is asked in the words that a model gets, and answers in the words of one', async () => {
  const engine = open({ tools: [calculateTool()] })
  const run = await engine.start('what is 6 * 7?', { strategy: 'minimal', id: 'one' })
  const [asked] = await waiting(engine, 'one', 1)
  expect(asked).toMatchObject({ path: '1', name: 'reply', text: 'You are the model: answer minimal/next' })
  expect(asked?.request?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'user'])
  expect(asked?.request?.tools?.map(({ name }) => name)).toContain('calculate')
  expect(asked?.request?.schema).toBeDefined()
  expect((await engine.state('one')).status).toBe('waiting')
  await answerAt(run, '1', { toolCalls: [{ name: 'calculate', input: { expression: '6 * 7' } }] })
  const [then] = await waiting(engine, 'one', 2)
  expect(then).toMatchObject({ path: '1', name: 'reply-2' })
  expect(JSON.stringify(then?.request?.messages)).toContain('42')
  await answerAt(run, '1', 'Here you are:\n```json\n{"do":"return","result":"42",}\n```')
  expect(await run.outcome).toMatchObject({ status: 'completed', result: '42' })
  expect(await engine.replay('one')).toMatchObject({ differences: [] })
})

it('calls a tool in words, too', async () => {
  const engine = open({ tools: [calculateTool()] })
  const run = await engine.start('what is 6 * 7?', { strategy: 'minimal', id: 'words' })
  await waiting(engine, 'words', 1)
  await answerAt(run, '1', '{"name":"calculate","input":{"expression":"6 * 7"}}')
  await waiting(engine, 'words', 2)
  await answerAt(run, '1', { do: 'return', result: 'as a value' })
  expect(await run.outcome).toMatchObject({ status: 'completed', result: 'as a value' })
  const calls = [...(await engine.events('words'))].filter(({ type }) => type === 'tool-start')
  expect(calls).toMatchObject([{ name: 'calculate', input: { expression: '6 * 7' } }])
})

it('is asked again with what was wrong, twice at most', async () => {
  const engine = open()
  const run = await engine.start('do it', { strategy: 'minimal', id: 'again' })
  await waiting(engine, 'again', 1)
  await answerAt(run, '1', 'well, I think so')
  const [second] = await waiting(engine, 'again', 2)
  expect(second?.text).toBe("That reply can't be used: answer minimal/next again")
  expect(second?.request?.messages.slice(-2)).toMatchObject([
    { role: 'assistant', content: 'well, I think so' },
    { role: 'user', content: expect.stringContaining("That reply can't be used") },
  ])
  await answerAt(run, '1', '{"do":"return","result":"done"}')
  expect(await run.outcome).toMatchObject({ status: 'completed', result: 'done', usage: { calls: 2 } })
  expect(await outline(engine, 'again')).toEqual([
    'signal-asked reply',
    'signal-answered reply',
    'INVALID_FORMAT',
    'signal-asked reply-2',
    'signal-answered reply-2',
    'reply',
  ])
  expect(await engine.replay('again')).toMatchObject({ differences: [] })
  const other = await engine.start('do it', { strategy: 'minimal', id: 'never' })
  for (let at = 0; at < 3; at++) {
    await waiting(engine, 'never', at + 1)
    await answerAt(other, '1', 'no')
  }
  expect(await other.outcome).toMatchObject({ status: 'failed', code: 'INVALID_FORMAT' })
})

it('waits while no process is there, takes an answer meanwhile, and is not asked again for what was answered', async () => {
  const first = open({ tools: [calculateTool()] })
  const run = await first.start('what is 6 * 7?', { strategy: 'minimal', id: 'kept' })
  run.outcome.catch(() => {})
  await waiting(first, 'kept', 1)
  await answerAt(run, '1', { toolCalls: [{ name: 'calculate', input: { expression: '6 * 7' } }] })
  await waiting(first, 'kept', 2)
  await first.close()
  const second = open({ tools: [calculateTool()] })
  await answerIn(second, 'kept', '1', '{"do":"return","result":"42"}')
  const resumed = await second.resume('kept')
  expect(await resumed.outcome).toMatchObject({ status: 'completed', result: '42' })
  expect((await outline(second, 'kept')).filter((line) => line.startsWith('signal-asked'))).toEqual([
    'signal-asked reply',
    'signal-asked reply-2',
  ])
  const state = await second.state('kept')
  expect(state.usage.calls).toBe(3)
})

it('hands over to another model with which the run is resumed', async () => {
  const first = open()
  const run = await first.start('compute (3+4)*2', { strategy: 'fractal', id: 'over' })
  run.outcome.catch(() => {})
  await waiting(first, 'over', 1)
  await first.close()
  const second = open({ model: 'embedded:abacus' })
  const outcome = await (await second.resume('over')).outcome
  expect(outcome).toMatchObject({ status: 'completed', result: expect.stringContaining('14') })
  expect(await second.replay('over')).toMatchObject({ differences: [] })
})

it('takes over from a model, in the middle of a call, and stands where it was told so', async () => {
  const first = open({ model: 'http://127.0.0.1:9/v1#none' })
  const run = await first.start('do it', { strategy: 'minimal', id: 'from' })
  await run.outcome.catch((thrown) => expect(ThinkonError.isInstance(thrown)).toBe(true))
  await first.close()
  const second = open()
  const resumed = await second.resume('from')
  resumed.outcome.catch(() => {})
  await waiting(second, 'from', 1)
  await second.close()
  const third = open()
  const again = await third.resume('from')
  await answerIn(third, 'from', '1', '{"do":"return","result":"by hand"}')
  expect(await again.outcome).toMatchObject({ status: 'completed', result: 'by hand' })
  expect(await third.replay('from')).toMatchObject({ differences: [] })
}, 60_000)

it('is not asked when there is no call left, and is skipped and cancelled like any question', async () => {
  const engine = open()
  const none = await engine.start('do it', { strategy: 'minimal', id: 'none', budget: { calls: 0 } })
  expect(await none.outcome).toMatchObject({ code: 'LIMIT' })
  expect(await outline(engine, 'none')).not.toContain('signal-asked reply')
  const run = await engine.start('do it', { strategy: 'minimal', id: 'stopped' })
  await waiting(engine, 'stopped', 1)
  await run.cancel('enough')
  expect(await run.outcome).toMatchObject({ status: 'cancelled' })
})

it('is one of the roles, and stands alone', async () => {
  const engine = open({ model: 'embedded:abacus', models: { judge: 'person' } })
  const run = await engine.start('compute 3+4', {
    strategy: 'fractal',
    id: 'role',
    options: { check: 'always' },
  })
  run.outcome.catch(() => {})
  const [asked] = await waiting(engine, 'role', 1)
  expect(asked?.request?.role).toBe('judge')
  await expect(open({ model: 'openai:x,person' }).start('do it')).rejects.toThrow('stands alone')
})
