import type { EffectIo, Performed } from '../../kernel/durable.ts'
import type { EventOf, Reserve, Usage } from '../../protocol/index.ts'
import type { OpBlock } from './op.ts'

/** The step that an effect is performed for. */
export interface PerformedStep {
  readonly block: OpBlock
  readonly n: number
  readonly signal: AbortSignal
  /** It has ended: what the effect still says is not heard. */
  readonly closed: boolean
  holdAgain(part: number, reserve?: Reserve): Promise<void>
  payPart(part: number, value: unknown, usage: Usage): Promise<void>
}

/** What an effect gets while it is performed; `parts` were paid by an earlier process. */
export class StepIo implements EffectIo {
  private readonly step: PerformedStep
  private readonly parts: readonly EventOf<'part-end'>[]
  private nextPart = 1

  constructor(step: PerformedStep, parts: readonly EventOf<'part-end'>[]) {
    this.step = step
    this.parts = parts
  }

  get run(): string {
    return this.step.block.run.id
  }

  get config(): EffectIo['config'] {
    return this.step.block.run.spec.config
  }

  get seed(): string {
    return this.step.block.run.spec.seed
  }

  get path(): string {
    return this.step.block.path
  }

  get n(): number {
    return this.step.n
  }

  get signal(): AbortSignal {
    return this.step.signal
  }

  // Made when they are asked for: a model may take them out of the object, and most need neither.

  get onDelta(): EffectIo['onDelta'] {
    const { run, path, n } = this
    return (text) => {
      if (this.step.closed || text === '') return
      this.step.block.run.tellNow({ type: 'text-delta', run, path, n, text })
    }
  }

  get onRetry(): NonNullable<EffectIo['onRetry']> {
    const { run, path, n } = this
    return (note) => {
      if (!this.step.closed) this.step.block.run.tellNow({ type: 'model-retry', run, path, n, ...note })
    }
  }

  get part(): EffectIo['part'] {
    return (run, reserve) => this.runPart(run, reserve)
  }

  paid(): unknown {
    return this.parts[this.nextPart - 1]?.value
  }

  private async runPart<T>(
    run: () => Promise<{ value: T; usage: Performed['usage'] }>,
    reserve?: Reserve,
  ): Promise<T> {
    const part = this.nextPart++
    const recorded = this.parts[part - 1]
    if (recorded !== undefined) return recorded.value as T
    if (part > 1) await this.step.holdAgain(part, reserve)
    const { value, usage } = await run().catch((error) => {
      // What failed was not paid: another model may be asked for the same part.
      this.nextPart--
      throw error
    })
    await this.step.payPart(part, value, { calls: 1, ...usage })
    return value
  }
}
