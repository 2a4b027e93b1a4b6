import type { Listener } from '../../kernel/durable.ts'
import type { SharedStore } from '../../kernel/store.ts'
import { tell } from '../shared/tell.ts'

/** How often the store is asked for new events. */
const POLL_MS = 20

/** Tells a listener of a run's events as they come into the store. */
export class Follower {
  private readonly store: SharedStore
  private readonly run: string
  private readonly listener: Listener
  private readonly timer: NodeJS.Timeout
  private next: number
  private version = -1
  private stopped = false

  constructor(store: SharedStore, run: string, from: number, listener: Listener) {
    this.store = store
    this.run = run
    this.next = from
    this.listener = listener
    this.timer = setInterval(() => this.tell(), POLL_MS)
  }

  /** Tells what is there, and no more. */
  stop(): void {
    if (this.stopped) return
    this.stopped = true
    clearInterval(this.timer)
    this.tell()
  }

  /** What can't be read now is read the next time; whoever awaits the outcome learns of a store that fails. */
  private tell(): void {
    try {
      const version = this.store.version()
      if (version === this.version) return
      for (const event of this.store.read(this.run, this.next)) {
        this.next = event.seq + 1
        tell(this.listener, event)
      }
      this.version = version
    } catch {
      this.version = -1
    }
  }
}
