import { NO_SIGNALS } from '../../kernel/durable.ts'
import type { Signal } from '../../protocol/index.ts'
import { endsBlockAt } from '../shared/endings.ts'

/** A wait that a signal may answer. */
export interface OpenWait {
  readonly path: string
  readonly name: string
  /** When it ends without a signal; null if it does not. */
  readonly wakeMs: number | null
  answer(): boolean
}

/** Signals that came for a run and were not taken yet, and the waits that are open for some. */
export class Inbox {
  private signals: Signal[] = []
  private readonly waits = new Map<string, OpenWait[]>()
  /** The highest number that came of each path and name. */
  private readonly delivered = new Map<string, number>()

  get isEmpty(): boolean {
    return this.signals.length === 0
  }

  /** Whether a wait is open. */
  get isAwaited(): boolean {
    return this.waits.size > 0
  }

  /** When the first of the open waits ends without a signal; null if none does. */
  get wakeMs(): number | null {
    const times = [...this.waits.values()].flat().flatMap(({ wakeMs }) => wakeMs ?? [])
    return times.length === 0 ? null : Math.min(...times)
  }

  /** False for one that came before. */
  add(signal: Signal): boolean {
    const key = keyOf(signal)
    if (signal.number <= (this.delivered.get(key) ?? 0)) return false
    this.delivered.set(key, signal.number)
    this.signals.push(signal)
    return true
  }

  /** Whether all before it, of its path and name, have come. */
  isNext(signal: Signal): boolean {
    return signal.number === (this.delivered.get(keyOf(signal)) ?? 0) + 1
  }

  /** The oldest wait that is open for the signal. */
  waitFor(signal: Signal): OpenWait | undefined {
    return this.waits.get(keyOf(signal))?.[0]
  }

  /** The first signal that is wanted, which is then no longer in the inbox. */
  take(wanted: (signal: Signal) => boolean): Signal | null {
    if (this.signals.length === 0) return null
    const index = this.signals.findIndex(wanted)
    return index === -1 ? null : (this.signals.splice(index, 1)[0] ?? null)
  }

  /** The first signal that ends the block at `path`; of a redo, all there are. */
  takeEnding(path: string): readonly Signal[] {
    const first = this.take((signal) => endsBlockAt(path, signal))
    if (first === null) return NO_SIGNALS
    const taken = [first]
    const isRedo = (signal: Signal) => signal.name === 'redo' && endsBlockAt(path, signal)
    for (let next = first.name === 'redo' ? this.take(isRedo) : null; next !== null; next = this.take(isRedo))
      taken.push(next)
    return taken
  }

  addWait(wait: OpenWait): void {
    const key = keyOf(wait)
    const waits = this.waits.get(key)
    if (waits) waits.push(wait)
    else this.waits.set(key, [wait])
  }

  removeWait(wait: OpenWait): void {
    const key = keyOf(wait)
    const waits = (this.waits.get(key) ?? []).filter((other) => other !== wait)
    if (waits.length > 0) this.waits.set(key, waits)
    else this.waits.delete(key)
  }
}

function keyOf({ path, name }: { path: string; name: string }): string {
  return `${path} ${name}`
}
