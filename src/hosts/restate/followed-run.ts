/** A run of a cluster that this process follows: what is told of it is passed on to all who listen, in the order in which it came. */
import type { Listener, RunningRun, RunTelling } from '../../kernel/durable.ts'
import type { SharedStore } from '../../kernel/store.ts'
import type { Ephemeral, Event, Outcome, TextDelta } from '../../protocol/index.ts'
import { tell } from '../shared/tell.ts'
import { Follower } from './follower.ts'

export class FollowedRun implements RunningRun {
  readonly telling: Told
  readonly outcome: Promise<Outcome>
  /** Resolves when all is told. */
  readonly followed: Promise<void>
  private failed: (error: unknown) => void = () => {}

  constructor(store: SharedStore, run: string, seq: number, outcome: Promise<Outcome>) {
    const told = new Told(seq)
    this.telling = told
    const follower = new Follower(store, run, seq + 1, (event) => told.tell(event))
    const stop = () => follower.stop()
    const left = new Promise<never>((_, reject) => {
      this.failed = reject
    })
    this.outcome = Promise.race([outcome, left]).finally(stop)
    this.followed = this.outcome.then(
      () => {},
      () => {},
    )
  }

  fail(error: unknown): void {
    this.failed(error)
  }
}

class Told implements RunTelling {
  seq: number
  /** Replaced when one comes or goes: whoever comes while something is told does not get that. */
  private listeners: readonly Listener[] = []
  /** The text of replies under way, as far as it was told. */
  private readonly writing = new Map<string, TextDelta>()

  constructor(seq: number) {
    this.seq = seq
  }

  listen(listener: Listener): () => void {
    this.listeners = [...this.listeners, listener]
    return () => {
      this.listeners = this.listeners.filter((other) => other !== listener)
    }
  }

  textsUnderWay(): TextDelta[] {
    return [...this.writing.values()].map((text) => ({ ...text }))
  }

  tell(event: Event | Ephemeral): void {
    if ('seq' in event) this.seq = event.seq
    if (event.type === 'text-delta') this.keepText(event)
    else if (event.type === 'model-end') this.writing.delete(`${event.path} ${event.n}`)
    for (const listener of this.listeners) tell(listener, event)
  }

  private keepText(delta: TextDelta): void {
    const key = `${delta.path} ${delta.n}`
    const known = this.writing.get(key)
    if (known === undefined) this.writing.set(key, { ...delta })
    else known.text += delta.text
  }
}
