/**
 * How a block begins: a new one in its turn, when the budget has room for it; one with a record at once, as recorded. One that can't be
 * solved (its strategy is not here, or a limit is reached) is recorded and ends.
 */
import { closingReserve, type Lack, Ledger, limitError, NOTHING } from '../../kernel/budget.ts'
import type { BlockAnswer, BlockSpec } from '../../kernel/durable.ts'
import { type EventOf, errorData, type Left, type Reserve } from '../../protocol/index.ts'
import type { BlockApplicant } from '../shared/admission.ts'
import { blockStart } from '../shared/events.ts'
import { FAILED_VERSION } from '../shared/records.ts'
import type { RecordedBlock } from './recorded.ts'
import type { LocalRun } from './run.ts'
import type { Starting } from './starts.ts'

export interface Begun {
  readonly startedAtMs: number
  readonly left: Left
  /** The deepest level allowed below it. */
  readonly maxLevel: number
}

/** The block that begins. */
export interface BeginningBlock {
  readonly run: LocalRun
  readonly spec: BlockSpec
  readonly level: number
  readonly ledger: Ledger
  /** It was ended meanwhile, or its run has stopped. */
  readonly over: boolean
  solve(begun: Begun): void
  end(answer: BlockAnswer): void
}

export class Beginning implements BlockApplicant, Starting {
  readonly level: number
  readonly ledger: Ledger
  /** Kept back for closing. */
  kept: Reserve = NOTHING
  private readonly owner: BeginningBlock
  /** The number of the call in the parent. */
  private readonly n: number
  private readonly recorded: RecordedBlock | undefined
  /** Its closing reserve if it is admitted, of the budget that was free when its needs were computed. */
  private closing: Reserve = NOTHING
  /** The strategy's identity, while it waits for its turn. */
  private waitsAs: string | null = null
  private isInTurn = false

  constructor(owner: BeginningBlock, n: number, recorded: RecordedBlock | undefined) {
    this.owner = owner
    this.level = owner.level
    this.ledger = owner.ledger
    this.n = n
    this.recorded = recorded
  }

  begin(): void {
    const { run } = this.owner
    const recorded = this.recorded?.start
    const identity = this.identify(recorded)
    if (identity === null) return
    if (recorded !== undefined) {
      this.restart(recorded, identity)
      return
    }
    this.waitsAs = identity
    this.isInTurn = run.catchingUp
    if (this.isInTurn) run.admission.block(this)
    else run.starts.add(this)
  }

  /** Its turn among the blocks that begin. */
  start(): void {
    this.isInTurn = true
    if (this.waitsAs !== null && !this.owner.over) this.owner.run.admission.block(this)
  }

  needs(): Reserve {
    const { admission } = this.owner.run
    this.closing = closingReserve(this.ledger.free(), admission.closingTokens)
    return admission.roomWith(this.closing)
  }

  admit(activeMs: number): void {
    const { ledger, owner } = this
    if (owner.spec.limits !== undefined) ledger.startAt(activeMs)
    const lack = this.tooDeep ?? ledger.lackOf(NOTHING, activeMs)
    if (lack === null) this.kept = this.closing
    ledger.keep(this.kept)
    const left = this.append(this.kept, activeMs)
    this.solve(owner.run.atMs, left, lack)
  }

  /** It waits for room in the budget. */
  get isWaiting(): boolean {
    return this.waitsAs !== null && this.isInTurn
  }

  /** It is ended from outside: if it has not begun, its record is a start that holds nothing. */
  withdraw(): void {
    if (this.waitsAs === null) return
    const { run } = this.owner
    run.admission.withdraw(this)
    this.append(NOTHING, run.tick())
  }

  takeKept(): Reserve {
    const { kept } = this
    this.kept = NOTHING
    return kept
  }

  private append(kept: Reserve, activeMs: number): Left {
    const { run, spec } = this.owner
    const identity = this.waitsAs as string
    this.waitsAs = null
    const left = this.ledger.left(activeMs)
    run.appendPlaced(blockStart(spec, this.n, identity, kept, left, spec.path, run.atMs), false)
    return left
  }

  /** Its limit is checked again: a fork can cut between a refusal's start and its end. */
  private restart(recorded: EventOf<'block-start'>, identity: string): void {
    const { ts, left, kept } = recorded
    this.owner.run.tick()
    this.kept = kept
    this.repeat(recorded, identity)
    this.solve(Date.parse(ts), left, this.tooDeep)
  }

  private repeat(recorded: EventOf<'block-start'>, identity: string): void {
    const { run, spec } = this.owner
    const { path } = spec
    run.repeated(path, recorded, blockStart(spec, this.n, identity, recorded.kept, recorded.left, path))
  }

  private get tooDeep(): Pick<Lack, 'limit'> | null {
    return this.level > this.maxLevel ? { limit: 'depth' } : null
  }

  /** The limit of depth when it started holds, though it may have been raised. */
  private get maxLevel(): number {
    return Math.min(this.ledger.maxLevel, this.recorded?.maxDepth ?? Number.POSITIVE_INFINITY)
  }

  private solve(startedAtMs: number, left: Left, lack: Pick<Lack, 'limit'> | null): void {
    const { owner, maxLevel } = this
    if (lack === null) {
      owner.solve({ startedAtMs, left, maxLevel })
      return
    }
    const { code, message } = limitError(owner.spec.path, lack)
    owner.end({ status: 'partial', result: '', reason: message, code, limit: lack.limit })
  }

  /** Null if its strategy is not here: then it has failed. */
  private identify(recorded: EventOf<'block-start'> | undefined): string | null {
    const { run, spec } = this.owner
    try {
      return run.kernel.identify(spec.strategy)
    } catch (thrown) {
      const { code, message } = errorData(thrown, 'NO_SUCH_STRATEGY')
      this.waitsAs = `${spec.strategy}${FAILED_VERSION}`
      if (recorded === undefined) this.append(NOTHING, run.tick())
      else this.repeat(recorded, this.waitsAs)
      this.waitsAs = null
      this.owner.end({ status: 'failed', result: '', reason: message, code })
      return null
    }
  }
}

/** The ledger of a child: a new one if it has limits, else its parent's. */
export function ledgerOf(
  { limits }: BlockSpec,
  { run, level, ledger }: Pick<BeginningBlock, 'run' | 'level' | 'ledger'>,
  recorded: RecordedBlock | undefined,
): Ledger {
  if (limits === undefined) return ledger
  // In a replay nothing is spent: refusals are in the records.
  const own = run.isReplay ? { depth: limits.depth ?? Number.POSITIVE_INFINITY } : limits
  return new Ledger(ledger, own, level + 1, recorded?.startedMs ?? run.tick(), recorded?.used)
}
