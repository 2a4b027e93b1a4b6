// A run with an output, with every strategy that ships: its result as a value, killed after every event, replayed, forked and redone.

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createEngine } from '../../src/index.ts'
import type { Store } from '../../src/kernel/store.ts'
import { type Event, type ModelRequest, messageText } from '../../src/protocol/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { crashAt, ScriptedModel, SimulatedCrash } from '../../src/testing/index.ts'
import { violations } from './invariants.ts'
import { STRATEGIES_UNDER_TEST } from './pairs.ts'
import { minimalUnderTest } from './tasks.ts'

const OUTPUT = z.object({ answer: z.number(), why: z.string().min(1) })
const VALUE = { answer: 42, why: 'it is known' }
const AS_JSON = JSON.stringify(VALUE)
const AS_PROSE = 'Forty-two, as is known.'
const GOAL = 'Say what the answer is, and why'

const STRATEGIES = { ...STRATEGIES_UNDER_TEST, minimal: minimalUnderTest }
type Name = keyof typeof STRATEGIES
const NAMES = Object.keys(STRATEGIES) as Name[]

/** What brings the strategy to this result; the value itself comes wrong at first. */
function modelFor(name: Name | 'auto', result: string): ScriptedModel {
  const told = STRATEGIES[name === 'auto' ? 'fractal' : name].model({ goal: GOAL, result })
  return new ScriptedModel(async (request: ModelRequest, io) => {
    if (request.kind === 'check/result') return { problems: [], fits: true }
    if (request.kind === 'auto/classify') return { strategy: 'fractal', needs: [], reason: 'a question' }
    if (request.kind !== 'output/value') return (await told.call(request, io)).value
    const said = request.messages.map(messageText).join('\n')
    return said.includes('why must be a string') ? VALUE : { answer: 42, why: null }
  })
}

async function started(name: Name | 'auto', result: string, store: Store = memoryStore()) {
  const model = modelFor(name, result)
  const engine = createEngine({ model, store })
  const options = name === 'auto' ? undefined : STRATEGIES[name].options
  const run = await engine.start(GOAL, {
    id: 'run',
    strategy: name,
    output: OUTPUT,
    ...(options && { options }),
  })
  return { run, engine, model, store }
}

describe.each([...NAMES, 'auto' as const])('%s with an output', (name) => {
  it('gives a result that is the value, and asks nobody for it again', async () => {
    const { run, engine, model } = await started(name, AS_JSON)
    expect(await run.outcome).toMatchObject({ status: 'completed', value: VALUE })
    expect(model.calls.map(({ kind }) => kind)).not.toContain('output/value')
    const told = model.calls.filter(
      ({ messages: [system] }) => system && messageText(system).includes('"why": string'),
    )
    expect(told.length).toBeGreaterThan(0)
    const events = [...(await engine.events('run'))]
    expect(violations(events)).toEqual([])
    expect((await engine.replay('run')).differences).toEqual([])
    await engine.close()
  })

  it('has prose written down as the value, and asks again with what was wrong', async () => {
    const { run, engine, model } = await started(name, AS_PROSE)
    const outcome = await run.outcome
    expect(outcome).toMatchObject({ status: 'completed', value: VALUE })
    expect(outcome.result).toContain(AS_PROSE)
    expect(model.calls.filter(({ kind }) => kind === 'output/value')).toHaveLength(2)
    const events = [...(await engine.events('run'))]
    expect(violations(events)).toEqual([])
    expect((await engine.replay('run')).differences).toEqual([])
    const forked = await engine.fork('run', events.length - 4)
    expect(await (await engine.resume(forked, { output: OUTPUT })).outcome).toMatchObject({ value: VALUE })
    const redone = await engine.redo('run', '1', 'once more')
    expect(await (await engine.resume(redone, { output: OUTPUT })).outcome).toMatchObject({ value: VALUE })
    await engine.close()
  })

  it('repeats no call that was answered, wherever it is killed', async () => {
    const whole = await started(name, AS_PROSE)
    await whole.run.outcome
    const events = [...(await whole.engine.events('run'))]
    await whole.engine.close()
    const first = events.findIndex((event) => event.type === 'tool-start' && event.name === 'output/check')
    expect(first).toBeGreaterThan(0)
    for (let n = first; n < events.length; n++) {
      const store = memoryStore()
      const { calls } = await killedAndResumed(name, store, n)
      const again = [...store.read('run')]
      expect(shapeOf(again)).toEqual(shapeOf(events))
      // A call under way when it died is asked once more.
      const lost = again.some((event) => event.type === 'run-resume' && event.lost !== undefined) ? 1 : 0
      expect(calls).toBe(whole.model.calls.length + lost)
    }
  })
})

async function killedAndResumed(name: Name | 'auto', store: Store, n: number) {
  let calls = 0
  const dying = await started(name, AS_PROSE, crashAt(store, n))
  await dying.run.outcome.catch((error) => expect(error).toBeInstanceOf(SimulatedCrash))
  await dying.engine.close()
  calls += dying.model.calls.length
  const { run, engine, model } = await started(name, AS_PROSE, store)
  expect(await run.outcome).toMatchObject({ status: 'completed', value: VALUE })
  await engine.close()
  return { calls: calls + model.calls.length }
}

/** What happened, without what a kill adds. */
function shapeOf(events: readonly Event[]): string[] {
  return events
    .filter(({ type }) => type !== 'run-resume' && !type.startsWith('part-'))
    .map((event) => `${event.path} ${event.type} ${'n' in event ? event.n : ''}`)
}
