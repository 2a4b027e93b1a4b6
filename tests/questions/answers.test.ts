// Answers to the questions of runs: named by the question, accepted once, from whichever process they come.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createEngine, type Engine } from '../../src/engine.ts'
import { defineStrategy } from '../../src/strategies/define-strategy.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { answerAt } from '../answers.ts'

const drafts = defineStrategy({
  name: 'drafts',
  version: 1,
  options: () => ({}),
  async solve(context) {
    const said: unknown[] = []
    for (const text of ['First draft?', 'Second draft?'])
      said.push(await context.one(context.ask({ text, choices: ['yes', 'no'] })))
    return said.join(' ')
  },
})

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

function storeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-questions-'))
  closers.push(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'runs.db')
}

function engineOn(store: string, ...strategies: Parameters<typeof defineStrategy>[0][]): Engine {
  const engine = createEngine({ model: new ScriptedModel([]), store, strategies: [drafts, ...strategies] })
  closers.push(() => engine.close())
  return engine as Engine
}

async function asked(engine: Engine, strategy = 'drafts') {
  const run = await engine.start('publish', { strategy } as object)
  for await (const question of run.questions) return { run, question }
  throw new Error('nothing was asked')
}

const NOT_OPEN = { code: 'QUESTION_NOT_OPEN' }

describe('an answer', () => {
  it('that comes twice while no process works on the run does not answer the next question', async () => {
    const store = storeFile()
    const first = engineOn(store)
    const { run, question } = await asked(first)
    await first.close()
    const second = engineOn(store)
    expect(await second.questions()).toMatchObject([{ run: run.id, id: question.id, text: 'First draft?' }])
    await second.answer(run.id, 'no', { question: question.id })
    await expect(second.answer(run.id, 'no', { question: question.id })).rejects.toMatchObject(NOT_OPEN)
    await expect(second.answer(run.id, 'no')).rejects.toMatchObject(NOT_OPEN)
    expect(await second.questions()).toEqual([])
    expect(await second.row(run.id)).toMatchObject({ status: 'stopped', waitsFor: null })
    expect((await second.state(run.id)).status).toBe('stopped')
    const resumed = await second.resume(run.id)
    const texts: string[] = []
    for await (const next of resumed.questions) {
      texts.push(next.text)
      await expect(second.answer(run.id, 'no', { question: question.id })).rejects.toMatchObject(NOT_OPEN)
      await next.answer('yes')
    }
    expect(texts).toEqual(['Second draft?'])
    expect(await resumed.outcome).toMatchObject({ result: 'no yes' })
    await expect(second.answer(run.id, 'no', { question: question.id })).rejects.toMatchObject(NOT_OPEN)
  })

  it('is accepted once when several come in the same instant, of several processes', async () => {
    const store = storeFile()
    const engine = engineOn(store)
    const { run, question } = await asked(engine)
    await engine.close()
    const results = await Promise.all(
      Array.from({ length: 4 }, (_, i) => answerInProcess(store, run.id, question.id, i % 2 ? 'yes' : 'no')),
    )
    expect(results.filter((result) => result === 'accepted')).toHaveLength(1)
    expect(results.filter((result) => result === 'QUESTION_NOT_OPEN')).toHaveLength(3)
  })

  it('is accepted once when several come in the same instant while the run goes on', async () => {
    const engine = engineOn(storeFile())
    const { run, question } = await asked(engine)
    const answers = await Promise.allSettled(['yes', 'no', 'yes'].map((value) => question.answer(value)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await answerAt(run, '1', 'no')
    expect(await run.outcome).toMatchObject({ status: 'completed' })
    expect((await engine.replay(run.id)).differences).toEqual([])
  })

  it('is refused if it is none of the choices, or of another type', async () => {
    const engine = engineOn(storeFile())
    const { run, question } = await asked(engine)
    for (const wrong of ['nein', 42, '', null, ['yes']])
      await expect(question.answer(wrong)).rejects.toMatchObject({
        code: 'INVALID_ANSWER',
        data: { choices: ['yes', 'no'] },
      })
    await expect(run.answer('yes', { question: 1 })).rejects.toMatchObject(NOT_OPEN)
    await expect(run.answer('yes', { question: 999 })).rejects.toMatchObject(NOT_OPEN)
    await question.answer('YES')
    await run.cancel()
    await expect(run.answer('yes')).rejects.toMatchObject(NOT_OPEN)
  })

  it('needs the id if several questions are open', async () => {
    const two = defineStrategy({
      name: 'two',
      version: 1,
      options: () => ({}),
      async solve(context) {
        const ops = [context.ask({ text: 'a?' }), context.ask({ text: 'b?' })] as const
        return (await context.all(ops)).map((result) => (result.ok ? result.value : '')).join(' ')
      },
    })
    const engine = engineOn(storeFile(), two)
    const { run } = await asked(engine, 'two')
    const open = await engine.questions({ run: run.id })
    expect(open.map(({ name }) => name)).toEqual(['answer', 'answer-2'])
    await expect(run.answer('x')).rejects.toMatchObject({
      code: 'BAD_INPUT',
      data: { open: open.map(({ id }) => id) },
    })
    await run.answer('B', { question: open[1]?.id ?? 0 })
    await run.answer('A')
    expect(await run.outcome).toMatchObject({ result: 'A B' })
  })

  it('may be any other text where the question allows one, and a value that fits its schema', async () => {
    const free = defineStrategy({
      name: 'free',
      version: 1,
      options: () => ({}),
      async solve(context) {
        const choice = await context.one(context.ask({ text: 'a?', choices: ['yes', 'no'], other: true }))
        const output = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
        const form = await context.one(context.ask({ text: 'b?', output }))
        return `${choice} ${JSON.stringify(form)}`
      },
    })
    const engine = engineOn(storeFile(), free)
    const { run, question } = await asked(engine, 'free')
    expect(question).toMatchObject({ choices: ['yes', 'no'], other: true })
    await expect(question.answer(' ')).rejects.toMatchObject({ code: 'INVALID_ANSWER' })
    await question.answer('mention Ada')
    for await (const form of run.questions) {
      await expect(form.answer({ n: 'x' })).rejects.toMatchObject({
        code: 'INVALID_ANSWER',
        data: { problems: [expect.stringContaining('n must be')] },
      })
      await form.answer('{"n": 3}')
    }
    expect(await run.outcome).toMatchObject({ result: 'mention Ada {"n":3}' })
  })

  it('fits a schema of zod, and is typed by it', async () => {
    const asks = defineStrategy({
      name: 'asks',
      version: 1,
      options: () => ({}),
      async solve(context) {
        const output = z.object({ city: z.string().min(2), days: z.int().default(3) })
        const trip = await context.one(context.ask({ text: 'Where to?', output }))
        const days: number | undefined = trip.days
        return `${trip.city.toUpperCase()} ${days}`
      },
    })
    const { run, question } = await asked(engineOn(storeFile(), asks), 'asks')
    expect(question.output).toMatchObject({ type: 'object', properties: { city: { minLength: 2 } } })
    await expect(question.answer({ city: 'A' })).rejects.toMatchObject({ code: 'INVALID_ANSWER' })
    await question.answer({ city: 'Rome', days: 2 })
    expect(await run.outcome).toMatchObject({ result: 'ROME 2' })
  })

  it('that does not fit is refused in the language of the goal', async () => {
    const asks = defineStrategy({
      name: 'asks',
      version: 1,
      options: () => ({}),
      async solve(context) {
        const output = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
        return JSON.stringify(await context.one(context.ask({ text: '多少？', output })))
      },
    })
    const engine = engineOn(storeFile(), asks)
    const run = await engine.start('数一数有多少', { strategy: 'asks' })
    for await (const question of run.questions) {
      for (const value of [{ n: 'x' }, 'x', {}]) {
        const refused = await question.answer(value).catch((error) => error)
        expect(refused).toMatchObject({ code: 'INVALID_ANSWER' })
        expect(refused.message).not.toMatch(/must|answer|missing|string|integer/)
      }
      await question.answer({ n: 3 })
    }
  })

  it('that was accepted while the process was down counts before a time-out', async () => {
    const timed = defineStrategy({
      name: 'timed',
      version: 1,
      options: () => ({}),
      solve: async (context) =>
        String(await context.one(context.ask({ text: 'a?', fallback: 'none' }, { timeoutMs: 50 }))),
    })
    const store = storeFile()
    const first = engineOn(store, timed)
    const { run, question } = await asked(first, 'timed')
    await first.close()
    const second = engineOn(store, timed)
    await second.answer(run.id, 'in time', { question: question.id })
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(await (await second.resume(run.id)).outcome).toMatchObject({ result: 'in time' })
    const late = await asked(second, 'timed')
    expect(await late.run.outcome).toMatchObject({ result: 'none' })
    await expect(late.question.answer('late')).rejects.toMatchObject(NOT_OPEN)
  })
})

describe('a run with an open question', () => {
  it('waits for a person in every list, also for other processes, and while it is down', async () => {
    const store = storeFile()
    const first = engineOn(store)
    const { run } = await asked(first)
    const second = engineOn(store)
    for (const engine of [first, second]) {
      expect(await engine.row(run.id)).toMatchObject({ status: 'waiting', waitsFor: 'person', owned: true })
      expect(await engine.state(run.id)).toMatchObject({ status: 'waiting', waitsFor: 'person' })
      expect(await engine.list({ status: 'waiting' })).toMatchObject([{ id: run.id }])
      expect(await engine.count({ status: 'running' })).toBe(0)
    }
    await first.close()
    expect(await second.row(run.id)).toMatchObject({ status: 'waiting', waitsFor: 'person', owned: false })
    expect(await second.outline(run.id)).toMatchObject({ status: 'waiting', waitsFor: 'person' })
    expect(await second.list({ status: ['waiting', 'stopped'] })).toHaveLength(1)
    expect(await second.count({ status: 'stopped' })).toBe(0)
  })

  it('is in the inbox over all runs, oldest first, in pages', async () => {
    const engine = engineOn(storeFile())
    const runs = [await asked(engine), await asked(engine), await asked(engine)]
    const inbox = await engine.questions({ status: 'open' })
    expect(inbox.map(({ run }) => run)).toEqual(runs.map(({ run }) => run.id))
    expect(await engine.questions({ limit: 1, offset: 1 })).toEqual([inbox[1]])
    expect(await engine.questions({ run: runs[2]?.run.id ?? '' })).toEqual([inbox[2]])
    expect(await engine.questions({ for: 'caller' })).toEqual([])
    await runs[0]?.run.cancel()
    await runs[0]?.run.outcome
    expect((await engine.questions()).map(({ run }) => run)).toEqual(runs.slice(1).map(({ run }) => run.id))
    await engine.delete(runs[0]?.run.id ?? '')
  })
})

describe('a signal', () => {
  it('is refused for a block that the run does not have, and for a name that the block takes no signal of', async () => {
    const engine = engineOn(storeFile())
    const { run, question } = await asked(engine)
    await expect(engine.signal(run.id, '9', 'message', 'x')).rejects.toMatchObject({ code: 'BAD_INPUT' })
    for (const name of ['anwser', question.name, 'answer-2'])
      await expect(run.signal('1', name, 'yes')).rejects.toMatchObject({
        code: 'BAD_INPUT',
        data: { name, allowed: ['cancel', 'skip', 'redo', 'message'] },
      })
    await run.signal('1', 'message', 'hurry')
    expect(await engine.questions({ run: run.id })).toHaveLength(1)
  })

  it('is taken under a name that the strategy declares, also before it is waited for, or waits for', async () => {
    const steered = (name: string, signals?: string[]) =>
      defineStrategy({
        name,
        version: 1,
        ...(signals && { signals }),
        options: () => ({}),
        async solve(context) {
          await context.one(context.ask({ text: 'go on?' }))
          return String(await context.one(context.listen('color')))
        },
      })
    const engine = engineOn(storeFile(), steered('declares', ['color']), steered('listens'))
    const early = await asked(engine, 'declares')
    await early.run.signal('1', 'color', 'red')
    await early.question.answer('yes')
    expect(await early.run.outcome).toMatchObject({ result: 'red' })
    const other = await asked(engine, 'listens')
    await expect(other.run.signal('1', 'color', 'red')).rejects.toMatchObject({ code: 'BAD_INPUT' })
    await other.question.answer('yes')
    for await (const event of other.run.events)
      if (event.type === 'signal-asked' && event.name === 'color') break
    await other.run.signal('1', 'color', 'blue')
    expect(await other.run.outcome).toMatchObject({ result: 'blue' })
  })
})

/** Answers in a process of its own; returns the code of its error. */
function answerInProcess(store: string, run: string, question: number, value: string): Promise<string> {
  const source = `
    import { createEngine } from ${JSON.stringify(join(import.meta.dirname, '../../src/engine.ts'))}
    const engine = createEngine({ store: ${JSON.stringify(store)} })
    const options = { question: ${question} }
    const answered = engine.answer(${JSON.stringify(run)}, ${JSON.stringify(value)}, options)
    console.log(await answered.then(() => 'accepted', (error) => error.code ?? String(error)))
    await engine.close()`
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', source])
    let out = ''
    child.stdout.on('data', (data) => (out += data))
    child.stderr.on('data', (data) => (out += data))
    child.on('error', reject)
    child.on('exit', () => resolve(out.trim()))
  })
}
