// All that a strategy has to keep of the kernel's promises, for any strategy: also for one of a user's own.

import { archiveFirst } from './k1-archive-first.ts'
import { once } from './k2-once.ts'
import { bounded } from './k3-bounded.ts'
import { oneTruth } from './k6-one-truth.ts'
import { stopMeansStop } from './k7-stop-means-stop.ts'
import { nothingLeaks } from './k9-nothing-leaks.ts'
import { dataIsNotInstruction } from './k10-data-is-not-instruction.ts'
import type { StrategyLabSetup } from './lab.ts'
import { outageIsPause } from './outage.ts'
import { proveOfStrategy } from './prove.ts'

const PROMISES = [
  archiveFirst,
  once,
  bounded,
  oneTruth,
  stopMeansStop,
  nothingLeaks,
  dataIsNotInstruction,
  outageIsPause,
]

export function strategyConformance(name: string, setup: StrategyLabSetup): void {
  for (const promise of PROMISES) proveOfStrategy(promise, name, setup)
}
