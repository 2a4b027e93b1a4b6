/**
 * The two services of a worker: `block`, a workflow for each block, and `effects`, which performs steps. What trials
 * showed:
 *
 * 1. `inactivityTimeout` of the workflow is short (20 ms): a block that waits holds no slot of the server, so recursion
 *    with few slots does not come to a stop. With 0 each quick step would execute the whole block again.
 * 2. Effects hold their slot while they run, for days if need be. Limit concurrency around the model call, never here.
 * 3. The server's retries are for dead workers only, so they never end; by default it pauses after 70.
 * 4. A block whose code no longer fits its journal can't return: its return would be a mismatch, retried for ever. The
 *    failure is noted, and the run's tree killed through the admin API; the host tells the caller, the journal stays.
 * 5. A workflow that was killed while it listened to a promise must not be started again under its key: the server ends
 *    up with an answer to a command that the new one has not given, and its partition stops. So each life has a key of
 *    its own (wire.ts: generation).
 * 6. A shared handler may resolve a promise before the workflow runs: an early signal is kept.
 */
import * as restate from '@restatedev/restate-sdk'
import type { Kernel } from '../../kernel/durable.ts'
import type { SharedStore } from '../../kernel/store.ts'
import {
  type ErrorCode,
  type ErrorData,
  type EventOf,
  errorData,
  ROOT_PATH,
  ThinkonError,
} from '../../protocol/index.ts'
import { endingError, endsBlock } from '../shared/endings.ts'
import { checkVersion } from '../shared/records.ts'
import { type BlockContext, RestateBlock } from './block.ts'
import type { CalledBlock } from './desk.ts'
import type { Effects } from './effects.ts'
import { kill } from './kill.ts'
import { SignalJournal } from './signals.ts'
import { type Bell, BLOCK, type BlockPlace, bellOf, EFFECTS, placeOfKey, type StepKey } from './wire.ts'

export interface WorkerParts {
  readonly store: SharedStore
  readonly kernel: Kernel
  /** Address of the server's admin API. */
  readonly admin: string
  /** After how long a waiting block is suspended. */
  readonly inactivityMs?: number
}

/** Errors of the machinery that no retry mends: the run stops, and its journal stays as it is. */
const HOPELESS: ReadonlySet<ErrorCode> = new Set([
  'NON_DETERMINISM',
  'VERSION_MISMATCH',
  'NO_SUCH_STRATEGY',
  'OWNERSHIP_LOST',
  'STORE_CORRUPT',
])

const retryPolicy = {
  initialInterval: 50,
  exponentiationFactor: 2,
  maxInterval: 1_000,
  maxAttempts: 1_000_000_000,
}

export function services(parts: WorkerParts, effects: Effects) {
  const block = restate.workflow({
    name: BLOCK,
    handlers: {
      run: (context: restate.WorkflowContext) => runBlock(context as BlockContext, parts),
      // Not with the workflow's own time-out: it would be suspended and executed again for its one command.
      ring: restate.createWorkflowSharedHandler(
        { inactivityTimeout: { minutes: 1 } },
        (context: restate.WorkflowSharedContext, bell: Bell) => ring(context, bell, parts.store),
      ),
    },
    options: {
      inactivityTimeout: parts.inactivityMs ?? 20,
      explicitCancellation: true,
      retryPolicy,
      journalRetention: 0,
      workflowRetention: { hours: 1 },
    },
  })
  const service = restate.service({
    name: EFFECTS,
    handlers: {
      async perform(context: restate.Context, at: StepKey): Promise<string> {
        await effects.perform(context as never, at)
        return 'ended'
      },
    },
    options: {
      explicitCancellation: true,
      inactivityTimeout: { days: 30 },
      abortTimeout: { days: 30 },
      retryPolicy,
      journalRetention: 0,
      ingressPrivate: true,
    },
  })
  return [block, service]
}

async function runBlock(context: BlockContext, parts: WorkerParts): Promise<string> {
  const place = placeOfKey(context.key)
  const { run, generation, path } = place
  const journal = new SignalJournal(parts.store, run)
  try {
    const called = parts.store.has(run) ? journal.called(path) : null
    if (called === null || generation !== journal.generation) {
      // Left over from an earlier life, or from another store.
      if (!context.isProcessing()) await kill(parts.admin, context.request().id)
      throw new restate.TerminalError(`no block ${context.key}`)
    }
    return (await solveBlock(context, parts, journal, place, called)).outcome.status
  } catch (thrown) {
    const error = errorData(thrown, 'INTERNAL')
    if (ThinkonError.isInstance(thrown) && HOPELESS.has(error.code))
      await giveUp(context, journal, error, parts.admin)
    throw thrown
  }
}

async function solveBlock(
  context: BlockContext,
  { kernel }: WorkerParts,
  journal: SignalJournal,
  place: BlockPlace,
  called: CalledBlock,
): Promise<EventOf<'block-end'>> {
  const { path } = place
  // Before the engine has been given a command, and only then, everything may still be decided.
  const fresh = context.isProcessing()
  const recorded = journal.blockEnd(called)
  if (fresh && recorded !== null) return recorded
  // Whoever rings finds the block by this, or the block finds what is in the inbox below.
  const { id } = context.request()
  if (fresh) journal.setNote(`invocation ${path}`, id)
  if (fresh && path === ROOT_PATH) journal.setNote('failure', null)
  if (fresh && journal.isAskedToEnd(path)) {
    if (journal.made(path, 1) === null) return endUnsolved(journal, path)
    journal.setNote(`stop-again ${path}`, true) // the engine has forgotten what it was told
  }
  if (journal.note(`stop-again ${path}`) !== null) context.cancel(id)
  const start = await untilItsTurn(context, journal, place, called)
  if (start === null) return endUnsolved(journal, path)
  checkVersion(start, kernel.identify(called.spec.strategy))

  const block = new RestateBlock(context, journal, kernel, place)
  await kernel.preload([called.spec.strategy])
  const { left, kept } = start
  const frame = { ...journal.frame(path), startedAtMs: Date.parse(start.ts), left, kept }
  const solving = kernel.solve(called.spec, block, frame)
  block.solving = solving
  const answered = solving.outcome.then(async (answer) => {
    await block.close()
    return journal.endBlock(path, answer, { timeline: solving.timeline() })
  })
  return Promise.race([answered, block.endedFromOutside])
}

/** The block's start, when there is room for it in the budget; null if it was cancelled before. */
async function untilItsTurn(
  context: BlockContext,
  journal: SignalJournal,
  { generation }: BlockPlace,
  called: CalledBlock,
): Promise<EventOf<'block-start'> | null> {
  for (let look = 0; ; look++) {
    const waitMs = journal.waitMs(called, generation, look)
    if (waitMs === null) return journal.blockStart(called)
    const cancelled = await restate.RestatePromise.race([
      context.sleep(waitMs).map(() => false),
      context.cancellation().map(() => true),
    ])
    if (cancelled) return null
  }
}

/** It was ended before it began. */
function endUnsolved(journal: SignalJournal, path: string): EventOf<'block-end'> {
  const ending = journal.ending(path)
  const { status, reason, redo } = ending
  const { code } = endingError(ending)
  return journal.endBlock(path, { status, result: '', reason, code }, { outside: true, redo })
}

/** Notes the failure for whoever waits, and has the engine forget the run's whole tree. */
async function giveUp(
  context: BlockContext,
  journal: SignalJournal,
  error: ErrorData,
  admin: string,
): Promise<void> {
  let root: string | null = null
  try {
    journal.setNote('failure', error)
    root = journal.note<string>(`invocation ${ROOT_PATH}`)
  } catch {
    // Another host has the run now: it says what becomes of it.
  }
  await kill(admin, root ?? context.request().id)
}

/** A signal is in the inbox: wakes the wait for it, or has the block ended. */
async function ring(context: restate.WorkflowSharedContext, bell: Bell, store: SharedStore): Promise<void> {
  if (!endsBlock(bell.name)) {
    try {
      await context.promise(bellOf(bell.name, bell.number)).resolve(undefined as never)
    } catch (error) {
      if (!(error instanceof restate.TerminalError)) throw error // rung before
    }
    return
  }
  const { run, path } = placeOfKey(context.key)
  const id = store.has(run) ? new SignalJournal(store, run).note<string>(`invocation ${path}`) : null
  if (id !== null) context.cancel(restate.InvocationIdParser.fromString(id))
}
