/**
 * One attempt of a call. It ends with its reply, its failure, an abort or a timeout, whichever comes first. Four limits:
 *
 * 1. `firstByteMs`: from the request to the first sign of life.
 * 2. `idleMs`: between two signs of life. Any byte is one, such as a comment of a server that is still computing.
 * 3. `progressMs`: from one piece of the reply to the next: text, reasoning, a tool call or its arguments. Comments and empty pieces do
 *    not count, so a server that sends only these is given up. Begins with the first sign of life.
 * 4. `attemptMs`: the whole attempt, for a reply that grows too slowly to end.
 *
 * A timeout is retryable. Progress and duration count active time: a machine that sleeps ends no attempt by them.
 */
import { afterActive, type Clock } from '../../kernel/clock.ts'
import type { Model, ModelIo } from '../../kernel/model.ts'
import {
  type ModelReply,
  type ModelRequest,
  type ResilienceSettings,
  ThinkonError,
} from '../../protocol/index.ts'

/** The `io` of an attempt. Text that is not empty counts as a sign of life and as progress by itself. */
export interface AttemptIo extends ModelIo {
  /** A sign of life. */
  alive(): void
  /** The reply has grown, also by a part that is not shown. */
  progress(): void
}

export type AttemptLimits = Required<
  Pick<ResilienceSettings, 'firstByteMs' | 'idleMs' | 'progressMs' | 'attemptMs'>
>

export function oneAttempt(
  model: Model,
  request: ModelRequest,
  io: ModelIo,
  onDelta: (text: string) => void,
  { firstByteMs, idleMs, progressMs, attemptMs }: AttemptLimits,
  clock: Clock,
): Promise<ModelReply> {
  const { signal } = io
  const controller = new AbortController()
  return new Promise((resolve, reject) => {
    let over = false
    let isAlive = false
    const timeOut = (what: string) => () =>
      fail(new ThinkonError('TIMEOUT', `${model.id}: ${what}`, { retryable: true }))
    let stopSilence = clock.after(firstByteMs, timeOut(`nothing came for ${seconds(firstByteMs)}`))
    let stopProgress = () => {}
    const tooLong = `the reply was not complete after ${seconds(attemptMs)} (attemptMs)`
    const stopAttempt = afterActive(clock, attemptMs, timeOut(tooLong))
    const end = () => {
      over = true
      stopSilence()
      stopProgress()
      stopAttempt()
      signal.removeEventListener('abort', onAbort)
    }
    const fail = (error: unknown) => {
      if (over) return
      end()
      reject(error)
      controller.abort(error)
    }
    const onAbort = () => fail(signal.reason)
    const progress = () => {
      if (over) return
      stopProgress()
      const what = `the reply did not grow for ${seconds(progressMs)}, though the connection is alive (progressMs)`
      stopProgress = afterActive(clock, progressMs, timeOut(what))
    }
    const alive = () => {
      if (over) return
      stopSilence()
      stopSilence = clock.after(idleMs, timeOut(`the reply stood still for ${seconds(idleMs)}`))
      if (isAlive) return
      isAlive = true
      progress()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    const attemptIo: AttemptIo = {
      run: io.run,
      path: io.path,
      n: io.n,
      signal: controller.signal,
      onDelta(text) {
        if (over) return
        alive()
        if (text !== '') progress()
        onDelta(text)
      },
      onHidden(text) {
        if (over) return
        alive()
        io.onHidden?.(text)
      },
      part: (run, reserve) => io.part(run, reserve),
      alive,
      progress,
    }
    // An async function, so that a model that throws synchronously is cleaned up after, too.
    const calling = (async () => model.call(request, attemptIo))()
    calling.then((reply) => {
      if (over) return
      end()
      resolve(reply)
    }, fail)
  })
}

export function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}
