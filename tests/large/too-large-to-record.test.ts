// What can't be read again is refused when it is written, by the step that would have it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createEngine } from '../../src/index.ts'
import type { Context, Strategy } from '../../src/kernel/strategy.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { ThinkonError } from '../../src/protocol/index.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'thinkon-large-'))
  process.env.THINKON_MAX_DECODED_MIB = '1'
})
afterEach(() => {
  delete process.env.THINKON_MAX_DECODED_MIB
  rmSync(folder, { recursive: true, force: true })
})

const LARGE = 'a text '.repeat(170_000)
/** Each character is six of its JSON. */
const ESCAPED = '\u0001'.repeat(300_000)
const messages = [{ role: 'user' as const, content: LARGE }]

const steps: Record<string, (context: Context<unknown>) => unknown> = {
  'the input of a tool': (context) => context.one(context.tool('look', { at: LARGE })),
  'an input of escapes': (context) => context.one(context.tool('look', { at: [ESCAPED] })),
  'a request': (context) => context.one(context.model({ kind: 'large', version: 1, role: 'act', messages })),
  'a question': (context) => context.one(context.ask({ text: LARGE })),
  'a goal': (context) => context.one(context.call(LARGE)),
  'a plan': (context) => context.plan([LARGE]),
}

it.each(Object.keys(steps))('%s beyond the limit is refused when the step begins', async (name) => {
  const { engine, thrown } = opened(steps[name] as never)
  const run = await engine.start('a goal', { id: 'large', strategy: 'large', budget: { tokens: 1e9 } })
  expect((await run.outcome).result).toBe('it was refused')
  expect(thrown).toEqual([expect.objectContaining({ code: 'TOO_LARGE' })])
  await expectReadable(engine)
})

it('a result beyond the limit fails its block, and the parent goes on', async () => {
  const { engine } = opened(async (context) => {
    if (context.path !== '1') return LARGE
    const { status, code } = (await context.one(context.call('a part'))) as { status: string; code?: string }
    return `the part: ${status} ${code}`
  })
  const run = await engine.start('a goal', { id: 'large', strategy: 'large' })
  expect((await run.outcome).result).toBe('the part: failed TOO_LARGE')
  await expectReadable(engine)
})

it('a signal or an answer beyond the limit is refused', async () => {
  const { engine } = opened((context) => context.one(context.ask({ text: 'a question?' })))
  const run = await engine.start('a goal', { id: 'large', strategy: 'large' })
  await expect.poll(async () => (await engine.questions()).length).toBe(1)
  await expect(run.signal('1', 'message', LARGE)).rejects.toMatchObject({ code: 'TOO_LARGE' })
  await expect(run.answer(LARGE)).rejects.toMatchObject({ code: 'TOO_LARGE' })
  await run.answer('a short one')
  await run.outcome
  await expectReadable(engine)
})

type Engine = ReturnType<typeof createEngine>

async function expectReadable(engine: Engine): Promise<void> {
  const events = [...(await engine.events('large'))]
  expect(events.at(-1)).toMatchObject({ type: 'run-end', status: 'completed' })
  expect((await engine.replay('large')).differences).toEqual([])
  await engine.close()
}

/** `thrown`: by what the strategy does. */
function opened(solve: (context: Context<unknown>) => unknown) {
  const thrown: unknown[] = []
  const large: Strategy<unknown> = {
    name: 'large',
    version: 1,
    options: () => ({}),
    async solve(context) {
      try {
        return { status: 'completed', result: String(await solve(context)) }
      } catch (error) {
        if (!ThinkonError.isInstance(error)) throw error
        thrown.push(error)
        return { status: 'completed', result: 'it was refused' }
      }
    },
  }
  const look: Tool = { name: 'look', description: 'Looks.', access: 'read', run: async () => 'seen' }
  const model = { id: 'none', call: () => Promise.reject(new Error('unused')) }
  return {
    engine: createEngine({ store: join(folder, 'runs.db'), model, tools: [look], strategies: [large] }),
    thrown,
  }
}
