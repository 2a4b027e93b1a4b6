/**
 * Budgets (K3). A ledger is one block's limits; blocks without limits of their own share their parent's ledger.
 *
 * 1. Touched only when an operation starts (take) and when it ends (settle): no overdraft by racing.
 * 2. What an operation holds is taken along all ancestors or not at all.
 * 3. Spent, held by operations under way and kept back for closing are counted apart: only what is spent is gone. What does not
 *    fit for now may fit when something under way has ended, so hosts let it wait.
 * 4. Each block keeps a little back before it starts, so that it can still close.
 */
import {
  type Left,
  type LimitName,
  type Limits,
  type Reserve,
  ThinkonError,
  type Usage,
} from '../protocol/index.ts'

export const NOTHING: Readonly<Reserve> = { calls: 0, tokens: 0, costUsd: 0 }

/** Kept back by each block for its closing call, until the run has shown what one takes. */
export const CLOSING_TOKENS = 4_000
/** The maximum length of a closing call's reply; the rest of what is kept back is for its prompt. */
export const CLOSING_OUTPUT_TOKENS = 1_000
/** Where even this is more than a quarter of what is left, a block closes with less, or without a model. */
const LEAST_CLOSING_TOKENS = 1_500
/** A block keeps back no more than this share of what is left, so that many can be open at once. */
const CLOSING_SHARE = 1 / 16
/** All open blocks together keep back no more than these shares of a limit: the others close with what is left, or without a model. */
const KEPT_TOKENS_SHARE = 1 / 8
const KEPT_CALLS_SHARE = 1 / 4

/** Why something can't be held now: which limit, and who has it. */
export interface Lack {
  readonly limit: LimitName
  readonly needs: number
  readonly of: number
  readonly spent: number
  /** By what is under way and by blocks that have to close: may come back. */
  readonly held: number
  /** The ledger that lacks it. */
  readonly ledger: Ledger
}

export interface Free {
  readonly calls: number
  readonly tokens: number
  /** How much of that may still be kept back for closing. */
  readonly keepCalls: number
  readonly keepTokens: number
}

/** The sums of a ledger. */
export interface Used {
  readonly spent: Reserve
  /** By operations under way. */
  readonly held: Reserve
  /** By blocks, for closing. */
  readonly kept: Reserve
}

export class Ledger {
  readonly parent: Ledger | null
  readonly maxLevel: number
  /** In active time since the run began. */
  deadlineMs: number
  private readonly limits: Partial<Limits>
  private readonly tokens: number
  private readonly calls: number
  private readonly costUsd: number
  private readonly mostKeptCalls: number
  private readonly mostKeptTokens: number
  private readonly spent: Reserve
  private readonly held: Reserve
  private readonly kept: Reserve

  /** Counts on in `used`, where there is something from before. */
  constructor(
    parent: Ledger | null,
    limits: Partial<Limits>,
    level: number,
    startedMs: number,
    used: Used = unused(),
  ) {
    this.parent = parent
    this.limits = limits
    this.tokens = limits.tokens ?? Number.POSITIVE_INFINITY
    this.calls = limits.calls ?? Number.POSITIVE_INFINITY
    this.costUsd = limits.costUsd ?? Number.POSITIVE_INFINITY
    this.maxLevel = Math.min(
      parent?.maxLevel ?? Number.POSITIVE_INFINITY,
      level + (limits.depth ?? Number.POSITIVE_INFINITY),
    )
    this.mostKeptCalls = Math.max(1, this.calls * KEPT_CALLS_SHARE)
    this.mostKeptTokens = Math.max(
      this.tokens * KEPT_TOKENS_SHARE,
      Math.min(this.tokens / 4, LEAST_CLOSING_TOKENS),
    )
    this.deadlineMs = this.deadlineFrom(startedMs)
    this.spent = used.spent
    this.held = used.held
    this.kept = used.kept
  }

  /** The block starts only now: it has waited for its turn. */
  startAt(activeMs: number): void {
    this.deadlineMs = this.deadlineFrom(activeMs)
  }

  /** Holds `cost` here and above; that it fits was asked before. */
  take(cost: Reserve): void {
    for (let ledger: Ledger | null = this; ledger !== null; ledger = ledger.parent) add(ledger.held, cost, 1)
  }

  /** What forbids to hold `cost` now. `onlySpent`: even if everything that is held came back. */
  lackOf(cost: Reserve, activeMs: number, onlySpent = false): Lack | null {
    if (activeMs >= this.deadlineMs) return this.lack('timeMs', 0, activeMs, 0)
    for (let ledger: Ledger | null = this; ledger !== null; ledger = ledger.parent) {
      const lack = ledger.ownLack(cost, onlySpent)
      if (lack !== null) return lack
    }
    return null
  }

  /** Gives back what was held and takes what was spent. */
  settle(held: Reserve, usage: Usage): void {
    const tokens = usage.inputTokens + usage.outputTokens
    const costUsd = usage.costUsd ?? 0
    for (let ledger: Ledger | null = this; ledger !== null; ledger = ledger.parent) {
      const { spent, held: sum } = ledger
      spent.calls += usage.calls
      spent.tokens += tokens
      spent.costUsd += costUsd
      sum.calls -= held.calls
      sum.tokens -= held.tokens
      sum.costUsd -= held.costUsd
    }
  }

  /** Keeps `reserve` back for a block's closing. */
  keep(reserve: Reserve): void {
    this.addKept(reserve, 1)
  }

  /** What was kept back is to be used now, or given back. */
  release(reserve: Reserve): void {
    if (reserve !== NOTHING) this.addKept(reserve, -1)
  }

  /** What is neither spent nor kept back; and how much of that is held by operations under way, if any are. */
  left(activeMs: number): Left {
    let { tokens, calls, costUsd } = NO_LIMIT
    let { tokens: freeTokens, calls: freeCalls, costUsd: freeCost } = NO_LIMIT
    let isHeld = false
    for (let ledger: Ledger | null = this; ledger !== null; ledger = ledger.parent) {
      const { spent, kept, held } = ledger
      const ownTokens = ledger.tokens - spent.tokens - kept.tokens
      const ownCalls = ledger.calls - spent.calls - kept.calls
      const ownCost = ledger.costUsd - spent.costUsd - kept.costUsd
      tokens = Math.min(tokens, ownTokens)
      calls = Math.min(calls, ownCalls)
      costUsd = Math.min(costUsd, ownCost)
      freeTokens = Math.min(freeTokens, ownTokens - held.tokens)
      freeCalls = Math.min(freeCalls, ownCalls - held.calls)
      freeCost = Math.min(freeCost, ownCost - held.costUsd)
      isHeld ||= held.calls > 0
    }
    const timeMs = Math.max(0, this.deadlineMs - activeMs)
    if (!isHeld) return { tokens, calls, timeMs, costUsd }
    const held = {
      tokens: heldOf(tokens, freeTokens),
      calls: heldOf(calls, freeCalls),
      costUsd: heldOf(costUsd, freeCost),
    }
    // At once: a field that is added later takes a list of its own, and all of them are kept.
    return { tokens, calls, timeMs, costUsd, held }
  }

  /** What nobody has spent, holds or keeps back. */
  free(): Free {
    let { calls, tokens } = NO_LIMIT
    let keepCalls = calls
    let keepTokens = tokens
    for (let ledger: Ledger | null = this; ledger !== null; ledger = ledger.parent) {
      const { spent, kept, held } = ledger
      calls = Math.min(calls, ledger.calls - spent.calls - kept.calls - held.calls)
      tokens = Math.min(tokens, ledger.tokens - spent.tokens - kept.tokens - held.tokens)
      keepCalls = Math.min(keepCalls, ledger.mostKeptCalls - kept.calls)
      keepTokens = Math.min(keepTokens, ledger.mostKeptTokens - kept.tokens)
    }
    return { calls, tokens, keepCalls, keepTokens }
  }

  private ownLack({ calls, tokens, costUsd }: Reserve, onlySpent: boolean): Lack | null {
    const { spent, held, kept } = this
    const share = onlySpent ? 0 : 1
    const heldCalls = held.calls + kept.calls
    if (spent.calls + share * heldCalls + calls > this.calls)
      return this.lack('calls', calls, spent.calls, heldCalls)
    const heldTokens = held.tokens + kept.tokens
    if (exceeds(spent.tokens, share * heldTokens, tokens, this.tokens))
      return this.lack('tokens', tokens, spent.tokens, heldTokens)
    if (exceeds(spent.costUsd, share * held.costUsd, costUsd, this.costUsd))
      return this.lack('costUsd', costUsd, spent.costUsd, held.costUsd)
    return null
  }

  private lack(limit: LimitName, needs: number, spent: number, held: number): Lack {
    return { limit, needs, of: this.limits[limit] ?? Number.POSITIVE_INFINITY, spent, held, ledger: this }
  }

  private deadlineFrom(startedMs: number): number {
    return Math.min(
      this.parent?.deadlineMs ?? Number.POSITIVE_INFINITY,
      startedMs + (this.limits.timeMs ?? Number.POSITIVE_INFINITY),
    )
  }

  private addKept(reserve: Reserve, sign: 1 | -1): void {
    for (let ledger: Ledger | null = this; ledger !== null; ledger = ledger.parent)
      add(ledger.kept, reserve, sign)
  }
}

function add(sum: Reserve, { calls, tokens, costUsd }: Reserve, sign: 1 | -1): void {
  sum.calls += sign * calls
  sum.tokens += sign * tokens
  sum.costUsd += sign * costUsd
}

/**
 * What a new block keeps back of what is free: little enough that it can still work. `closing` is what a closing call of this
 * run takes, as far as it has shown.
 */
export function closingReserve(
  { calls, tokens, keepCalls, keepTokens }: Free,
  closing = CLOSING_TOKENS,
): Reserve {
  const least = Math.min(tokens / 4, LEAST_CLOSING_TOKENS)
  const share = Math.max(tokens * CLOSING_SHARE, least)
  return {
    calls: calls >= 2 && keepCalls >= 1 ? 1 : 0,
    tokens: Math.max(0, Math.floor(Math.min(closing, share, keepTokens))),
    costUsd: 0,
  }
}

/** What is known to be free may continue until more than everything is spent. */
function exceeds(spent: number, held: number, more: number, limit: number): boolean {
  return more > 0 ? spent + held + more > limit : spent > limit
}

/** Nothing is held of what has no limit. */
function heldOf(left: number, free: number): number {
  return left === free ? 0 : left - free
}

const NO_LIMIT: Left = {
  tokens: Number.POSITIVE_INFINITY,
  calls: Number.POSITIVE_INFINITY,
  timeMs: Number.POSITIVE_INFINITY,
  costUsd: Number.POSITIVE_INFINITY,
}

export function unused(): Used {
  return { spent: { ...NOTHING }, held: { ...NOTHING }, kept: { ...NOTHING } }
}

/** Rather too many than too few: three bytes a token is above what English, code and Chinese need. */
export function estimateTokens(text: string): number {
  return tokensIn(Buffer.byteLength(text))
}

export function tokensIn(bytes: number): number {
  return Math.ceil(bytes / 3)
}

export function limitError(path: string, lack: Pick<Lack, 'limit'> & Partial<Lack>): ThinkonError {
  const { limit } = lack
  return new ThinkonError(
    'LIMIT',
    `${path}: the limit of ${LIMIT_LABELS[limit]} is reached${whoHasIt(lack)}`,
    { data: { limit, path } },
  )
}

/** `: 38,900 of 39,000 spent`, and what is held by others, if that is why. */
function whoHasIt({ limit, needs = 0, of, spent = 0, held = 0 }: Partial<Lack>): string {
  if (of === undefined || limit === 'depth' || limit === 'timeMs') return ''
  const amount = (value: number) =>
    limit === 'costUsd' ? `$${Number(value.toPrecision(4))}` : Math.round(value).toLocaleString('en-US')
  const holding =
    spent + needs <= of && held > 0 ? `, ${amount(held)} held for closing and by calls under way` : ''
  const needing = needs > 0 ? `, ${amount(needs)} needed` : ''
  return `: ${amount(spent)} of ${amount(of)} spent${holding}${needing}`
}

const LIMIT_LABELS: Record<LimitName, string> = {
  depth: 'depth (--max-depth)',
  tokens: 'tokens (--max-tokens)',
  calls: 'calls (--max-calls)',
  timeMs: 'time (--max-time)',
  costUsd: 'cost (--max-cost)',
}
