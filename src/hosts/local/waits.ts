/** The waits of a block: asked, answered by the oldest signal of their name, or ended by time. */
import { afterActive } from '../../kernel/clock.ts'
import type { ErrorData, Question, Result } from '../../protocol/index.ts'
import { signalAnswered, signalAsked } from '../shared/events.ts'
import type { OpRecord } from '../shared/records.ts'
import { type OpBlock, Operation } from './op.ts'

export class WaitOp extends Operation {
  readonly kind = 'wait'
  readonly name: string
  wakeMs: number | null = null
  private readonly question: Question | undefined
  private stopTimer: (() => void) | null = null

  constructor(block: OpBlock, n: number, name: string, question: Question | undefined) {
    super(block, n)
    this.name = name
    this.question = question
  }

  get path(): string {
    return this.block.path
  }

  /** Asks, or keeps waiting for what was asked before the process died. */
  begin(timeoutMs: number | undefined, asked: OpRecord | null): void {
    const { run } = this.block
    if (asked === null) {
      this.block.append(signalAsked(this.n, this.name, this.question, timeoutMs))
      if (this.question !== undefined) run.openQuestions++
    }
    run.inbox.addWait(this)
    if (this.answer() || timeoutMs === undefined) return
    if (timeoutMs === 0) this.timeOut()
    else {
      // A person can answer while the run is down, but not while the machine sleeps.
      const passedMs = asked === null ? 0 : Math.max(0, run.clock.nowMs() - Date.parse(asked.start.ts))
      this.wakeMs = run.clock.nowMs() + Math.max(0, timeoutMs - passedMs)
      this.stopTimer = afterActive(run.clock, timeoutMs - passedMs, () => this.timeOut())
    }
  }

  /** Ends the wait with the oldest signal of its name, if there is one. */
  answer(): boolean {
    const { run, path: here } = this.block
    if (this.closed || run.catchingUp) return false
    const signal = run.inbox.take(({ path, name }) => path === here && name === this.name)
    if (signal === null) return false
    this.end({ ok: true, value: signal.value }, signal.number)
    return true
  }

  get idle(): boolean {
    return !this.closed
  }

  stop(error: ErrorData): void {
    this.end({ ok: false, error }, 0)
  }

  abandon(): void {
    this.closed = true
    this.stopTimer?.()
  }

  /**
   * An answer that the store has accepted counts before the time-out; none is accepted after it. So does a signal to a run of workers, which
   * another process may have sent.
   */
  private timeOut(): void {
    const { run, path, name } = this
    run.perform(() => {
      // The store knows a question when it is committed.
      if (this.question !== undefined)
        run.afterCommit({ committed: () => void run.signals.expire(path, name, () => this.endTimedOut()) })
      else if (run.mayLeave) void Promise.resolve(run.receive()).then(() => this.endTimedOut())
      else this.endTimedOut()
    })
  }

  private get run(): OpBlock['run'] {
    return this.block.run
  }

  private endTimedOut(): void {
    if (!this.answer()) this.end({ ok: true, value: this.question?.fallback }, 0)
  }

  private end(result: Result, number: number): void {
    const { block, n, name } = this
    const { run, ledger } = block
    if (this.closed || run.over) return
    this.closed = true
    this.stopTimer?.()
    run.inbox.removeWait(this)
    const left = ledger.left(run.tick())
    const atMs = block.append(signalAnswered(n, name, number, result, left), true)
    if (this.question !== undefined) run.openQuestions--
    this.endAppended(result, atMs, left)
    run.afterCommit(this)
  }
}
