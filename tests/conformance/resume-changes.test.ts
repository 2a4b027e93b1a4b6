// A run that is resumed with another prompt or model says so, and which blocks continue with the new one; strict refuses.

import { afterEach, describe, expect, it } from 'vitest'
import { createEngine, type EngineOptions } from '../../src/engine.ts'
import { type Event, foldEvents, type ModelRequest, type ThinkonError } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { answerAt } from '../answers.ts'
import { until } from './async.ts'
import { violations } from './invariants.ts'
import { strategyOf } from './kernel/lab.ts'
import { memoryPlace, type Place, sqlitePlace } from './places.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** Three children, which each ask a model, in these words, and then a person; the third has ended. */
const family = (words: string) =>
  strategyOf('family', async (context) => {
    const text = context.level === 0 ? 'always the same' : words
    const messages: ModelRequest['messages'] = [
      { role: 'system', content: text },
      { role: 'user', content: String(context.block.goal) },
    ]
    const kind = context.level === 0 ? 'family/plan' : 'family/think'
    await context.one(context.model({ kind, version: 1, role: 'plan', messages }))
    if (context.level === 0) {
      const ends = await context.all([context.call('a'), context.call('b'), context.call('c')])
      return ends.map((end) => end.ok && end.value.result).join(' ')
    }
    if (context.path === '1-3') return 'ended'
    return String(await context.one(context.ask({ text: 'well?' })))
  })

const named = (id: string) => new ScriptedModel(() => 'yes', { id })

async function stopped(place: Place, options: EngineOptions) {
  const store = place.open()
  cleanUps.push(() => place.remove())
  const open = (given: EngineOptions) => {
    const engine = createEngine({ ...given, store })
    cleanUps.push(() => engine.close())
    return engine
  }
  const engine = open(options)
  const { id, outcome } = await engine.start('a goal', { strategy: 'family' })
  outcome.catch(() => {})
  const events = () => [...store.read(id)]
  const count = (type: Event['type']) => events().filter((event) => event.type === type).length
  await until(() => count('signal-asked') === 2 && count('block-end') === 1, 'two ask')
  await engine.close()
  const resume = async (given: EngineOptions) => {
    const next = open(given)
    const before = count('run-resume')
    const run = await next.resume(id)
    run.outcome.catch(() => {})
    await until(() => count('run-resume') > before, 'it is resumed')
    return { engine: next, run, changes: events().findLast((event) => event.type === 'run-resume')?.changes }
  }
  return { id, open, events, resume }
}

const BEFORE: EngineOptions = { model: named('one'), strategies: [family('in blue')] }

describe.each([
  ['in memory', memoryPlace],
  ['in SQLite', sqlitePlace],
])('a resume, %s', (_, place) => {
  it('with what the run was started with has changed nothing, and strict lets it pass', async () => {
    const { id, open, resume, events } = await stopped(place(), BEFORE)
    await open(BEFORE).check(id, { strict: true })
    const { run, changes, engine } = await resume(BEFORE)
    expect(changes).toBeUndefined()
    for (const path of ['1-1', '1-2']) await answerAt(run, path, 'yes')
    expect((await run.outcome).result).toBe('yes yes ended')
    expect(violations(events())).toEqual([])
    expect((await engine.replay(id)).differences).toEqual([])
  })

  it('with another prompt names its kind and the blocks that continue with it, once', async () => {
    const { resume } = await stopped(place(), BEFORE)
    const after = { ...BEFORE, strategies: [family('in green')] }
    const { run, changes } = await resume(after)
    expect(changes).toEqual([{ what: 'prompt', kind: 'family/think', blocks: ['1-1', '1-2'] }])
    for (const path of ['1-1', '1-2']) await answerAt(run, path, 'yes')
    expect((await run.outcome).result).toBe('yes yes ended')
  })

  it('with another model says which it was and is; the next resume compares with that one', async () => {
    const { resume, events, id } = await stopped(place(), BEFORE)
    const after = { ...BEFORE, model: named('two') }
    const first = await resume(after)
    expect(first.changes).toEqual([{ what: 'model', was: 'one', is: 'two', blocks: ['1', '1-1', '1-2'] }])
    expect((await first.engine.state(id)).config.model).toBe('two')
    await first.engine.close()
    const second = await resume(after)
    expect(second.changes).toBeUndefined()
    await second.engine.close()
    const third = await resume({ ...after, models: { judge: named('three') } })
    expect(third.changes).toEqual([
      { what: 'model', role: 'judge', was: 'two', is: 'three', blocks: ['1', '1-1', '1-2'] },
    ])
    expect(foldEvents(events()).config).toMatchObject({ model: 'two', models: { judge: 'three' } })
  })

  it('that is strict refuses before it writes, and says what has changed', async () => {
    const { id, open, events } = await stopped(place(), BEFORE)
    const before = events()
    const engine = open({ model: named('two'), strategies: [family('in green')] })
    const refused = [
      () => engine.resume(id, { strict: true }),
      () => engine.check(id, { strict: true }),
      () => engine.fork(id, before.length, undefined, { strict: true }),
    ]
    for (const attempt of refused) {
      const error: ThinkonError = await (attempt() as Promise<unknown>).then(
        () => expect.fail('it was not refused'),
        (thrown) => thrown,
      )
      expect(error.code).toBe('REPLAY_DIFFERS')
      expect(error.message).toContain('the model of blocks 1, 1-1, 1-2, from one to two')
      expect(error.message).toContain('block 1-1: model-start family/think differs in request')
      expect(error.message).not.toContain('block 1-3')
    }
    expect(events()).toEqual(before)
    expect(await engine.list()).toHaveLength(1)
    const run = await engine.resume(id)
    for (const path of ['1-1', '1-2']) await answerAt(run, path, 'yes')
    expect((await run.outcome).status).toBe('completed')
  })
})
