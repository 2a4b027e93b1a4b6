// Where a promise is proved: engines on stores that can crash. Whatever a test opened is closed and removed after it.

import { afterEach } from 'vitest'
import type { Engine, EngineOptions, RunOutcome, StartOptions } from '../../../src/engine.ts'
import type { Answer, Context, Strategy } from '../../../src/kernel/strategy.ts'
import type { ModelRequest, Result } from '../../../src/protocol/index.ts'
import { crashAt, ScriptedModel } from '../../../src/testing/index.ts'
import { inTime } from '../async.ts'
import type { Place } from '../places.ts'
import { countedTools, type StrategyUnderTest, TREE } from '../tasks.ts'

export interface LabSetup {
  engine(options: EngineOptions): Engine
  place(): Place
}

export type Lab = ReturnType<typeof kernelLab>

/** Call it in the `describe` whose tests use it: it cleans up after each of them. */
export function kernelLab(setup: LabSetup) {
  const cleanUps: (() => unknown)[] = []

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
  })

  function newPlace(): Place {
    const place = setup.place()
    cleanUps.push(() => place.remove())
    return place
  }

  /** An engine on a store that can crash. */
  function open(options: EngineOptions, place = newPlace(), crashAfter?: number) {
    const store = crashAt(place.open(), crashAfter)
    const engine = setup.engine({ model: idle, ...options, store })
    let closed = false
    async function close() {
      if (closed) return
      closed = true
      await engine.close()
      store.close()
    }
    cleanUps.push(close)
    async function crash() {
      store.crash()
      await close()
    }
    return { engine, store, place, close, crash, events: (id: string) => [...store.read(id)] }
  }

  /** Solves the goal with a strategy of the test's own. */
  async function solveWith(
    solve: (context: Context<never>) => Promise<Answer>,
    options: EngineOptions = {},
    given: StartOptions = {},
    others: readonly Strategy<never>[] = [],
  ) {
    const world = open({ ...options, strategies: [strategyOf('own', solve), ...others] })
    const run = await world.engine.start('a goal', { strategy: 'own', ...given })
    const outcome = await ended(run)
    return { ...world, id: run.id, outcome, journal: world.events(run.id) }
  }

  return { newPlace, open, solveWith, afterTest: (cleanUp: () => unknown) => cleanUps.push(cleanUp) }
}

export interface StrategyLabSetup extends LabSetup {
  strategy: StrategyUnderTest
  /** Crashes, forks and cancels come at every n-th event; at each event by default. */
  every?: number
}

export type StrategyLab = ReturnType<typeof strategyLab>

export function strategyLab(setup: StrategyLabSetup) {
  const { strategy, every = 1 } = setup
  const lab = kernelLab(setup)
  /** What a run of the strategy under test is started with. */
  const tested = { strategy: strategy.name, ...(strategy.options && { options: strategy.options }) }

  /** Has the strategy under test do a task. */
  async function solveTask(task = TREE, options: EngineOptions = {}, given: StartOptions = {}) {
    const { tools, performed } = countedTools()
    const model = strategy.model(task)
    const world = lab.open({ model, tools, ...options })
    const run = await world.engine.start(task.goal, { ...tested, ...given })
    const outcome = await ended(run)
    return { ...world, id: run.id, outcome, model, performed, journal: world.events(run.id) }
  }

  return { ...lab, strategy, tested, every, solveTask }
}

const idle = new ScriptedModel(() => 'nothing to say')

export function strategyOf(
  name: string,
  solve: (context: Context<never>) => Promise<Answer>,
): Strategy<never> {
  return { name, version: 1, options: (given) => given as never, solve }
}

export function request(kind: string, settings?: ModelRequest['settings']): ModelRequest {
  const messages = [{ role: 'user' as const, content: kind }]
  return { kind, version: 1, role: 'plan', messages, ...(settings && { settings }) }
}

export function ended(run: { outcome: Promise<RunOutcome> }): Promise<RunOutcome> {
  return inTime(run.outcome, 'the run ends')
}

/** Resolves when the run has stopped, whether it got to start or not. */
export async function untilCrash(starting: Promise<{ outcome: Promise<RunOutcome> }>): Promise<void> {
  const outcome = starting.then((run) => run.outcome)
  await inTime(Promise.allSettled([outcome]), 'the crash comes')
}

export async function replayOf(engine: Engine, id: string) {
  return (await engine.replay(id)).differences
}

export function codeOf(result: Result | undefined): string {
  return result === undefined || result.ok ? 'ok' : result.error.code
}
