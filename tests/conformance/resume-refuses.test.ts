// A run whose strategy, tool or model is not here is left exactly as it is: nothing is written, nobody owns it, and one error says
// all that is missing.

import { afterEach, describe, expect, it } from 'vitest'
import { createEngine, type EngineOptions } from '../../src/engine.ts'
import type { Context } from '../../src/kernel/strategy.ts'
import type { ThinkonError } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { answerAt } from '../answers.ts'
import { until } from './async.ts'
import { violations } from './invariants.ts'
import { strategyOf } from './kernel/lab.ts'
import { type Place, sqlitePlace } from './places.ts'

const places: Place[] = []
afterEach(() => {
  for (const place of places.splice(0)) place.remove()
})

const CHILDREN = 13

/** Calls 13 children that wait for an answer. */
const family = strategyOf('family', async (context) => {
  if (context.level > 0) return String(await context.one(context.ask({ text: 'well?' })))
  const ends = await context.all(Array.from({ length: CHILDREN }, (_, i) => context.call(`part ${i}`)))
  return `${ends.length} parts`
})
const lookup = { name: 'lookup', description: 'looks up', access: 'read' as const, run: () => 'found' }
const model = new ScriptedModel(() => 'yes')
const WHOLE: EngineOptions = { model, strategies: [family], tools: [lookup] }

/** A run of the library that was stopped with 14 blocks open. */
async function stoppedRun(options: EngineOptions = WHOLE, given = {}) {
  const place = sqlitePlace()
  places.push(place)
  const store = place.open()
  const engine = createEngine({ ...options, store })
  const run = await engine.start('a goal', { strategy: 'family', ...given })
  run.outcome.catch(() => {})
  const open = () => [...store.read(run.id)].filter(({ type }) => type === 'signal-asked').length
  await until(() => open() === CHILDREN, 'all children ask')
  await engine.close()
  const look = () => ({
    events: [...store.read(run.id)],
    row: store.list()[0],
    pending: store.pending(run.id),
  })
  return { id: run.id, store, look, before: look() }
}

type Stopped = Awaited<ReturnType<typeof stoppedRun>>

async function refusal({ store, id }: Stopped, options: EngineOptions): Promise<ThinkonError> {
  const engine = createEngine({ ...options, store })
  try {
    return await engine.resume(id).then(
      () => expect.fail('it was resumed'),
      (thrown) => thrown,
    )
  } finally {
    await engine.close()
  }
}

/** It is as it was, and can be resumed where everything is there. */
async function expectUntouched(stopped: Stopped): Promise<void> {
  expect(stopped.look()).toEqual(stopped.before)
  const engine = createEngine({ ...WHOLE, store: stopped.store })
  const run = await engine.resume(stopped.id)
  for (let i = 1; i <= CHILDREN; i++) await answerAt(run, `1-${i}`, 'yes')
  expect((await run.outcome).status).toBe('completed')
  expect(violations(stopped.look().events)).toEqual([])
  await engine.close()
}

describe('a resume', () => {
  it('without the strategy of open blocks writes nothing and names it with its blocks', async () => {
    const stopped = await stoppedRun()
    const error = await refusal(stopped, { model, tools: [lookup] })
    expect(error).toMatchObject({ code: 'NO_SUCH_STRATEGY', data: { run: stopped.id } })
    expect(error.message).toContain(
      'Not here: the strategy "family" of blocks 1, 1-1, 1-2, 1-3, 1-4 and 9 more.',
    )
    await expectUntouched(stopped)
  })

  it('with another version of the strategy writes nothing and says how to continue', async () => {
    const stopped = await stoppedRun()
    const error = await refusal(stopped, { ...WHOLE, strategies: [{ ...family, version: 2 }] })
    expect(error.code).toBe('VERSION_MISMATCH')
    expect(error.message).toMatch(
      /family@1, which began blocks 1, .*here is family@2.*thinkon fork \S+ --at 1/,
    )
    await expectUntouched(stopped)
  })

  it('without a tool of the run writes nothing and names it', async () => {
    const stopped = await stoppedRun()
    const error = await refusal(stopped, { model, strategies: [family] })
    expect(error.code).toBe('NO_SUCH_TOOL')
    expect(error.message).toContain('Not here: the tool "lookup".')
    await expectUntouched(stopped)
  })

  it('without a model of the caller, where the run had one, writes nothing and names it', async () => {
    const stopped = await stoppedRun()
    const error = await refusal(stopped, { strategies: [family], tools: [lookup] })
    expect(error.code).toBe('NO_MODEL')
    expect(error.message).toContain(`Not here: the model "${model.id}".`)
    await expectUntouched(stopped)
  })

  it('says everything that is missing at once, also strategies that only a route or a fallback names', async () => {
    const other = (name: string) => strategyOf(name, async (context: Context<never>) => context.path)
    const stopped = await stoppedRun(
      { ...WHOLE, strategies: [family, other('near'), other('far')] },
      { routes: [{ when: { kind: 'leaf' }, use: 'near' }], fallbacks: { family: 'far' } },
    )
    const error = await refusal(stopped, {})
    expect(error.data.missing).toEqual([
      { code: 'NO_SUCH_STRATEGY', what: 'the strategy "family" of blocks 1, 1-1, 1-2, 1-3, 1-4 and 9 more' },
      { code: 'NO_SUCH_STRATEGY', what: 'the strategy "near"' },
      { code: 'NO_SUCH_STRATEGY', what: 'the strategy "far"' },
      { code: 'NO_SUCH_TOOL', what: 'the tool "lookup"' },
      { code: 'NO_MODEL', what: `the model "${model.id}"` },
    ])
    expect(stopped.look()).toEqual(stopped.before)
  })

  it('whose strategy can not be loaded writes nothing', async () => {
    const stopped = await stoppedRun()
    const broken = {
      name: 'family',
      version: 1,
      load: () => Promise.reject(new Error('no such module')),
    }
    expect((await refusal(stopped, { ...WHOLE, strategies: [broken as never] })).message).toContain(
      'no such module',
    )
    await expectUntouched(stopped)
  })

  it('of a run that has ended needs nothing', async () => {
    const stopped = await stoppedRun()
    await expectUntouched(stopped)
    const engine = createEngine({ store: stopped.store })
    expect((await (await engine.resume(stopped.id)).outcome).status).toBe('completed')
    await engine.close()
  })
})

it('a run can be cancelled where its tools and its model are not', async () => {
  const stopped = await stoppedRun()
  const engine = createEngine({ store: stopped.store, strategies: [family] })
  await engine.signal(stopped.id, '1', 'cancel', 'enough')
  expect((await (await engine.resume(stopped.id)).outcome).status).toBe('cancelled')
  expect(violations(stopped.look().events)).toEqual([])
  await engine.close()
})
