/**
 * Bells: a signal is in the inbox of the store, and the engine is told, so that who waits for it wakes. Ringing twice, or early, does no harm.
 *
 * A server that is down is not waited for: which signals nobody has rung for is in the store, and every process of the cluster rings for what
 * others left, so that a signal arrives when the server is back, whatever has become of its sender.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { SharedStore } from '../../kernel/store.ts'
import { type Signal, ThinkonError } from '../../protocol/index.ts'
import { blockEndIn, calledIn, generationIn } from './journal.ts'
import { latestAttempt } from './signals.ts'
import { type Bell, BLOCK, keyOf } from './wire.ts'

export interface Bells {
  /** Throws if the server does not take it; the signal stays among those that nobody has rung for. */
  ring(run: string, signal: Omit<Signal, 'value'>): Promise<void>
  /** Rings, from now on, for what nobody has rung for. Ends with what it returns. */
  keepRinging(): () => void
}

/** How often it is looked whether there is something to ring for; whoever sent it has had so long to do it. */
const LOOK_MS = 500
/** A server that has not answered by then hangs. */
const ANSWER_MS = 5_000

export function bells(store: SharedStore, ingress: string): Bells {
  async function ring(run: string, signal: Omit<Signal, 'value'>): Promise<void> {
    const { path, name, number } = signal
    const key = await workflowFor(store, run, signal)
    if (key !== null) await send(ingress, key, { name, number })
    await store.rung(run, path, name, number)
  }

  async function ringForAll(): Promise<void> {
    for (const { run, signal } of await store.unrung(Date.now() - LOOK_MS)) {
      // One that the server refuses must not keep the others from being heard.
      await ring(run, signal).catch((thrown) => {
        if (!ThinkonError.isInstance(thrown)) throw thrown
      })
    }
  }

  return {
    ring,
    keepRinging() {
      const ended = new AbortController()
      const { signal } = ended
      const work = async () => {
        while (!signal.aborted) {
          // Not all processes at the same time.
          await pause(LOOK_MS * (1 + Math.random()), undefined, { signal, ref: false })
          // The server or the store is down: they are looked for again.
          await ringForAll().catch(() => {})
        }
      }
      work().catch(() => {})
      return () => ended.abort()
    },
  }
}

/** The key of the workflow that the signal is for; null if its block has ended, or looks by itself when it gets there. */
function workflowFor(
  store: SharedStore,
  run: string,
  { path: to, name }: Omit<Signal, 'value'>,
): Promise<string | null> {
  return store.peek(run, (reader) => {
    const path = name === 'redo' ? (latestAttempt(reader, to)?.spec.path ?? to) : to
    const called = calledIn(reader, path)
    if (name === 'message' || (called !== null && blockEndIn(reader, called) !== null)) return null
    return keyOf({ run, generation: generationIn(reader), path })
  })
}

async function send(ingress: string, key: string, bell: Bell): Promise<void> {
  const answer = await fetch(`${ingress.replace(/\/$/, '')}/${BLOCK}/${encodeURIComponent(key)}/ring/send`, {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(bell),
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  if (!answer.ok)
    throw new ThinkonError('INTERNAL', `the Restate server does not take a signal: ${await answer.text()}`)
  await answer.arrayBuffer()
}
