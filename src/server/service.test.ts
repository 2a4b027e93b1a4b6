import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../engine.ts'
import type { ModelIo } from '../kernel/model.ts'
import type { Strategy } from '../kernel/strategy.ts'
import { type Event, type ModelRequest, ThinkonError } from '../protocol/index.ts'
import { ScriptedModel } from '../testing/index.ts'
import { openTools } from '../tools/open-tools.ts'
import { createService, type Service, type ServiceOptions } from './service.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function storeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-service-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'runs.db')
}

type Script = (request: ModelRequest, io: ModelIo) => unknown
const DONE: Script = () => ({ do: 'return', result: 'done' })

/** `fast` and `slow` are two models on one store. */
function service(store: string, script: Script = DONE, options: Partial<ServiceOptions> = {}): Service {
  const made = createService({
    engineFor: (id) => createEngine({ model: new ScriptedModel(script, { id }), store }),
    models: ['fast', 'slow'],
    defaults: { strategy: 'minimal', budget: { calls: 20 } },
    ...options,
  })
  ends.push(() => made.close())
  return made
}

/** A model that waits until it is let go. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const script: Script = async (_, { signal }) => {
    asked.resolve()
    const stopped = new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    )
    await Promise.race([promise, stopped])
    return { do: 'return', result: 'let go' }
  }
  return { script, open: resolve, asked: asked.promise }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const seqs = (items: readonly object[]) => items.flatMap((item) => ('seq' in item ? [item.seq] : []))

it("starts runs with the operator's defaults and the model that is asked for, and marks them", async () => {
  const { start, engine, follow } = service(storeFile())
  const run = await start('a', { model: 'slow', budget: { calls: 5 } })
  expect(await run.outcome).toMatchObject({ status: 'completed', result: 'done' })
  const events = (await all(follow(run.id))) as Event[]
  expect(events[0]).toMatchObject({
    type: 'run-start',
    strategy: expect.stringMatching(/^minimal@/),
    limits: { calls: 5 },
    config: { model: 'slow', startedBy: 'service' },
  })
  expect(seqs(events)).toEqual(events.map((_, i) => i + 1))
  expect(await engine.list()).toMatchObject([{ id: run.id, status: 'completed' }])
})

it.each([
  [
    'NO_MODEL',
    { model: 'module:./evil.ts' },
    'this service has no model "module:./evil.ts"; there are: fast, slow',
  ],
  ['DENIED', { budget: { calls: 21 } }, 'budget.calls is 21, and this service allows at most 20'],
  ['DENIED', { budget: { tokens: 2_000_001 } }, 'budget.tokens is 2000001'],
  ['DENIED', { options: { tot: [{ log_dir: '/etc' }] } }, "a request can't name this path"],
  ['BAD_INPUT', { approval: { asks: 'yes' } }, 'approval is not a known field'],
  ['BAD_INPUT', { budget: { calls: -1 } }, 'budget.calls must be at least 0, not -1'],
  ['BAD_INPUT', { id: '../x' }, 'id must match'],
])('refuses with %s what the operator has not allowed: %j', async (code, request, message) => {
  const { start, engine } = service(storeFile(), DONE, { workspace: tmpdir() })
  const refused = start('a', request as object)
  await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
  expect(await engine.count()).toBe(0)
})

it('whoever asks again with the same id gets the same run; another goal is refused', async () => {
  const { start } = service(storeFile())
  const one = await start('a', { id: 'mine' })
  const other = await start('a', { id: 'mine' })
  expect(other.id).toBe('mine')
  expect(await other.outcome).toEqual(await one.outcome)
  await expect(start('b', { id: 'mine' })).rejects.toMatchObject({
    code: 'BAD_INPUT',
    data: { conflict: true },
  })
})

it('goes on with its own open runs after a restart, and leaves those of others alone', async () => {
  const store = storeFile()
  const { script, asked } = gate()
  const first = service(store, script)
  const run = await first.start('a')
  const other = createEngine({ model: new ScriptedModel(script), store })
  const alone = await other.start('b', { strategy: 'minimal' })
  await asked
  const following = first.follow(run.id)[Symbol.asyncIterator]()
  for (const seq of [1, 2, 3]) expect(await following.next()).toMatchObject({ value: { seq } })
  const [ended, tooLate] = [following.next(), first.follow(run.id)]
  await first.close()
  await other.close()
  expect(await ended).toMatchObject({ done: true })
  expect(await all(tooLate)).toEqual([])

  const second = service(store)
  await second.open()
  expect(await (await second.attach(run.id)).outcome).toMatchObject({ status: 'completed' })
  expect(seqs(await all(second.follow(run.id, { from: 4 })))[0]).toBe(4)
  expect(await second.engine.row(alone.id)).toMatchObject({ status: 'stopped', owned: false })
  await expect(second.attach(alone.id)).rejects.toMatchObject({ code: 'UNTRUSTED' })
})

it('does not take an imported run for its own, whatever its file says', async () => {
  const { script, asked } = gate()
  const first = service(storeFile(), script)
  const { id } = await first.start('a')
  await asked
  const lines = await all(await first.engine.export(id))
  expect(lines.join('')).not.toContain('startedBy')
  const second = service(storeFile())
  await second.engine.import(lines)
  await second.open()
  expect(await second.engine.row(id)).toMatchObject({ status: 'stopped', owned: false })
  await expect(second.attach(id)).rejects.toMatchObject({ code: 'UNTRUSTED' })
})

it('a run that waits for its model is tried again', async () => {
  let out = 2
  const { start, engine, follow } = service(
    storeFile(),
    () => {
      if (out-- > 0) throw new ThinkonError('MODEL_OUTAGE', 'no quota')
      return { do: 'return', result: 'at last' }
    },
    { retryMs: 5 },
  )
  const run = await start('a')
  await expect(run.outcome).rejects.toMatchObject({ code: 'MODEL_OUTAGE' })
  const events = await all(follow(run.id))
  expect(events.filter(({ type }) => type === 'run-wait')).toHaveLength(2)
  expect(await engine.row(run.id)).toMatchObject({ status: 'completed' })
})

it('follows a run that another process works on, and is told from there when it is resumed here', async () => {
  const store = storeFile()
  const { script, asked } = gate()
  const other = createEngine({ model: new ScriptedModel(script), store })
  const run = await other.start('a', { strategy: 'minimal', startedBy: 'service' })
  await asked
  const here = service(store)
  const following = all(here.follow(run.id, { deltas: true }))
  expect((await here.attach(run.id)).isFollowed).toBe(true)
  await other.close()
  expect(await (await here.attach(run.id)).outcome).toMatchObject({ status: 'completed' })
  const events = await following
  expect(seqs(events)).toEqual(seqs(events).map((_, i) => i + 1))
  expect(events.at(-1)).toMatchObject({ type: 'run-end', status: 'completed' })
  expect(await all(here.follow(run.id, { from: 999 }))).toEqual([])
})

it('steers a run of any of its models, takes only so many at once, and refuses edits of what a run is started with', async () => {
  const store = storeFile()
  const { script, asked } = gate()
  const { start, engine, attach } = service(store, script, { maxRuns: 1 })
  const run = await start('a', { model: 'slow' })
  await asked
  await expect(start('b')).rejects.toMatchObject({ code: 'LIMIT', retryable: true })
  expect(await attach(run.id)).toBe(run)
  await engine.signal(run.id, '1', 'cancel', 'enough')
  expect(await run.outcome).toMatchObject({ status: 'cancelled', reason: expect.stringContaining('enough') })
  await expect(engine.fork(run.id, 1, { config: {} })).rejects.toMatchObject({ code: 'DENIED' })
  expect(await engine.fork(run.id, 1, { goal: 'c' })).toMatch(/^\d{6}-/)
})

it('a run of a service without `approval` asks for what writes; one whose client can answer nothing is denied', async () => {
  const workspace = join(storeFile(), '..')
  const writing: Strategy = {
    name: 'writing',
    version: 1,
    options: () => ({}),
    solve: async (context) =>
      JSON.stringify(await context.all([context.tool('write_file', { path: 'a', content: 'x' })])),
  }
  const made = service(':memory:', DONE, {
    engineFor: () =>
      createEngine({
        model: new ScriptedModel([]),
        strategies: [writing],
        tools: () => openTools({ workspace }),
        workspace,
      }),
    strategies: [writing],
    models: ['fast'],
    defaults: { strategy: 'writing' },
  })
  const asking = await made.start('a goal')
  const open = { run: asking.id, permission: { tool: 'write_file' } }
  await expect.poll(() => made.engine.questions()).toMatchObject([open])
  await made.engine.answer(asking.id, 'yes')
  expect(JSON.parse((await asking.outcome).result)).toMatchObject([{ ok: true }])

  const denied = await made.start('another goal', {}, { asks: 'nobody' })
  expect(JSON.parse((await denied.outcome).result)).toMatchObject([{ error: { code: 'DENIED' } }])
})
