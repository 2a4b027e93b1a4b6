import type { EffectIo } from '../../kernel/durable.ts'
import type { Ephemeral, EventOf, Reserve, RetryNote, ThinkonError } from '../../protocol/index.ts'
import { patiently } from './patiently.ts'
import type { SignalJournal } from './signals.ts'

/** What there is of a step that is performed. */
export interface StepParts {
  readonly signal: AbortSignal
  readonly config: EffectIo['config']
  readonly seed: string
  /** Those that were paid before, by their numbers. */
  readonly parts: ReadonlyMap<number, EventOf<'part-end'>>
  /** Asks to hold `reserve`, or as much as the step, for a part or for the step itself. Null, or why that was refused. */
  hold(part?: number, reserve?: Reserve): Promise<ThinkonError | null>
  say(what: Ephemeral): void
}

/** What an effect gets while it is performed. Text as it comes in is said to whoever hears the run. */
export class StepIo implements EffectIo {
  readonly path: string
  readonly n: number
  readonly signal: AbortSignal
  readonly config: EffectIo['config']
  readonly seed: string
  paidParts: number
  private readonly journal: SignalJournal
  private readonly given: StepParts
  /** The store failed, not the effect: nothing is known of the step's end. */
  failed = false
  private nextPart = 1

  constructor(journal: SignalJournal, path: string, n: number, given: StepParts) {
    this.journal = journal
    this.path = path
    this.n = n
    this.given = given
    this.signal = given.signal
    this.config = given.config
    this.seed = given.seed
    this.paidParts = given.parts.size
  }

  get run(): string {
    return this.journal.run
  }

  // A model may take them out of the object.
  readonly onDelta = (text: string): void => {
    if (text !== '') this.given.say({ type: 'text-delta', run: this.run, path: this.path, n: this.n, text })
  }

  readonly onRetry = (note: RetryNote): void => {
    this.given.say({ type: 'model-retry', run: this.run, path: this.path, n: this.n, ...note })
  }

  paid(): unknown {
    return this.given.parts.get(this.nextPart)?.value
  }

  async part<T>(run: Parameters<EffectIo['part']>[0], reserve?: Reserve): Promise<T> {
    const part = this.nextPart++
    const recorded = this.given.parts.get(part)
    if (recorded !== undefined) return recorded.value as T
    if (part > 1) await this.hold(part, reserve)
    const { value, usage } = await run().catch((error) => {
      // What failed was not paid: another model may be asked for the same part.
      this.nextPart--
      throw error
    })
    const paid = { calls: 1, ...usage }
    await this.recorded(() => this.journal.payPart(this.path, this.n, part, value, paid))
    this.paidParts++
    return value as T
  }

  async hold(part?: number, reserve?: Reserve): Promise<void> {
    const refused = await this.recorded(() => this.given.hold(part, reserve))
    if (refused !== null) throw refused
  }

  private async recorded<T>(record: () => Promise<T>): Promise<T> {
    try {
      return await patiently(record)
    } catch (thrown) {
      this.failed = true
      throw thrown
    }
  }
}
