// The kernel's promises K1 to K10 at the engine's door: one file for each, named by its number.
//
// Most of them the kernel keeps whatever the strategy does. `ofKernel` proves those with small strategies of the tests' own, which
// use a Context directly; once per store, since no strategy that ships has a part in them. `ofStrategy` proves what a strategy
// has a part in, for each strategy on each store and for each pair of strategies (`pairs.test.ts`):
//
//   K1   what it archives before its next decision: it decides what to wait for
//   K2   crash, replay and fork: its code is executed again, and must do the same again
//   K3   how it closes at a limit
//   K6   live events and journal agree: it emits some of them
//   K7   cancelled anywhere, its journal is whole
//   K9   it works on with keys taken out
//   K10  its prompts keep data inside fences: it writes them
//
// K4, K5 and K8 are the kernel's alone.

import { describe } from 'vitest'
import { createEngine, type Engine, type EngineOptions } from '../../../src/engine.ts'
import type { Store } from '../../../src/kernel/store.ts'
import { repetitions } from '../../repetitions.ts'
import { later } from '../later.ts'
import { memoryPlace, sqlitePlace } from '../places.ts'
import {
  bestOfUnderTest,
  cotUnderTest,
  dualUnderTest,
  fractalUnderTest,
  minimalUnderTest,
  plannerUnderTest,
  totUnderTest,
} from '../tasks.ts'
import { kernelLab, type Lab, type StrategyLab, type StrategyLabSetup, strategyLab } from './lab.ts'

export interface KernelPromise {
  readonly title: string
  ofKernel(lab: Lab): void
  ofStrategy?(lab: StrategyLab): void
}

/** Crashes, forks and cancels come at every so many events where they cost much. */
export const EVERY = repetitions(4, 1)

const UNDER_TEST = [
  minimalUnderTest,
  fractalUnderTest,
  cotUnderTest,
  totUnderTest,
  plannerUnderTest,
  dualUnderTest,
  bestOfUnderTest,
]

/**
 * Proves a promise on the local host, with both stores and all strategies that ship, and without these on a store that answers later. In memory, strategies are crashed at each event.
 * What SQLite makes of a crash at each event is proved with `minimal` and by `ofKernel`, and the others at every EVERY-th.
 */
export function prove(promise: KernelPromise): void {
  describe(`${promise.title}, a store that answers later`, () =>
    promise.ofKernel(kernelLab({ engine: laterEngine, place: memoryPlace })))
  for (const [store, place] of [
    ['memory', memoryPlace],
    ['SQLite', sqlitePlace],
  ] as const) {
    const local = { engine: createEngine, place }
    describe(`${promise.title}, ${store}`, () => promise.ofKernel(kernelLab(local)))
    for (const strategy of UNDER_TEST) {
      const every = store === 'memory' || strategy === minimalUnderTest ? 1 : EVERY
      proveOfStrategy(promise, `${strategy.name}, ${store}`, { ...local, strategy, every })
    }
  }
}

function laterEngine(options: EngineOptions): Engine {
  return createEngine({ ...options, store: later(options.store as Store) })
}

export function proveOfStrategy(promise: KernelPromise, name: string, setup: StrategyLabSetup): void {
  const { title, ofStrategy } = promise
  if (ofStrategy) describe(`${title}: ${name}`, () => ofStrategy(strategyLab(setup)))
}
