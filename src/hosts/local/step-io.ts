import { NOTHING } from '../../kernel/budget.ts'
import { accumulate, type EventOf, type Usage } from '../../protocol/index.ts'
import type { EffectIo, Performed } from '../durable.ts'
import type { Record as OpRecord } from './load.ts'
import type { LocalOp } from './op.ts'
import type { LocalRun } from './run.ts'

/** What an effect gets while it is performed. */
export class StepIo implements EffectIo {
  private readonly localRun: LocalRun
  private readonly op: LocalOp
  private readonly parts: readonly EventOf<'part-end'>[]
  private nextPart = 1

  constructor(run: LocalRun, op: LocalOp, record: OpRecord | null) {
    this.localRun = run
    this.op = op
    this.parts = record?.parts ?? NO_PARTS
    op.paidParts = this.parts.length
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

  onDelta(text: string): void {
    this.localRun.delta({ type: 'text-delta', run: this.run, path: this.path, n: this.n, text })
  }

  async part<T>(run: () => Promise<{ value: T; usage: Performed['usage'] }>): Promise<T> {
    const part = this.nextPart++
    const recorded = this.parts[part - 1]
    if (recorded !== undefined) return recorded.value as T
    const { value, usage } = await run()
    await payPart(this.op, part, value, { calls: 1, ...usage })
    return value
  }
}

const NO_PARTS: readonly EventOf<'part-end'>[] = []

/** A part of a step that is paid, whatever comes of the step. Resolves when it is recorded. */
function payPart(op: LocalOp, part: number, value: unknown, usage: Usage): Promise<void> {
  const { block } = op
  if (op.closed) return Promise.resolve()
  op.paidParts++
  accumulate(block.usage, usage)
  block.ledger.settle(NOTHING, usage)
  block.append({ type: 'part-end', n: op.n, part, value, usage })
  return new Promise((resolve) => block.run.afterCommit(resolve))
}
