/** How signals reach a run: from the store's inbox, or from the process that sent them. They answer waits and end blocks. */
import { whenFree } from '../../kernel/when-free.ts'
import { placeOf, type Signal } from '../../protocol/index.ts'
import { endsBlock } from '../shared/endings.ts'
import type { RunStore } from './commits.ts'
import { Inbox } from './inbox.ts'

interface SignalledBlock {
  readonly path: string
  /** Takes a signal from the inbox that ends the block. True if there was one. */
  interrupt(): boolean
}

/** The run, as its signals see it. */
export interface SignalledRun {
  readonly id: string
  /** Under way. */
  readonly blocks: Iterable<SignalledBlock>
  readonly catchingUp: boolean
  readonly over: boolean
  /** The store has failed. */
  fail(error: unknown): void
}

export class Signals {
  readonly inbox = new Inbox()
  private readonly run: SignalledRun
  private readonly store: RunStore

  constructor(run: SignalledRun, store: RunStore) {
    this.run = run
    this.store = store
  }

  /** Takes in new signals from the store's inbox: at once, unless the store's answer comes later. */
  receive(): void | Promise<void> {
    if (this.isClosed) return
    return this.withPending((signals) => this.deliver(signals))
  }

  /** Takes in a signal that was sent here. False if signals before it were not seen yet. */
  takeIn(signal: Signal): boolean {
    if (this.isClosed || !this.inbox.isNext(signal)) return false
    this.deliver([signal])
    return true
  }

  /** Closes a question to answers, takes in one that was accepted before, and calls back. */
  async expire(path: string, name: string, then: () => void): Promise<void> {
    const { run, store } = this
    if (run.over) return
    try {
      const isOpen = whenFree(
        () => store.expire(run.id, path, name),
        () => run.over,
      )
      if (!(isOpen instanceof Promise ? await isOpen : isOpen)) await this.receive()
      then()
    } catch (error) {
      run.fail(error)
    }
  }

  /** Calls back with the signals in the store's inbox. */
  withPending(take: (signals: readonly Signal[]) => void): void | Promise<void> {
    const { run, store } = this
    try {
      const signals = whenFree(() => store.pending(run.id))
      if (!(signals instanceof Promise)) take(signals)
      else return signals.then(take).catch((error) => run.fail(error))
    } catch (error) {
      run.fail(error)
    }
  }

  /** All are in the inbox before the first takes effect: of several redos the latest counts. */
  deliver(signals: readonly Signal[]): void {
    if (this.isClosed) return
    for (const signal of signals.filter((one) => this.inbox.add(one))) {
      const { path, name } = signal
      const wait = this.inbox.waitFor(signal)
      if (wait !== undefined) wait.answer()
      else if (endsBlock(name)) (name === 'redo' ? this.attemptAt(path) : this.blockAt(path))?.interrupt()
      if (this.run.over) return
    }
  }

  /** The attempt at the block's place that is under way. */
  attemptAt(path: string): SignalledBlock | undefined {
    const place = placeOf(path)
    for (const block of this.run.blocks) if (placeOf(block.path) === place) return block
    return undefined
  }

  private blockAt(path: string): SignalledBlock | undefined {
    for (const block of this.run.blocks) if (block.path === path) return block
    return undefined
  }

  private get isClosed(): boolean {
    return this.run.catchingUp || this.run.over
  }
}
