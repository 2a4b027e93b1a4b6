/**
 * Tells a listener of a run's events as they come into the store, and of what is said meanwhile (text as it comes in, failed attempts): that
 * is told after the start of the step that it is about, and not after its end.
 */
import type { Listener } from '../../kernel/durable.ts'
import type { Said, SharedStore } from '../../kernel/store.ts'
import type { Ephemeral, Event } from '../../protocol/index.ts'
import { isOpEnd } from '../shared/records.ts'
import { tell } from '../shared/tell.ts'

/** What was said before its step's start was read waits for that. */
const MAX_WAITING = 1_000
/** What was said before a step's end may arrive after it. */
const MAX_ENDED = 1_000

export class Follower {
  private readonly store: SharedStore
  private readonly run: string
  private readonly listener: Listener
  private readonly ends: readonly (() => void)[]
  private next: number
  /** What is being told; the next one waits for it. */
  private telling: Promise<void> = Promise.resolve()
  /** Whether something may have come that nobody is about to read. */
  private changed = false
  private waiting: Said[] = []
  /** Steps that ended last. */
  private readonly ended = new Set<string>()

  constructor(store: SharedStore, run: string, from: number, listener: Listener) {
    this.store = store
    this.run = run
    this.next = from
    this.listener = listener
    this.ends = [store.watch(run, () => this.look()), store.hear(run, (said) => this.heard(said))]
    this.look()
  }

  /** Tells what is there, and no more. */
  async stop(): Promise<void> {
    for (const end of this.ends) end()
    this.look()
    await this.telling
  }

  private look(): void {
    if (this.changed) return
    this.changed = true
    this.telling = this.telling.then(() => this.tell())
  }

  /** What can't be read now is read the next time; whoever awaits the outcome learns of a store that fails. */
  private async tell(): Promise<void> {
    this.changed = false
    try {
      for await (const event of this.store.read(this.run, this.next)) {
        this.next = event.seq + 1
        if (isOpEnd(event)) this.stepEnded(event)
        tell(this.listener, event)
        this.tellWaiting()
      }
    } catch {}
  }

  private stepEnded(event: Event & { n: number }): void {
    this.ended.add(stepOf(event))
    if (this.ended.size > MAX_ENDED) for (const first of this.ended) return void this.ended.delete(first)
  }

  private heard(said: Said): void {
    if (said.seq >= this.next) {
      this.waiting.push(said)
      if (this.waiting.length > MAX_WAITING) this.waiting.shift()
      this.look()
    } else this.tellSaid(said)
  }

  private tellWaiting(): void {
    if (this.waiting.length === 0) return
    const waiting = this.waiting
    this.waiting = waiting.filter(({ seq }) => seq >= this.next)
    for (const said of waiting) if (said.seq < this.next) this.tellSaid(said)
  }

  private tellSaid({ what }: Said): void {
    if ('n' in what && this.ended.has(stepOf(what))) return
    tell(this.listener, what)
  }
}

function stepOf({ path, n }: { path: string; n: number } & Partial<Event | Ephemeral>): string {
  return `${path} ${n}`
}
