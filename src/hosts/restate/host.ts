/**
 * Runs on a Restate cluster, as a client of it: the blocks are executed by workers (worker.ts), the store is shared with
 * them. A run goes on by itself when its worker or the server comes back; `resume` attaches to it, and brings it back to
 * an engine that has forgotten it.
 *
 * Text as it comes in is not passed on to listeners: it has no way from the worker's process to this one.
 */
import * as clients from '@restatedev/restate-sdk-clients'
import { type SharedStore, unknownRun } from '../../kernel/store.ts'
import { type ErrorData, type EventOf, type Outcome, ROOT_PATH, ThinkonError } from '../../protocol/index.ts'
import type { Host, Kernel, Listener, RunHandle } from '../durable.ts'
import { endsBlock, SignalJournal } from './signals.ts'
import { BLOCK, type BlockApi, keyOf } from './wire.ts'

export interface RestateHostOptions {
  readonly store: SharedStore
  readonly kernel: Pick<Kernel, 'identify'>
  /** Address of the server's ingress. */
  readonly ingress: string
}

/** How often the store is asked for events of runs that somebody listens to. */
const POLL_MS = 20
/** How long to wait before a server that does not answer is asked again. */
const RETRY_MS = 200

export function restateHost({ store, kernel, ingress: url }: RestateHostOptions): Host {
  const ingress = clients.connect({ url })
  const followed = new Set<Follower>()
  let closed = false

  const workflowOf = (run: string, path: string) =>
    ingress.workflowClient<BlockApi>({ name: BLOCK }, keyOf(run, path))

  async function ring(run: string, path: string, name: string, number: number): Promise<void> {
    const parameter = { name, number }
    await ingress.send({ service: BLOCK, handler: 'ring', key: keyOf(run, path), parameter })
  }

  /** A signal is worth ringing for unless its block has ended, or looks by itself when it gets there. */
  async function announce(journal: SignalJournal, path: string, name: string, number: number) {
    const called = journal.called(path)
    if (name === 'message' || (called !== null && journal.blockEnd(called) !== null)) return
    await ring(journal.run, path, name, number)
  }

  async function attach(run: string, listener: Listener | undefined, from: number): Promise<RunHandle> {
    const journal = new SignalJournal(store, run)
    const follower = listener && new Follower(store, run, from, listener)
    if (follower) followed.add(follower)
    if (outcomeOf(journal) === null) {
      await workflowOf(run, ROOT_PATH).workflowSubmit()
      // Lost between the inbox and the bell, or rung in an engine that has forgotten it.
      for (const { path, name, number } of journal.pending()) await announce(journal, path, name, number)
    }
    const outcome = ended(journal).finally(() => {
      follower?.stop()
      if (follower) followed.delete(follower)
    })
    // Whoever asks for the outcome gets the error; a run nobody waits for must not end the process.
    outcome.catch(() => {})
    return { id: run, outcome }
  }

  /** The engine wakes us; how the run ended is in the store. */
  async function ended(journal: SignalJournal): Promise<Outcome> {
    for (;;) {
      const outcome = outcomeOf(journal)
      if (outcome !== null) return outcome
      const failure = await awaitEngine(journal.run)
      if (closed) throw left(journal.run)
      const trouble = journal.note<ErrorData>('trouble')
      if (outcomeOf(journal) !== null || failure === null) continue
      if (trouble !== null) throw ThinkonError.fromJSON(trouble)
      if (failure.status !== undefined && failure.status !== 404) throw killed(journal.run, failure)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  /** Null when the run's workflow has ended. An engine that does not know it is given it again. */
  async function awaitEngine(run: string): Promise<EngineFailure | null> {
    try {
      const workflow = workflowOf(run, ROOT_PATH)
      await workflow.workflowSubmit()
      await workflow.workflowAttach()
      return null
    } catch (thrown) {
      return thrown as EngineFailure
    }
  }

  return {
    async start(spec, listener) {
      const from = store.has(spec.id) ? store.peek(spec.id, ({ seq }) => seq) + 1 : 1
      new SignalJournal(store, spec.id).create(spec, kernel)
      return attach(spec.id, listener, from)
    },
    async resume(run, listener) {
      if (!store.has(run)) throw unknownRun(run)
      return attach(run, listener, store.peek(run, ({ seq }) => seq) + 1)
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
      closed = true
      for (const follower of followed) follower.stop()
    },
  }
}

type EngineFailure = Error & { status?: number }

/** Tells a listener of a run's events as they come into the store. */
class Follower {
  private readonly store: SharedStore
  private readonly run: string
  private readonly listener: Listener
  private readonly timer: NodeJS.Timeout
  private next: number
  private version = -1

  constructor(store: SharedStore, run: string, from: number, listener: Listener) {
    this.store = store
    this.run = run
    this.next = from
    this.listener = listener
    this.timer = setInterval(() => this.tell(), POLL_MS)
  }

  stop(): void {
    clearInterval(this.timer)
    this.tell()
  }

  private tell(): void {
    const version = this.store.version()
    if (version === this.version) return
    this.version = version
    for (const event of this.store.read(this.run, this.next)) {
      this.next = event.seq + 1
      try {
        this.listener(event)
      } catch (error) {
        // A listener's trouble is not the run's.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}

function outcomeOf(journal: SignalJournal): Outcome | null {
  const root = journal.called(ROOT_PATH)
  const end: EventOf<'block-end'> | null = root && journal.blockEnd(root)
  return end?.outcome ?? null
}

function left(run: string): ThinkonError {
  return new ThinkonError('INTERRUPTED', `run ${run} was left; it goes on in the cluster`)
}

function killed(run: string, { message }: Error): ThinkonError {
  return new ThinkonError('INTERNAL', `run ${run} was ended in Restate (${message}): thinkon resume ${run}`, {
    data: { run },
  })
}
