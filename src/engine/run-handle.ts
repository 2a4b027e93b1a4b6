/** A run as its caller sees it: its outcome, its events, and what can be sent to it. */
import { dirname, resolve } from 'node:path'
import { foldOpen } from '../hosts/local/outline.ts'
import type { Listener, RunHandle } from '../kernel/durable.ts'
import { redactDeep } from '../models/secrets.ts'
import { checkArguments } from '../protocol/check-arguments.ts'
import { ENDED, type Event, errorText, ThinkonError } from '../protocol/index.ts'
import { viewsOf } from '../strategies/registry.ts'
import { RUN_METHODS } from '../streams/run-methods.ts'
import { runQuestions } from '../streams/run-questions.ts'
import { runReadings } from '../streams/run-readings.ts'
import type { RunEndingAs } from './api.ts'
import { type OnQuestion, passOn } from './attendance.ts'
import type { EngineParts } from './parts.ts'
import { answerQuestion, listQuestions } from './questions.ts'
import type { Output } from './run-output.ts'
import { typedOutcome } from './schemas/typed-outcome.ts'
import { sendSignal } from './send-signal.ts'
import { runEvents } from './streams/event-stream.ts'

/** What a caller has given for a run. */
export interface Attached {
  /** Makes its value. */
  readonly output: Output | null
  /** Cancels the run when it is aborted. */
  readonly signal: AbortSignal | undefined
  readonly onQuestion: OnQuestion | undefined
  readonly listening: Listening
}

export function runHandle<Ended>(
  parts: EngineParts,
  run: RunHandle,
  { output, signal, onQuestion, listening }: Attached,
): RunEndingAs<Ended> {
  const { host, store } = parts
  const cancel = async (reason = 'cancelled by the caller') => {
    if (host.running(run.id)) await host.cancel(run.id, redactDeep(reason))
  }
  if (signal) {
    // Stop means stop (K7), also if the store can't take the cancel.
    const stop = (reason: string) => cancel(reason).catch((error) => host.running(run.id)?.fail(error))
    cancelOnAbort(run, signal, stop)
  }
  const { written } = listening
  const outcome = (written === undefined ? run.outcome : run.outcome.finally(written)).then(async (ended) => {
    const typed = output === null ? ended : await typedOutcome(ended, run.id, output)
    return { ...typed, roles: run.roles, run: run.id } as Ended
  })
  // Whoever awaits the outcome gets the error; a run that nobody awaits must not end the process.
  outcome.catch(() => {})
  const events = runEvents(store, run.id, () => host.running(run.id))
  const refuseClosed = (method: string) => {
    if (parts.closed.signal.aborted) throw new ThinkonError('BAD_INPUT', `${method}: the engine is closed`)
  }
  const answer = async (value: unknown, { question }: { question?: number } = {}) => {
    refuseClosed('run.answer')
    await answerQuestion(parts, run.id, value, question)
  }
  const asked = runQuestions({
    events,
    last: async () => (await store.row(run.id)).seq,
    open: () => listQuestions(parts, { run: run.id }),
    answer,
  })
  const questions = parts.attendance.of(run.id, asked)
  // Its failure is that of the outcome.
  if (onQuestion !== undefined) passOn(questions, onQuestion).catch(() => {})
  const streamed = { id: run.id, events, outcome, views: () => viewsOf(parts.strategies) }
  return {
    id: run.id,
    outcome,
    get isFollowed() {
      return host.running(run.id)?.isElsewhere ?? false
    },
    events,
    ...runReadings(streamed),
    questions,
    async answer(value, options = {}) {
      checkArguments('run.answer', RUN_METHODS.answer, [value, options])
      await answer(value, options)
    },
    async signal(path, name, value) {
      checkArguments('run.signal', RUN_METHODS.signal, [path, name, value])
      refuseClosed('run.signal')
      if ((ENDED as readonly string[]).includes((await store.row(run.id)).status)) return
      await sendSignal(parts, run.id, path, name, value)
    },
    async cancel(reason) {
      checkArguments('run.cancel', RUN_METHODS.cancel, [reason])
      await cancel(reason)
    },
  }
}

export interface Listening {
  readonly listener: Listener | undefined
  /** Resolves when the files of all that was told are written, and no more are waited for; absent if there are none. */
  written?(): Promise<unknown>
}

/** The caller's listener and, if the run has a workspace, the files that views keep there and beside the store. */
export async function listenerOf(
  { store, strategies, options, files, host }: EngineParts,
  id: string,
  workspace: string | undefined,
  onEvent: Listener | undefined,
): Promise<Listening> {
  if (workspace === undefined) return { listener: onEvent }
  const { runFiles } = await import('./run-files.ts')
  const inFile = typeof options.store === 'string' && options.store !== ':memory:'
  const source = {
    workspace,
    ...(inFile && { storeFolder: dirname(resolve(options.store as string)) }),
    events: () => store.read(id),
    openEvents: async (follow: (event: Event) => void) => void (await foldOpen(store, id, follow)),
  }
  const write = runFiles(source, await viewsOf(strategies))
  let last: Promise<unknown> = Promise.resolve()
  const written = () => last.finally(() => files.delete(written))
  return {
    written,
    listener(event) {
      // The process that works on the run writes its files.
      if (!('seq' in event) || host.running(id)?.isElsewhere) return onEvent?.(event)
      const told = write(event).then((folders) => Promise.all(folders.map((folder) => onEvent?.(folder))))
      last = told.catch(() => {})
      files.add(written)
      // A listener may return a promise, whose failure the host reports.
      return Promise.all([onEvent?.(event), told])
    },
  }
}

function cancelOnAbort(
  run: RunHandle,
  signal: AbortSignal,
  cancel: (reason: string) => Promise<unknown>,
): void {
  const onAbort = () => void cancel(errorText(signal.reason))
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  const forget = () => signal.removeEventListener('abort', onAbort)
  run.outcome.then(forget, forget)
}
