// Strategies that say who they are, and a run of them that can crash: for tests of who solves what.

import { onTestFinished } from 'vitest'
import { createEngine, type EngineOptions, type StartOptions } from '../../src/engine.ts'
import type { Answer, Context, Strategy } from '../../src/kernel/strategy.ts'
import type { Event, EventOf, EventType } from '../../src/protocol/index.ts'
import { crashAt, ScriptedModel } from '../../src/testing/index.ts'
import { inTime } from '../conformance/async.ts'
import { memoryPlace } from '../conformance/places.ts'

export type Solve = (context: Context<Record<string, unknown>>) => Promise<Answer>

/** The root's; `a`, `b` and `c` say their names. */
export function strategies(solve: Solve, others: Record<string, Solve> = {}): Strategy<never>[] {
  const all: Record<string, Solve> = {
    own: solve,
    ...Object.fromEntries(['a', 'b', 'c'].map((name) => [name, async () => `${name} was here`])),
    ...others,
  }
  return Object.entries(all).map(
    ([name, own]) => ({ name, version: 1, options: (given: unknown) => given, solve: own }) as never,
  )
}

const idle = new ScriptedModel(() => 'nothing to say')

export interface World extends EngineOptions {
  given?: StartOptions
}

export async function runOf(own: readonly Strategy<never>[], { given = {}, ...options }: World = {}) {
  const store = memoryPlace().open()
  const engine = createEngine({ model: idle, ...options, store, strategies: own })
  onTestFinished(() => engine.close())
  const run = await engine.start('a goal', { strategy: 'own', id: 'run', ...given })
  const outcome = await inTime(run.outcome, 'the run ends')
  const journal = [...(await engine.events(run.id))]
  return { engine, id: run.id, outcome, journal, fork: forkOf(engine) }
}

/** Crashes the run after every event in turn, and goes on with it. */
export async function* crashes(
  own: readonly Strategy<never>[],
  length: number,
  { given = {}, ...options }: World = {},
) {
  for (let n = 1; n < length; n++) {
    const place = memoryPlace()
    const first = createEngine({ model: idle, ...options, store: crashAt(place.open(), n), strategies: own })
    const starting = first.start('a goal', { strategy: 'own', id: 'run', ...given })
    await inTime(
      starting.then(({ outcome }) => outcome).catch(() => {}),
      'the crash comes',
    )
    await first.close()
    const engine = createEngine({ model: idle, ...options, store: place.open(), strategies: own })
    const outcome = await inTime((await engine.resume('run')).outcome, 'the run ends')
    yield { n, outcome, journal: [...(await engine.events('run'))], engine }
    await engine.close()
  }
}

function forkOf(engine: ReturnType<typeof createEngine>) {
  return async (id: string, at: number) => {
    const fork = await engine.fork(id, at)
    const outcome = await inTime((await engine.resume(fork)).outcome, 'the fork ends')
    return { fork, outcome, journal: [...(await engine.events(fork))] }
  }
}

export function all<T extends EventType>(events: readonly Event[], type: T): EventOf<T>[] {
  return events.filter((event) => event.type === type) as unknown as EventOf<T>[]
}

/** The data of the notes of that name. */
export function notes(events: readonly Event[], name: string): unknown[] {
  return all(events, 'note')
    .filter((event) => event.name === name)
    .map(({ data }) => data)
}

/** `path strategy`, for each block below the root. */
export function solvers(events: readonly Event[]): string[] {
  return all(events, 'block-start')
    .filter(({ path }) => path !== '1')
    .map(({ path, strategy }) => `${path} ${strategy.split('@')[0]}`)
}
