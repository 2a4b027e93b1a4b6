/**
 * Who waits for room in the budget (K3): what only fails to fit because others hold something waits its turn.
 *
 * 1. Steps are served in the order in which they came. None passes an earlier one that waits for the same ledger, except those that
 *    take nothing that the earlier ones need: a call of a tool takes no tokens.
 * 2. A block waits while a step does, and the deeper one comes first: what was begun is finished before more is begun. It starts
 *    when there is room for what it keeps back and for a step of its own.
 * 3. Nothing of this is recorded: a start is when it is admitted.
 * 4. When nothing is under way that could give something back, the first step that fits is admitted, and if none fits the
 *    first is refused, with the other waiting steps of its block: no run stands still.
 */
import { CLOSING_TOKENS, type Lack, type Ledger } from '../../kernel/budget.ts'
import { DEFAULT_OUTPUT_TOKENS } from '../../kernel/model-effect.ts'
import type { Reserve } from '../../protocol/index.ts'

export interface Applicant {
  readonly ledger: Ledger
  /** The block that a step belongs to. */
  readonly block?: object
  /** What must be free. Asked right before `admit`. */
  needs(): Reserve
  /** Takes what it needs, and starts; the run's active time was just looked at. */
  admit(activeMs: number): void
  refuse(lack: Lack): void
}

/** A block is never refused: it starts with what there is. */
export interface BlockApplicant extends Omit<Applicant, 'refuse'> {
  readonly level: number
}

/** What a run has shown its calls to take. */
export interface Learned {
  /** By a closing call. */
  closingTokens: number
  /** By the last step: room for one must be there before another block starts. */
  stepTokens: number
  hasClosed: boolean
}

export class Admission<S extends Applicant = Applicant, B extends BlockApplicant = BlockApplicant> {
  readonly learned: Learned
  /** Those that wait, in their order. A set, because thousands may wait and each is removed on its own. */
  readonly steps = new Set<S>()
  readonly blocks: B[] = []
  private readonly activeMs: () => number
  private readonly onWaiting: () => void
  /** Somebody is being admitted, or several are being ended. */
  private isPaused = false

  /** `onWaiting` is called when somebody has to wait. */
  constructor(activeMs: () => number, onWaiting: () => void, learned: Learned = nothingLearned()) {
    this.activeMs = activeMs
    this.onWaiting = onWaiting
    this.learned = learned
  }

  get closingTokens(): number {
    return this.learned.closingTokens
  }

  get isEmpty(): boolean {
    return this.steps.size === 0 && this.blocks.length === 0
  }

  /** Admits the step now or later, or refuses it. */
  step(step: S): void {
    const needs = step.needs()
    const activeMs = this.activeMs()
    const lack = step.ledger.lackOf(needs, activeMs)
    const never = lack && step.ledger.lackOf(needs, activeMs, true)
    const isInTurn = this.steps.size === 0 || this.takesNothingFrom(step.ledger, needs, activeMs)
    if (lack === null && isInTurn) step.admit(activeMs)
    else if (never) step.refuse(never)
    else {
      this.steps.add(step)
      this.wait()
    }
  }

  /** Admits the block now or later. */
  block(block: B): void {
    const activeMs = this.activeMs()
    const { ledger } = block
    const needs = block.needs()
    const lack = ledger.lackOf(needs, activeMs)
    const never = lack !== null && ledger.lackOf(needs, activeMs, true) !== null
    if (never || (lack === null && this.isEmpty)) block.admit(activeMs)
    else {
      const after = this.blocks.findIndex(({ level }) => level < block.level)
      this.blocks.splice(after === -1 ? this.blocks.length : after, 0, block)
      this.wait()
    }
  }

  withdraw(applicant: S | B): void {
    if (this.isEmpty) return
    this.remove(applicant)
    this.next()
  }

  /** Something was given back: admits who fits now. */
  next(): void {
    if (this.isPaused || this.isEmpty) return
    this.paused(() => {
      for (let next = this.firstInTurn(); next !== null; next = this.firstInTurn()) this.admit(next)
    })
  }

  /** What `action` gives back is for those who still wait when all of it is done: it may end some of them. */
  together(action: () => void): void {
    if (this.isPaused) action()
    else {
      this.paused(action)
      this.next()
    }
  }

  /** Nothing under way can give anything back. */
  unblock(): void {
    const activeMs = this.activeMs()
    const [step] = this.steps
    const fits = step && this.firstThatFits(activeMs)
    const [block] = this.blocks
    if (fits !== undefined) this.admit(fits)
    else if (step !== undefined) this.refuseAllOf(step, activeMs)
    else if (block !== undefined) {
      block.needs()
      this.admit(block)
    }
    this.next()
  }

  /** Learns from a model step that was admitted. */
  learn(reserve: Reserve, closing: boolean): void {
    learnFrom(this.learned, reserve, closing)
  }

  /** Room for what a new block keeps back and for a step of its own. */
  roomWith({ calls, tokens }: Reserve): Reserve {
    return { calls: calls + 1, tokens: tokens + this.learned.stepTokens, costUsd: 0 }
  }

  private paused(action: () => void): void {
    this.isPaused = true
    try {
      action()
    } finally {
      this.isPaused = false
    }
  }

  /** Whether all who wait can have their calls all the same; tokens and money it takes none. */
  private takesNothingFrom(ledger: Ledger, { calls, tokens, costUsd }: Reserve, activeMs: number): boolean {
    if (tokens > 0 || costUsd > 0) return false
    if (calls === 0) return true
    const withAll = { calls: calls + this.steps.size, tokens, costUsd }
    return ledger.lackOf(withAll, activeMs) === null
  }

  private wait(): void {
    this.next()
    if (!this.isEmpty) this.onWaiting()
  }

  private firstInTurn(): S | B | null {
    const activeMs = this.activeMs()
    const short = new Set<Ledger>()
    for (const list of [this.steps, this.blocks]) {
      for (const applicant of list) {
        if (passesAny(applicant.ledger, short)) continue
        const lack = applicant.ledger.lackOf(applicant.needs(), activeMs)
        if (lack === null) return applicant
        // Nobody can pass who waits for the root's.
        if (lack.ledger.parent === null) return null
        short.add(lack.ledger)
      }
    }
    return null
  }

  private admit(applicant: S | B): void {
    this.remove(applicant)
    applicant.admit(this.activeMs())
  }

  private firstThatFits(activeMs: number): S | undefined {
    for (const step of this.steps) if (step.ledger.lackOf(step.needs(), activeMs) === null) return step
    return undefined
  }

  private remove(applicant: S | B): void {
    if (this.steps.delete(applicant as S)) return
    const at = this.blocks.indexOf(applicant as B)
    if (at !== -1) this.blocks.splice(at, 1)
  }

  /** The first step, and the others of its block: its refusal gives nothing back, and each round over thousands of steps takes time. */
  private refuseAllOf(first: S, activeMs: number): void {
    for (const step of this.steps)
      if (step === first || (step.block !== undefined && step.block === first.block))
        this.refuse(step, activeMs)
  }

  private refuse(step: S, activeMs: number): void {
    this.steps.delete(step)
    step.refuse(step.ledger.lackOf(step.needs(), activeMs) as Lack)
  }
}

export function nothingLearned(): Learned {
  return { closingTokens: CLOSING_TOKENS, stepTokens: DEFAULT_OUTPUT_TOKENS, hasClosed: false }
}

export function learnFrom(learned: Learned, { tokens }: Reserve, closing: boolean): void {
  if (!closing) {
    learned.stepTokens = tokens
    return
  }
  learned.closingTokens = learned.hasClosed ? Math.max(learned.closingTokens, tokens) : tokens
  learned.hasClosed = true
}

/** What a closing step needs besides what its block has kept back for it. */
export function beyond({ calls, tokens, costUsd }: Reserve, kept: Reserve): Reserve {
  return { calls: Math.max(0, calls - kept.calls), tokens: Math.max(0, tokens - kept.tokens), costUsd }
}

function passesAny(ledger: Ledger, ledgers: ReadonlySet<Ledger>): boolean {
  if (ledgers.size === 0) return false
  for (let at: Ledger | null = ledger; at !== null; at = at.parent) if (ledgers.has(at)) return true
  return false
}
