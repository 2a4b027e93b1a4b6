/**
 * Replay: executes every block of a run again and reports differences from the journal. It is a local run on a store that reads the
 * journal, records nothing, and compares appended events with the recorded ones (see ReplayStore).
 *
 * 1. Nothing is performed. An operation has its recorded end; without one it never ends.
 * 2. A block that was ended from outside is followed as far as its records go; how it would have gone on is not known.
 * 3. Time and budget are as recorded.
 */
import type { Clock } from '../../kernel/clock.ts'
import type { Kernel, Solving } from '../../kernel/durable.ts'
import {
  type Event,
  emptyState,
  errorText,
  foldEvent,
  type Limits,
  type Outcome,
} from '../../protocol/index.ts'
import { nothingLearned } from '../shared/admission.ts'
import { rootSpec } from '../shared/events.ts'
import { strategyName } from '../shared/records.ts'
import { LocalBlock } from './block.ts'
import { Outline } from './outline.ts'
import { type Difference, ReplayStore } from './replay-store.ts'
import { LocalRun } from './run.ts'
import { type Survey, surveyOf } from './survey.ts'

export type { Difference } from './replay-store.ts'

export interface Replayed {
  /** Null when the run has not ended yet. */
  outcome: Outcome | null
  blocks: number
  operations: number
  differences: Difference[]
}

/** `events` is iterated twice. */
export async function replayRun(events: Iterable<Event>, kernel: Kernel): Promise<Replayed> {
  const survey = surveyOf(events)
  await kernel.preload(survey.strategies)
  const store = new ReplayStore(survey, events[Symbol.iterator]())
  const run = replayedRun(survey, store, kernel)
  store.readUntilBegun()
  run.replay((ledger) => new LocalBlock(run, rootSpec(run.spec), 0, 0, ledger, store).begin(() => {}))
  await executeAll(run, store)
  await run.detach()
  const { outcome } = survey
  const { blocks, operations } = store
  return { outcome, blocks, operations, differences: store.allDifferences() }
}

/** Until every block stands still at the end of the journal. */
async function executeAll({ telling }: LocalRun, store: ReplayStore): Promise<void> {
  for (let more = true, seen = -1; more || seen !== telling.appended; ) {
    seen = telling.appended
    await new Promise((resolve) => setImmediate(resolve))
    if (more) more = store.readOn()
  }
}

function replayedRun({ start, said }: Survey, store: ReplayStore, kernel: Kernel): LocalRun {
  const { run: id, goal, strategy, options, seed, config } = start
  const spec = { id, goal, strategy: strategyName(strategy), options, limits: NO_LIMITS, seed, config }
  const state = emptyState()
  foldEvent(state, start)
  const origin = { state, outline: new Outline(), learned: nothingLearned(), said, blocks: store }
  return new LocalRun(spec, store, 0, replayKernel(kernel, store), clockAt(start.ts), origin)
}

/** Refusals are in the records. */
const NO_LIMITS: Limits = {
  depth: Number.POSITIVE_INFINITY,
  tokens: Number.POSITIVE_INFINITY,
  calls: Number.POSITIVE_INFINITY,
  timeMs: Number.POSITIVE_INFINITY,
  costUsd: Number.POSITIVE_INFINITY,
}

/** Solves those blocks that were solved; a failure is a difference of its block, and the others go on. */
function replayKernel(kernel: Kernel, store: ReplayStore): Kernel {
  return {
    ...kernel,
    solve(spec, durable, frame, solved) {
      if (!store.wasSolved(spec.path)) return UNSOLVED
      return kernel.solve(spec, durable, frame, {
        answered: (answer) => solved.answered(answer),
        failed: (thrown) => store.failed(spec.path, errorText(thrown)),
      })
    },
  }
}

const UNSOLVED: Solving = {
  halt: () => ({ result: '', archived: [] }),
  timeline: () => [],
}

/** A clock that stands still, and whose timers never ring. */
function clockAt(ts: string): Clock {
  const ms = Date.parse(ts)
  return { nowMs: () => ms, activeMs: () => 0, after: () => () => {} }
}
