import { limitError, NOTHING } from '../../kernel/budget.ts'
import type { EffectIo, Performed } from '../../kernel/durable.ts'
import { accumulate, accumulateRole, type EventOf, type Reserve, type Usage } from '../../protocol/index.ts'
import type { Record as OpRecord } from './load.ts'
import type { LocalOp } from './op.ts'
import type { LocalRun } from './run.ts'

/** What an effect gets while it is performed. */
export class StepIo implements EffectIo {
  private readonly localRun: LocalRun
  private readonly op: LocalOp
  private readonly parts: readonly EventOf<'part-end'>[]
  private readonly reserve: Reserve
  private nextPart = 1

  constructor(run: LocalRun, op: LocalOp, record: OpRecord | null, reserve: Reserve) {
    this.localRun = run
    this.op = op
    this.parts = record?.parts ?? NO_PARTS
    op.paidParts = this.parts.length
    this.reserve = reserve
  }

  get run(): string {
    return this.localRun.id
  }

  get path(): string {
    return this.op.block.path
  }

  get n(): number {
    return this.op.n
  }

  get signal(): AbortSignal {
    return this.op.signal
  }

  // Made when they are asked for: a model may take them out of the object, and most need neither.

  get onDelta(): EffectIo['onDelta'] {
    return (text) =>
      this.localRun.delta({ type: 'text-delta', run: this.run, path: this.path, n: this.n, text })
  }

  get part(): EffectIo['part'] {
    return (run) => this.runPart(run)
  }

  private async runPart<T>(run: () => Promise<{ value: T; usage: Performed['usage'] }>): Promise<T> {
    const part = this.nextPart++
    const recorded = this.parts[part - 1]
    if (recorded !== undefined) return recorded.value as T
    if (part > 1) this.holdAgain()
    const { value, usage } = await run()
    await payPart(this.op, part, value, { calls: 1, ...usage })
    return value
  }

  /** The first part is paid from what the step holds; each further one holds as much again (K3). */
  private holdAgain(): void {
    const { block } = this.op
    const limit = this.op.closed ? null : block.ledger.hold(this.reserve, this.localRun.tick())
    if (limit !== null) throw limitError(block.path, limit)
    if (!this.op.closed) this.op.reserve = this.reserve
  }
}

const NO_PARTS: readonly EventOf<'part-end'>[] = []

/** A part of a step that is paid, whatever comes of the step. Resolves when it is recorded. */
function payPart(op: LocalOp, part: number, value: unknown, usage: Usage): Promise<void> {
  const { block } = op
  if (op.closed) return Promise.resolve()
  op.paidParts++
  accumulate(block.usage, usage)
  accumulateRole(block.run.roles, op.role, usage)
  block.ledger.settle(op.reserve, usage)
  op.reserve = NOTHING
  block.append({ type: 'part-end', n: op.n, part, value, usage })
  return new Promise((resolve) => block.run.afterCommit(resolve))
}
