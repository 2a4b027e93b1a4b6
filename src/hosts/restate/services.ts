/**
 * The two services of a worker: `block`, a workflow for each block, and `effects`, which performs steps. What trials
 * showed:
 *
 * 1. `inactivityTimeout` of the workflow is short (50 ms): a block that waits holds no slot of the server, so recursion
 *    with few slots does not come to a stop. With 0 each quick step would execute the whole block
 *    again; with 20 so did tools of 20 to 50 ms, for a fifth more CPU of the worker (blocks of one call of 20 ms).
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
import type { Claims } from '../../kernel/claims.ts'
import type { BlockAnswer, Kernel } from '../../kernel/durable.ts'
import { readAtOnce, type SharedStore } from '../../kernel/store.ts'
import type { WorkerObserver } from '../../kernel/worker-observer.ts'
import {
  type ErrorCode,
  type ErrorData,
  type EventOf,
  errorData,
  ROOT_PATH,
  ThinkonError,
} from '../../protocol/index.ts'
import { endingError, endsBlock } from '../shared/endings.ts'
import { withSaid } from '../shared/events.ts'
import { checkVersion } from '../shared/records.ts'
import { RestateBlock } from './block.ts'
import type { BlockContext } from './commands.ts'
import type { Effects } from './effects.ts'
import { Execution, enterBlock, NotToBeSolved, type OpenedBlock, openBlock } from './execution.ts'
import { kill } from './kill.ts'
import { SignalJournal } from './signals.ts'
import { type Bell, BLOCK, type BlockPlace, bellOf, effectsOf, placeOfKey, type StepKey } from './wire.ts'

export interface WorkerParts {
  readonly store: SharedStore
  readonly claims: Claims
  readonly kernel: Kernel
  /** Address of the server's admin API. */
  readonly admin: string
  /** The class of workers that this one is of: it performs the steps that are bound to it, and nothing else. */
  readonly workers?: string
  /** Address of the server's ingress: a worker that knows it rings for signals that nobody has rung for. */
  readonly ingress?: string
  /** After how long a waiting block is suspended. */
  readonly inactivityMs?: number
  readonly observer?: WorkerObserver
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
      inactivityTimeout: parts.inactivityMs ?? 50,
      explicitCancellation: true,
      retryPolicy,
      journalRetention: 0,
      workflowRetention: { hours: 1 },
    },
  })
  const service = restate.service({
    name: effectsOf(parts.workers),
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
  return parts.workers === undefined ? [block, service] : [service]
}

async function runBlock(context: BlockContext, parts: WorkerParts): Promise<string> {
  const place = placeOfKey(context.key)
  const journal = new SignalJournal(parts.store, place.run)
  try {
    const opened = await openBlock(journal, place)
    if (opened === null) {
      if (!context.isProcessing()) await kill(parts.admin, context.request().id)
      throw new restate.TerminalError(`no block ${context.key}`)
    }
    const { outcome } = await solveBlock(context, parts, journal, place, opened)
    if (place.path === ROOT_PATH)
      parts.observer?.runEnded(place.run, () => readAtOnce(parts.store, place.run))
    return outcome.status
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
  opened: OpenedBlock,
): Promise<EventOf<'block-end'>> {
  const { path } = place
  const { called, end, frame, said } = opened
  // Before the engine has been given a command, and only then, everything may still be decided.
  const fresh = context.isProcessing()
  if (fresh && end !== null) return end
  const { id } = context.request()
  // A block that may begin and has done nothing yet is entered with the first thing that it records.
  const isNew = fresh && opened.start !== null && opened.records.made.size === 0
  const asked = fresh && !isNew ? await journal.transact((tx) => enterBlock(tx, place, id)) : null
  if (asked === 'unsolved') return endUnsolved(journal, path)
  if (asked === 'later' || opened.stopsAgain) context.cancel(id)
  const start = await untilItsTurn(context, journal, place, opened)
  if (start === null) return endUnsolved(journal, path)
  checkVersion(start, kernel.identify(called.spec.strategy))

  const execution = new Execution(journal, place, opened, isNew ? id : null)
  const block = new RestateBlock(context, execution, kernel, frame.config)
  await kernel.preload([called.spec.strategy], { id: place.run, config: frame.config })
  const { left, kept } = start
  const { promise: answer, resolve: answered, reject: failed } = Promise.withResolvers<BlockAnswer>()
  const framed = { ...frame, startedAtMs: Date.parse(start.ts), left, kept }
  block.solving = kernel.solve(withSaid(called.spec, said), block, framed, { answered, failed })
  const ended = answer.then((one) => block.finish(one))
  return Promise.race([ended, block.endedFromOutside]).catch((thrown) => {
    if (thrown instanceof NotToBeSolved) return endUnsolved(journal, path)
    throw thrown
  })
}

/** The block's start, when there is room for it in the budget; null if it was cancelled before. */
async function untilItsTurn(
  context: BlockContext,
  journal: SignalJournal,
  { generation }: BlockPlace,
  { called, start, looks }: OpenedBlock,
): Promise<EventOf<'block-start'> | null> {
  for (let look = 0; ; look++) {
    const next = look < looks ? 0 : (start ?? (await journal.nextLook(called, generation, look)))
    if (typeof next !== 'number') return next
    const cancelled = await restate.RestatePromise.race([
      context.sleep(next).map(() => false),
      context.cancellation().map(() => true),
    ])
    if (cancelled) return null
  }
}

/** It was ended before it began. */
async function endUnsolved(journal: SignalJournal, path: string): Promise<EventOf<'block-end'>> {
  const ending = await journal.ending(path)
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
    root = await journal.transact((tx) => {
      tx.setNote('failure', error)
      return tx.note<string>(`invocation ${ROOT_PATH}`)
    })
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
  const journal = new SignalJournal(store, run)
  const id = (await store.has(run)) ? await journal.note<string>(`invocation ${path}`) : null
  if (id !== null) context.cancel(restate.InvocationIdParser.fromString(id))
}
