/**
 * One transaction on a run: its records, its books, and who waits for room in them (K3).
 *
 * 1. Whoever gives something back admits, in the same transaction, who fits now: the start of a step or a block is written by
 *    whichever process does that. Those who wait look for it.
 * 2. What waits has a note in place of its start, which is the start as it will be, and a place in the queue.
 * 3. What a step holds, and which worker performs it, is in a note: its start can't change, and what it holds can (parts; a worker
 *    that died).
 */
import { closingReserve, type Lack, type Ledger, limitError, NOTHING } from '../../kernel/budget.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { BlockAnswer, BlockSpec } from '../../kernel/durable.ts'
import type { RecordKind, SharedTransaction } from '../../kernel/store.ts'
import {
  type ErrorData,
  type Event,
  type EventBody,
  type EventOf,
  isInside,
  type Limits,
  type LostStep,
  levelOf,
  NO_USAGE,
  parentPath,
  type Reserve,
  type Result,
  ROOT_PATH,
  type Usage,
} from '../../protocol/index.ts'
import { Admission, type Applicant, type BlockApplicant, beyond, type Learned } from '../shared/admission.ts'
import { lostUsage, ONE_CALL } from '../shared/endings.ts'
import { type BlockEnding, blockEnd, outcomeOf, runResume, stepEnd } from '../shared/events.ts'
import { raisedLimits } from '../shared/raise-limits.ts'
import { Books } from './books.ts'

/** Where a root's call would be recorded, if it had a parent. */
export const NO_PARENT = ''

export type StepEnd = EventOf<'model-end' | 'tool-end'>

/** The start of a step or a block, before the store gives it its number. */
export type StartBody = EventBody & { type: 'model-start' | 'tool-start' | 'block-start' } & { path: string }
type StepBody = StartBody & { type: 'model-start' | 'tool-start' }
type BlockBody = StartBody & { type: 'block-start' }

/** What a worker needs to execute a block that another process called. */
export interface CalledBlock {
  readonly n: number
  readonly spec: BlockSpec
}

/** An open step: what it holds, and which worker performs it. */
export interface Hold {
  readonly held: Reserve
  readonly by: string | null
  /** It may not go on before it holds something again. */
  readonly waits?: boolean
  /** It asked to hold something again, in vain. */
  readonly refused?: ErrorData
}

export const NO_HOLD: Hold = { held: NOTHING, by: null }

interface WaitingStep {
  readonly path: string
  readonly n: number
  readonly reserve: Reserve
  readonly closing: boolean
  /** It has a start, and asks to hold once more: for this part of it, or because its worker died. */
  readonly begun: boolean
  readonly part?: number | undefined
}

export interface Turns {
  readonly steps: readonly WaitingStep[]
  /** Their paths. */
  readonly blocks: readonly string[]
  readonly learned: Learned
}

export class Desk {
  readonly books: Books
  readonly admission: Admission<StepApplicant, ChildApplicant>
  private readonly tx: SharedTransaction
  private readonly turns: string
  /** Asked for in this transaction, and not begun yet. */
  private readonly asked = new Map<string, StartBody>()

  /** `active`: whether the time since the last event counts. */
  constructor(tx: SharedTransaction, active = true) {
    this.tx = tx
    this.books = new Books(tx, systemClock.nowMs(), active)
    const turns = tx.note<Turns>('turns')
    this.admission = new Admission(
      () => this.books.clock.activeMs,
      () => {},
      turns?.learned,
    )
    for (const step of turns?.steps ?? []) this.admission.steps.add(new StepApplicant(this, step))
    for (const path of turns?.blocks ?? []) this.admission.blocks.push(new ChildApplicant(this, path))
    this.turns = this.written
  }

  save(): void {
    // Where nothing has happened, the clock stays as it was.
    if (this.books.isTouched) this.books.save(this.tx)
    for (const [key, start] of this.asked) this.tx.setNote(key, start)
    const { written } = this
    if (written !== this.turns) this.tx.setNote('turns', JSON.parse(written))
  }

  append(path: string, body: EventBody, at?: { path: string; n: number; kind: RecordKind }): Event {
    return this.tx.append({ ...body, path, ...this.books.stamp() }, at)
  }

  /** Steps that can't go on before they may hold something. */
  get waitingSteps(): readonly WaitingStep[] {
    return [...this.admission.steps].map(({ at }) => at)
  }

  /** Nothing is under way that could give something back, unless a block is just being executed. */
  get isIdle(): boolean {
    const { openSteps, openQuestions } = this.books.clock
    return openQuestions === 0 && openSteps === this.waitingSteps.filter(({ begun }) => begun).length
  }

  /** Raises the run's limits, before anything else is done; the new ones, if one was raised. */
  raise(run: string, budget: Partial<Limits> | undefined): Limits | undefined {
    const limits = raisedLimits({ run, limits: this.books.limits }, budget)
    if (limits !== undefined) this.books.raise(limits)
    return limits
  }

  // --- steps

  /** Begins the step, or has it wait, or refuses it. */
  beginStep(start: StepBody): void {
    const { path, n, reserve } = start
    const closing = start.type === 'model-start' && start.closing === true
    this.asked.set(queuedKey(path, n), start)
    this.admission.step(new StepApplicant(this, { path, n, reserve, closing, begun: false }))
  }

  /** What it still holds, for a part that failed, it gives back. */
  holdAgain(path: string, n: number, reserve: Reserve, part?: number): void {
    const { held, by } = this.hold(path, n)
    this.books.of(path).settle(held, NO_USAGE)
    this.setHold(path, n, { held: NOTHING, by, waits: true })
    this.admission.step(new StepApplicant(this, { path, n, reserve, closing: false, begun: true, part }))
  }

  hold(path: string, n: number): Hold {
    return this.tx.note<Hold>(holdKey(path, n)) ?? NO_HOLD
  }

  setHold(path: string, n: number, hold: Hold | null): void {
    this.tx.setNote(holdKey(path, n), hold)
  }

  admitStep({ path, n, reserve, closing, begun, part }: WaitingStep): void {
    const account = this.books.of(path)
    if (!begun) {
      if (closing) account.releaseKept()
      const { type } = this.startStep(path, n, reserve)
      if (type === 'model-start') this.admission.learn(reserve, closing)
    }
    account.hold(reserve)
    this.setHold(path, n, { held: reserve, by: begun ? this.hold(path, n).by : null })
    if (part !== undefined) this.append(path, { type: 'part-start', n, part, reserve })
  }

  refuseStep({ path, n, begun }: WaitingStep, lack: Lack): void {
    const error = limitError(path, lack).toJSON()
    if (begun) this.setHold(path, n, { held: NOTHING, by: this.hold(path, n).by, refused: error })
    else {
      this.startStep(path, n, NOTHING)
      this.endStep(path, n, { ok: false, error })
    }
  }

  /** Without `usage` it has cost the call that it held, if it held one. */
  endStep(path: string, n: number, result: Result, usage?: Usage): StepEnd {
    this.leave((at) => at.path === path && at.n === n)
    const start = this.tx.find(path, n, 'start') ?? this.startStep(path, n, NOTHING)
    const { held } = this.hold(path, n)
    const spent = usage ?? (held.calls > 0 ? ONE_CALL : NO_USAGE)
    const account = this.books.of(path)
    account.settle(held, spent)
    this.setHold(path, n, null)
    this.books.clock.openSteps--
    const kind = start.type === 'model-start' ? 'model' : 'tool'
    const body = stepEnd(kind, n, result, spent, account.left)
    const end = this.append(path, body, { path, n, kind: 'end' }) as StepEnd
    this.admission.next()
    return end
  }

  payPart(path: string, n: number, part: number, value: unknown, usage: Usage): void {
    const { held, by } = this.hold(path, n)
    this.books.of(path).settle(held, usage)
    this.setHold(path, n, { held: NOTHING, by })
    const body = { type: 'part-end' as const, n, part, value, usage }
    this.append(path, body, { path, n, kind: `part-${part}` })
    this.admission.next()
  }

  /** These steps were with a worker that died: what they hold is spent, and they do not wait any more. */
  takeFromDead(steps: readonly { path: string; n: number }[], epoch: number): void {
    const lost: LostStep[] = []
    for (const { path, n } of steps) {
      const { held, waits = false } = this.hold(path, n)
      const isLost = held.calls > 0
      this.setHold(path, n, { held: NOTHING, by: null, waits: waits || isLost })
      if (!isLost) continue
      const usage = lostUsage(held)
      this.books.of(path).settle(held, usage)
      lost.push({ path, n, usage })
    }
    this.leave((at) => steps.some(({ path, n }) => at.path === path && at.n === n))
    if (lost.length > 0) this.append(ROOT_PATH, runResume(epoch, lost))
    this.admission.next()
  }

  private startStep(path: string, n: number, reserve: Reserve): Event {
    const body = { ...this.takeQueued<StepBody>(path, n), reserve }
    this.books.clock.openSteps++
    return this.append(path, body, { path, n, kind: 'start' })
  }

  // --- blocks

  /** Begins the block, or has it wait. One that can't be solved does not apply: it is to be ended. */
  callBlock(start: BlockBody, applies: boolean): void {
    this.asked.set(queuedKey(parentPath(start.path) ?? NO_PARENT, start.n), start)
    if (applies) this.admission.block(new ChildApplicant(this, start.path))
  }

  admitBlock(path: string): void {
    const account = this.books.of(path)
    account.startNow()
    const lack = account.refusal
    if (lack === null) account.keep(this.closingOf(path))
    this.startBlock(path)
    if (lack === null) return
    const { code, message } = limitError(path, lack)
    const { limit } = lack
    this.endBlock(path, { status: 'partial', result: '', reason: message, code, limit }, {})
  }

  /** What a block keeps back for closing, of what is free now. */
  closingOf(path: string): Reserve {
    return closingReserve(this.books.of(path).free, this.admission.closingTokens)
  }

  /** The block's end, and with the root's that of the run. */
  endBlock(path: string, answer: BlockAnswer, ending: BlockEnding): EventOf<'block-end'> {
    const { n } = this.tx.note<CalledBlock>(`block ${path}`) as CalledBlock
    const at = { path: parentPath(path) ?? NO_PARENT, n }
    this.leave((waiting) => isInside(waiting.path, path))
    if (this.tx.find(at.path, n, 'start') === null) this.startBlock(path)
    const account = this.books.of(path)
    account.releaseKept()
    const outcome = outcomeOf(answer, account.usage)
    const end = this.append(path, blockEnd(n, outcome, account.left, ending), { ...at, kind: 'end' })
    if (path === ROOT_PATH) this.append(path, { type: 'run-end', status: outcome.status })
    this.admission.next()
    return end as EventOf<'block-end'>
  }

  private startBlock(path: string): void {
    const { n } = this.tx.note<CalledBlock>(`block ${path}`) as CalledBlock
    const at = { path: parentPath(path) ?? NO_PARENT, n }
    const { left, kept } = this.books.of(path)
    this.append(path, { ...this.takeQueued<BlockBody>(at.path, n), kept, left }, { ...at, kind: 'start' })
  }

  /** Takes out of the queue who does not wait any more. */
  leave(gone: (waiting: { path: string; n?: number }) => boolean): void {
    const { steps, blocks } = this.admission
    if (this.admission.isEmpty) return
    for (const step of steps) if (gone(step.at)) steps.delete(step)
    blocks.splice(0, blocks.length, ...blocks.filter((block) => !gone(block)))
  }

  private takeQueued<T extends StartBody>(path: string, n: number): T {
    const key = queuedKey(path, n)
    const asked = this.asked.get(key)
    if (this.asked.delete(key)) return asked as T
    const start = this.tx.note<T>(key) as T
    this.tx.setNote(key, null)
    return start
  }

  private get written(): string {
    const { blocks, learned } = this.admission
    const turns: Turns = { steps: this.waitingSteps, blocks: blocks.map(({ path }) => path), learned }
    return JSON.stringify(turns)
  }
}

class StepApplicant implements Applicant {
  readonly at: WaitingStep
  private readonly desk: Desk

  constructor(desk: Desk, at: WaitingStep) {
    this.desk = desk
    this.at = at
  }

  get ledger(): Ledger {
    return this.desk.books.of(this.at.path).ledger
  }

  needs(): Reserve {
    const { path, reserve, closing } = this.at
    return closing ? beyond(reserve, this.desk.books.of(path).kept) : reserve
  }

  admit(): void {
    this.desk.admitStep(this.at)
  }

  refuse(lack: Lack): void {
    this.desk.refuseStep(this.at, lack)
  }
}

class ChildApplicant implements BlockApplicant {
  readonly path: string
  private readonly desk: Desk

  constructor(desk: Desk, path: string) {
    this.desk = desk
    this.path = path
  }

  get level(): number {
    return levelOf(this.path)
  }

  get ledger(): Ledger {
    return this.desk.books.of(this.path).ledger
  }

  needs(): Reserve {
    return this.desk.admission.roomWith(this.desk.closingOf(this.path))
  }

  admit(): void {
    this.desk.admitBlock(this.path)
  }
}

export function queuedKey(path: string, n: number): string {
  return `queued ${path} ${n}`
}

export function holdKey(path: string, n: number): string {
  return `hold ${path} ${n}`
}
