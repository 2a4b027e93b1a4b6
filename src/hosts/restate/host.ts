/**
 * Runs on a Restate cluster, as a client of it: the blocks are executed by workers (worker.ts), the store is shared with
 * them. A run goes on by itself when its worker or the server comes back; `resume` attaches to it, and brings it back to
 * an engine that has forgotten it.
 *
 * A run that waits for its model has been taken from the engine; `resume` gives it back.
 *
 * Text as it comes in, and failed attempts, are not passed on to listeners: they have no way from the worker's process to this one.
 */
import { setTimeout as pause } from 'node:timers/promises'
import * as clients from '@restatedev/restate-sdk-clients'
import type { Host, Kernel, Listener, RunHandle } from '../../kernel/durable.ts'
import { type SharedStore, unknownRun } from '../../kernel/store.ts'
import {
  type ErrorData,
  type EventOf,
  foldEvents,
  type Limits,
  type Outcome,
  ROOT_PATH,
  type RoleUsage,
  ThinkonError,
} from '../../protocol/index.ts'
import { requireParts } from '../shared/require-parts.ts'
import { Follower } from './follower.ts'
import { SignalJournal } from './signals.ts'
import { BLOCK, type BlockApi, keyOf } from './wire.ts'

export interface RestateHostOptions {
  readonly store: SharedStore
  readonly kernel: Pick<Kernel, 'identify'>
  /** Address of the server's ingress. */
  readonly ingress: string
}

/** A server that does not answer is asked again so often, and for so long where somebody waits for the request. */
const RETRY_MS = 200
const PATIENCE_MS = 10_000

export function restateHost({ store, kernel, ingress: url }: RestateHostOptions): Host {
  const ingress = clients.connect({ url })
  const followed = new Set<Follower>()
  const closing = new AbortController()

  const rootOf = ({ run, generation }: SignalJournal) =>
    ingress.workflowClient<BlockApi>({ name: BLOCK }, keyOf({ run, generation, path: ROOT_PATH }))

  /** A signal is worth ringing for unless its block has ended, or looks by itself when it gets there. */
  async function announce(journal: SignalJournal, to: string, name: string, number: number) {
    const path = name === 'redo' ? journal.attemptAt(to) : to
    const called = journal.called(path)
    if (name === 'message' || (called !== null && journal.blockEnd(called) !== null)) return
    const key = keyOf({ run: journal.run, generation: journal.generation, path })
    const parameter = { name, number }
    await patiently(url, () => ingress.send({ service: BLOCK, handler: 'ring', key, parameter }))
  }

  async function attach(
    run: string,
    listener: Listener | undefined,
    from: number,
    budget?: Partial<Limits>,
  ): Promise<RunHandle> {
    const journal = new SignalJournal(store, run)
    const isOpen = outcomeOf(journal) === null
    const waited = isOpen && endWaiting(journal, budget)
    const follower = listener && new Follower(store, run, from, listener)
    if (follower) followed.add(follower)
    if (isOpen) {
      if (!waited) await revive(journal)
      await patiently(url, () => rootOf(journal).workflowSubmit())
      // Lost between the inbox and the bell, or rung in an engine that has forgotten it.
      for (const { path, name, number } of journal.pending()) await announce(journal, path, name, number)
    }
    const outcome = ended(journal).finally(() => {
      follower?.stop()
      if (follower) followed.delete(follower)
    })
    // Whoever asks for the outcome gets the error; a run nobody waits for must not end the process.
    outcome.catch(() => {})
    const roles: RoleUsage = {}
    const withRoles = outcome.then((end) => {
      try {
        Object.assign(roles, foldEvents(store.read(run)).roles)
      } catch {
        // How the run ended does not depend on it.
      }
      return end
    })
    withRoles.catch(() => {})
    return { id: run, outcome: withRoles, roles }
  }

  /** The run goes on if it waits, with raised limits. False if it did not wait. */
  function endWaiting(journal: SignalJournal, budget: Partial<Limits> | undefined): boolean {
    if (journal.waiting !== null) requireStrategies(journal.run)
    if (journal.endWaiting(budget)) return true
    if (budget !== undefined) journal.raise(budget)
    return false
  }

  /** A run that waits is left waiting unless the strategies of its open blocks are known here: tools and models are the workers'. */
  function requireStrategies(run: string): void {
    const open = new Map<string, EventOf<'block-start'>>()
    for (const event of store.read(run)) {
      if (event.type === 'block-start') open.set(event.path, event)
      else if (event.type === 'block-end') open.delete(event.path)
    }
    requireParts(run, open.values(), { identify: kernel.identify })
  }

  /** A run that the engine has given up is given to it under another key. */
  async function revive(journal: SignalJournal): Promise<void> {
    const { generation } = journal
    const gaveUp = await patiently(url, () =>
      rootOf(journal)
        .workflowOutput()
        .then(({ ready }) => ready, isGivenUp),
    )
    if (gaveUp && outcomeOf(journal) === null) journal.raiseGeneration(generation)
  }

  /** The engine wakes us; how the run ended is in the store. */
  async function ended(journal: SignalJournal): Promise<Outcome> {
    for (;;) {
      const outcome = outcomeOf(journal)
      if (outcome !== null) return outcome
      const { generation } = journal
      const gaveUp = await workflowEnd(journal)
      if (closing.signal.aborted) throw left(journal.run)
      if (hasGoneOn(journal, generation)) continue
      if (gaveUp) throw failureOf(journal)
      await pause(RETRY_MS)
    }
  }

  /** Resolves when the workflow has ended (whether the engine gave it up), or the server does not answer. */
  async function workflowEnd(journal: SignalJournal): Promise<boolean> {
    try {
      const workflow = rootOf(journal)
      await workflow.workflowSubmit() // an engine that has forgotten the run is given it again
      await workflow.workflowAttach(clients.Opts.from({ signal: closing.signal }))
      return false
    } catch (thrown) {
      return isGivenUp(thrown as EngineFailure, false)
    }
  }

  return {
    async start(spec, listener) {
      const from = store.has(spec.id) ? store.peek(spec.id, ({ seq }) => seq) + 1 : 1
      new SignalJournal(store, spec.id).create(spec, kernel)
      return attach(spec.id, listener, from)
    },
    async resume(run, listener, { budget } = {}) {
      if (!store.has(run)) throw unknownRun(run)
      return attach(run, listener, store.peek(run, ({ seq }) => seq) + 1, budget)
    },
    async signal(run, path, name, value) {
      if (!store.has(run)) throw unknownRun(run)
      const { number } = store.send(run, path, name, value)
      await announce(new SignalJournal(store, run), path, name, number)
    },
    async cancel(run, reason) {
      await this.signal(run, ROOT_PATH, 'cancel', reason)
    },
    async close() {
      closing.abort()
      for (const follower of followed) follower.stop()
    },
  }
}

/** Of an answer there is a status, and its text; of a server that can't be reached neither. */
type EngineFailure = Error & { status?: number; responseText?: string }

/** Whether the failure is that of the workflow itself: killed, or ended without a record. */
function isGivenUp(failure: EngineFailure, throwOther = true): boolean {
  if (failure.responseText?.includes('"source":"invocation"')) return true
  if (throwOther && failure.status !== 404) throw failure
  return false
}

/** Repeats a request while the server can't be reached. All of them may be repeated. */
async function patiently<T>(url: string, request: () => Promise<T>): Promise<T> {
  const endMs = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return await request()
    } catch (thrown) {
      const { status, message } = thrown as EngineFailure
      if (status !== undefined && status < 500) throw thrown
      if (Date.now() > endMs) {
        const what = `the Restate server at ${url} does not answer (${message})`
        throw new ThinkonError('INTERNAL', `${what}: what was sent is kept; start it, then resume the run`, {
          cause: thrown,
        })
      }
    }
    await pause(RETRY_MS)
  }
}

function outcomeOf(journal: SignalJournal): Outcome | null {
  const root = journal.called(ROOT_PATH)
  const end: EventOf<'block-end'> | null = root && journal.blockEnd(root)
  return end?.outcome ?? null
}

/** The run has ended meanwhile, or was resumed in another life. */
function hasGoneOn(journal: SignalJournal, generation: number): boolean {
  return outcomeOf(journal) !== null || journal.generation !== generation
}

/** Why the engine has given the run up. */
function failureOf(journal: SignalJournal): ThinkonError {
  return ThinkonError.fromJSON(journal.note<ErrorData>('failure') ?? killed(journal.run))
}

function left(run: string): ThinkonError {
  return new ThinkonError('INTERRUPTED', `run ${run} was detached here; it continues in the cluster`)
}

function killed(run: string): ErrorData {
  return {
    code: 'INTERNAL',
    message: `run ${run} was ended in Restate, not by Thinkon: resume it with thinkon resume ${run}`,
    data: { run },
  }
}
