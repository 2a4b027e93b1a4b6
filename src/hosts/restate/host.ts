/**
 * Runs on a Restate cluster, as a client of it: the blocks are executed by workers (worker.ts), the store is shared with
 * them. A run goes on by itself when its worker or the server comes back; `resume` attaches to it, and brings it back to
 * an engine that has forgotten it.
 *
 * A run that waits for its model has been taken from the engine; `resume` gives it back.
 *
 * A signal is in the store before the engine is told of it; see bells.ts for what happens while the server is down.
 */
import { setTimeout as pause } from 'node:timers/promises'
import * as clients from '@restatedev/restate-sdk-clients'
import type { Host, Kernel, Listener, RunHandle } from '../../kernel/durable.ts'
import { type SharedStore, unknownRun } from '../../kernel/store.ts'
import {
  type ErrorData,
  type EventOf,
  emptyState,
  foldEvent,
  type Limits,
  type Outcome,
  ROOT_PATH,
  type RoleUsage,
  ThinkonError,
} from '../../protocol/index.ts'
import { requireParts } from '../shared/require-parts.ts'
import { bells } from './bells.ts'
import { Follower } from './follower.ts'
import { blockEndIn, calledIn, generationIn, waitingIn } from './journal.ts'
import { patiently } from './patiently.ts'
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
  const bell = bells(store, url)
  const stopRinging = bell.keepRinging()

  const rootOf = (run: string, generation: number) =>
    ingress.workflowClient<BlockApi>({ name: BLOCK }, keyOf({ run, generation, path: ROOT_PATH }))

  async function attach(
    run: string,
    listener: Listener | undefined,
    from: number,
    budget?: Partial<Limits>,
  ): Promise<RunHandle> {
    const journal = new SignalJournal(store, run)
    const isOpen = (await stateOf(journal)).outcome === null
    const waited = isOpen && (await endWaiting(journal, budget))
    const follower = listener && new Follower(store, run, from, listener)
    if (follower) followed.add(follower)
    if (isOpen) {
      if (!waited) await revive(journal)
      const { generation } = await stateOf(journal)
      await answered(url, () => rootOf(run, generation).workflowSubmit())
      // Lost between the inbox and the bell, or rung in an engine that has forgotten it.
      for (const signal of await store.pending(run)) await answered(url, () => bell.ring(run, signal))
    }
    const outcome = followedBy(follower, ended(journal))
    // Whoever asks for the outcome gets the error; a run nobody waits for must not end the process.
    outcome.catch(() => {})
    const roles: RoleUsage = {}
    const withRoles = outcome.then(async (end) => {
      try {
        Object.assign(roles, await rolesOf(store, run))
      } catch {
        // How the run ended does not depend on it.
      }
      return end
    })
    withRoles.catch(() => {})
    return { id: run, outcome: withRoles, roles }
  }

  /** Its listener has been told of everything when the outcome is there. */
  async function followedBy(follower: Follower | undefined, outcome: Promise<Outcome>): Promise<Outcome> {
    try {
      return await outcome
    } finally {
      await follower?.stop()
      if (follower) followed.delete(follower)
    }
  }

  /** The run goes on if it waits, with raised limits. False if it did not wait. */
  async function endWaiting(journal: SignalJournal, budget: Partial<Limits> | undefined): Promise<boolean> {
    if ((await journal.peek(waitingIn)) !== null) await requireStrategies(journal.run)
    if (await journal.endWaiting(budget)) return true
    if (budget !== undefined) await journal.raise(budget)
    return false
  }

  /** A run that waits is left waiting unless the strategies of its open blocks are known here: tools and models are the workers'. */
  async function requireStrategies(run: string): Promise<void> {
    const open = new Map<string, EventOf<'block-start'>>()
    for await (const event of store.read(run)) {
      if (event.type === 'block-start') open.set(event.path, event)
      else if (event.type === 'block-end') open.delete(event.path)
    }
    requireParts(run, open.values(), { identify: kernel.identify })
  }

  /** A run that the engine has given up is given to it under another key. */
  async function revive(journal: SignalJournal): Promise<void> {
    const { generation } = await stateOf(journal)
    const gaveUp = await answered(url, () =>
      rootOf(journal.run, generation)
        .workflowOutput()
        .then(({ ready }) => ready, isGivenUp),
    )
    if (gaveUp && (await stateOf(journal)).outcome === null) await journal.raiseGeneration(generation)
  }

  /** The engine wakes us; how the run ended is in the store. */
  async function ended(journal: SignalJournal): Promise<Outcome> {
    /** Which life of the run the engine has given up. */
    let over: number | null = null
    for (;;) {
      const { outcome, generation, failure } = await patiently(() => stateOf(journal))
      if (outcome !== null) return outcome
      if (over === generation) throw failure
      over = (await workflowEnd(journal.run, generation)) ? generation : null
    }
  }

  /** Resolves when the workflow has ended (whether the engine gave it up), or the server does not answer. */
  async function workflowEnd(run: string, generation: number): Promise<boolean> {
    try {
      const workflow = rootOf(run, generation)
      await workflow.workflowSubmit() // an engine that has forgotten the run is given it again
      await workflow.workflowAttach(clients.Opts.from({ signal: closing.signal }))
    } catch (thrown) {
      if (closing.signal.aborted) throw left(run)
      if (isGivenUp(thrown as EngineFailure, false)) return true
      await pause(RETRY_MS)
    }
    return false
  }

  async function nextSeq(run: string): Promise<number> {
    return (await store.peek(run, ({ seq }) => seq)) + 1
  }

  return {
    async start(spec, listener) {
      const from = (await store.has(spec.id)) ? await nextSeq(spec.id) : 1
      await new SignalJournal(store, spec.id).create(spec, kernel)
      return attach(spec.id, listener, from)
    },
    async resume(run, listener, { budget } = {}) {
      if (!(await store.has(run))) throw unknownRun(run)
      return attach(run, listener, await nextSeq(run), budget)
    },
    async signal(run, path, name, value) {
      if (!(await store.has(run))) throw unknownRun(run)
      const sent = await store.send(run, path, name, value)
      // If the server is down, whoever is there when it is back rings.
      await bell.ring(run, sent).catch(() => {})
    },
    async answer(run, question, value) {
      const sent = await store.answer(run, question, value)
      if (sent !== null) await bell.ring(run, sent).catch(() => {})
      return sent !== null
    },
    async cancel(run, reason) {
      await this.signal(run, ROOT_PATH, 'cancel', reason)
    },
    async close() {
      closing.abort()
      stopRinging()
      await Promise.all([...followed].map((follower) => follower.stop()))
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
async function answered<T>(url: string, request: () => Promise<T>): Promise<T> {
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

/** How the run ended, which life in the engine it has, and why the engine has given it up. */
function stateOf(journal: SignalJournal) {
  return journal.peek((reader) => {
    const root = calledIn(reader, ROOT_PATH)
    const outcome: Outcome | null = (root && blockEndIn(reader, root)?.outcome) ?? null
    const failure = ThinkonError.fromJSON(reader.note<ErrorData>('failure') ?? killed(journal.run))
    return { outcome, generation: generationIn(reader), failure }
  })
}

async function rolesOf(store: SharedStore, run: string): Promise<RoleUsage> {
  const state = emptyState()
  for await (const event of store.read(run)) foldEvent(state, event)
  return state.roles
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
