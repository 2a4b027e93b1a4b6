// A run without `approval`: built-in tools that write, execute or use the network ask a caller that can answer, and are denied without one.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEngine, type Engine, type StartOptions, solve } from '../engine.ts'
import type { Strategy } from '../kernel/strategy.ts'
import type { Result } from '../protocol/index.ts'
import type { RunQuestion } from '../streams/run-questions.ts'
import { ScriptedModel } from '../testing/index.ts'
import { openTools } from '../tools/open-tools.ts'
import { builtinTools } from './tools/builtin-tools.ts'
import { tool } from './tools/tool.ts'

let workspace: string
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'thinkon-attended-'))
})

/** Takes a moment, as a model does. */
const LOOK = ['list_files', {}] as const
const WRITE = (path: string) => ['write_file', { path, content: 'x' }] as const

/** Calls the tools one after the other; after `pauseAt` calls a signal is waited for. */
function calling(calls: readonly (readonly [string, unknown])[], pauseAt = -1): Strategy {
  return {
    name: 'own',
    version: 1,
    options: () => ({}),
    async solve(context) {
      const results: Result[] = []
      for (const [i, [name, input]] of calls.entries()) {
        if (i === pauseAt) await context.all([context.listen('go')])
        results.push(...(await context.all([context.tool(name, input)])))
      }
      return JSON.stringify(results)
    },
  }
}

function open(strategy: Strategy, store = ':memory:'): Engine {
  const engine = createEngine({
    model: new ScriptedModel([]),
    strategies: [strategy],
    tools: () => openTools({ workspace }),
    workspace,
    store,
  })
  onTestFinished(async () => {
    await engine.close()
    rmSync(workspace, { recursive: true, force: true })
  })
  return engine
}

const start = (engine: Engine, options: StartOptions = {}) =>
  engine.start('a goal', { strategy: 'own', ...options })

const resultsOf = async (run: { outcome: Promise<{ result: string }> }) =>
  JSON.parse((await run.outcome).result) as Result[]

describe('without `approval`, what writes, executes or uses the network', () => {
  it('is denied with the way to permit it, if the run has no caller that answers', async () => {
    const engine = open(calling([WRITE('a'), ['shell', { command: 'true' }]]))
    const run = await start(engine)
    for (const result of await resultsOf(run))
      expect(result).toMatchObject({
        error: { code: 'DENIED', message: expect.stringMatching(/onQuestion.*approval.*'allow-all'/) },
      })
    expect(existsSync(join(workspace, 'a'))).toBe(false)
  })

  it('asks `onQuestion`, whose `no` denies and whose `always` is kept', async () => {
    const engine = open(
      calling([WRITE('a'), ['shell', { command: 'true' }], WRITE('b'), ['read_file', { path: 'a' }]]),
    )
    const asked: string[] = []
    const onQuestion = async (question: RunQuestion) => {
      asked.push(question.permission?.tool ?? '')
      await question.answer(question.permission?.tool === 'shell' ? 'no' : 'always')
    }
    const run = await start(engine, { onQuestion })
    expect((await resultsOf(run)).map(({ ok }) => ok)).toEqual([true, false, true, true])
    expect(asked).toEqual(['write_file', 'shell'])
    expect((await engine.replay(run.id)).differences).toEqual([])
  })

  it('asks a caller that iterates `run.questions`, also one that begins after the start', async () => {
    const engine = open(calling([LOOK, WRITE('a')]))
    const run = await start(engine)
    for await (const question of run.questions) await question.answer('yes')
    expect(await resultsOf(run)).toMatchObject([{ ok: true }, { ok: true }])
    expect(existsSync(join(workspace, 'a'))).toBe(true)
  })

  it('is denied again once the questions are not iterated any more', async () => {
    const engine = open(calling([LOOK, WRITE('a'), WRITE('src/b')], 2))
    const run = await start(engine)
    for await (const question of run.questions) {
      await question.answer('yes')
      break
    }
    await vi.waitFor(() => run.signal('1', 'go'))
    expect(await resultsOf(run)).toMatchObject([{}, { ok: true }, { error: { code: 'DENIED' } }])
  })

  it('asks in `solve`', async () => {
    const outcome = await solve('a goal', {
      model: new ScriptedModel([]),
      strategies: [calling([WRITE('a')])],
      tools: builtinTools({ workspace }),
      strategy: 'own',
      onQuestion: (question) => question.answer('yes'),
    })
    expect(JSON.parse(outcome.result)).toMatchObject([{ ok: true }])
  })

  it('asks about a tool of its own that needs approval, and about no other', async () => {
    const order = tool({ name: 'order', description: 'Orders.', access: 'write', run: () => 'ordered' })
    const pay = {
      name: 'pay',
      description: 'Pays.',
      access: 'write',
      needsApproval: true,
      run: () => 'paid',
    } as const
    const questions: string[] = []
    const outcome = await solve('a goal', {
      model: new ScriptedModel([]),
      strategies: [
        calling([
          ['order', {}],
          ['pay', {}],
        ]),
      ],
      tools: [order, pay],
      strategy: 'own',
      onQuestion(question) {
        questions.push(question.permission?.tool ?? '')
        return question.answer('yes')
      },
    })
    expect(JSON.parse(outcome.result)).toMatchObject([{ ok: true }, { ok: true }])
    expect(questions).toEqual(['pay'])
  })
})

describe('a run without `approval` that is resumed', () => {
  it('keeps what was decided, and decides about new calls by the callers it has then', async () => {
    const store = join(workspace, 'runs.db')
    const strategy = calling([WRITE('a'), WRITE('src/b'), WRITE('src/c')], 1)
    const first = open(strategy, store)
    const run = await start(first, { onQuestion: (question) => question.answer('yes') })
    await vi.waitFor(() => expect(existsSync(join(workspace, 'a'))).toBe(true))
    run.outcome.catch(() => {})
    await first.close()

    const second = open(strategy, store)
    const resumed = await second.resume(run.id)
    await vi.waitFor(() => resumed.signal('1', 'go'))
    expect(await resultsOf(resumed)).toMatchObject([
      { ok: true },
      { error: { code: 'DENIED' } },
      { error: { code: 'DENIED' } },
    ])
    expect((await second.replay(run.id)).differences).toEqual([])
  })

  it('waits for the answer to a question that is open, and gives it to the new `onQuestion`', async () => {
    const store = join(workspace, 'runs.db')
    const strategy = calling([WRITE('a')])
    const first = open(strategy, store)
    const asked = new Promise<RunQuestion>((resolve) => {
      void start(first, { onQuestion: resolve }).then((run) => run.outcome.catch(() => {}))
    })
    const { run } = await asked
    await first.close()

    const resumed = await open(strategy, store).resume(run, {
      onQuestion: (question) => question.answer('yes'),
    })
    expect(await resultsOf(resumed)).toMatchObject([{ ok: true }])
  })
})

it('a failure of `onQuestion` is a warning; the question stays open', async () => {
  const warnings: Error[] = []
  const listen = (warning: Error) => warnings.push(warning)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  const engine = open(calling([WRITE('a')]))
  const run = await start(engine, {
    onQuestion() {
      throw new Error('no hands free')
    },
  })
  await vi.waitFor(() => expect(warnings.map(({ message }) => message).join()).toContain('no hands free'))
  expect(await engine.questions()).toHaveLength(1)
  await engine.answer(run.id, 'yes')
  expect(await resultsOf(run)).toMatchObject([{ ok: true }])
})
