import { attemptOf, type Event, parentPath, placeOf, type Signal } from '../../protocol/index.ts'
import { takenSignal } from '../shared/records.ts'
import type { Inbox } from './inbox.ts'

/** The run, as its blocks look for signals. */
interface LookedRun {
  readonly inbox: Inbox
  readonly catchingUp: boolean
  readonly signals: { attemptAt(path: string): object | undefined }
}

/** How a block looks for signals: messages to it, and redos of its ended children. */
export class Looks {
  /** Number of looks so far. */
  count = 0
  private readonly run: LookedRun
  private readonly path: string
  private children = 0

  constructor(run: LookedRun, path: string) {
    this.run = run
    this.path = path
  }

  /** The block calls a child. */
  called(path: string): void {
    if (attemptOf(path) === 1) this.children++
  }

  /** The signal of this record, if it was taken by this look. */
  recorded(start: Event): Signal | null {
    return start.type === 'signal-taken' && start.look === this.count ? takenSignal(start) : null
  }

  /** The next signal in the inbox for the block, which is then taken. */
  take(): Signal | null {
    const { run, path } = this
    if (run.inbox.isEmpty || run.catchingUp) return null
    return run.inbox.take((one) =>
      one.name === 'redo' ? this.hasEnded(one.path) : one.name === 'message' && one.path === path,
    )
  }

  /** Whether it is a child of this block that was called and has ended. */
  private hasEnded(path: string): boolean {
    if (parentPath(path) !== this.path || this.run.signals.attemptAt(path) !== undefined) return false
    return Number(placeOf(path).slice(this.path.length + 1)) <= this.children
  }
}
