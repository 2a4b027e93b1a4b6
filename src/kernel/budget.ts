/**
 * Budgets (K3). A ledger is one block's limits; blocks without limits of their own share their parent's ledger.
 *
 * 1. Touched only when an operation starts (hold) and when it ends (settle): no overdraft by racing.
 * 2. A hold is taken along all ancestors or not at all; a refusal names the limit.
 * 3. Each block keeps a little back before it starts, so that it can still close.
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

/** Kept back by each block for its closing call. */
export const CLOSING_TOKENS = 4_000
/** The maximum length of a closing call's reply; the rest of what is kept back is for its prompt. */
export const CLOSING_OUTPUT_TOKENS = 1_000

export class Ledger {
  readonly parent: Ledger | null
  readonly maxLevel: number
  /** In active time since the run began. */
  readonly deadlineMs: number
  private readonly tokens: number
  private readonly calls: number
  private readonly costUsd: number
  private spentTokens: number
  private spentCalls: number
  private spentCost: number

  /** `used` is what was spent and held under these limits before this process resumed the run. */
  constructor(
    parent: Ledger | null,
    limits: Partial<Limits>,
    level: number,
    startedMs: number,
    used: Reserve = NOTHING,
  ) {
    this.parent = parent
    this.tokens = limits.tokens ?? Number.POSITIVE_INFINITY
    this.calls = limits.calls ?? Number.POSITIVE_INFINITY
    this.costUsd = limits.costUsd ?? Number.POSITIVE_INFINITY
    this.maxLevel = Math.min(
      parent?.maxLevel ?? Number.POSITIVE_INFINITY,
      level + (limits.depth ?? Number.POSITIVE_INFINITY),
    )
    this.deadlineMs = Math.min(
      parent?.deadlineMs ?? Number.POSITIVE_INFINITY,
      startedMs + (limits.timeMs ?? Number.POSITIVE_INFINITY),
    )
    this.spentTokens = used.tokens
    this.spentCalls = used.calls
    this.spentCost = used.costUsd
  }

  /** Holds `cost` here and above, or names the limit that forbids it. */
  hold(cost: Reserve, activeMs: number): LimitName | null {
    if (activeMs >= this.deadlineMs) return 'timeMs'
    for (let ledger: Ledger | null = this; ledger !== null; ledger = ledger.parent) {
      if (ledger.spentCalls + cost.calls > ledger.calls) return 'calls'
      if (ledger.spentTokens + cost.tokens > ledger.tokens) return 'tokens'
      // What is known to be free may continue when the money is spent.
      if (
        cost.costUsd > 0
          ? ledger.spentCost + cost.costUsd > ledger.costUsd
          : ledger.spentCost > ledger.costUsd
      ) {
        return 'costUsd'
      }
    }
    this.add(cost.calls, cost.tokens, cost.costUsd)
    return null
  }

  /** Gives back what was held and takes what was spent. */
  settle(held: Reserve, usage: Usage): void {
    this.add(
      usage.calls - held.calls,
      usage.inputTokens + usage.outputTokens - held.tokens,
      (usage.costUsd ?? 0) - held.costUsd,
    )
  }

  release(held: Reserve): void {
    this.add(-held.calls, -held.tokens, -held.costUsd)
  }

  left(activeMs: number): Left {
    let { tokens, calls, costUsd } = NO_LIMIT
    for (let ledger: Ledger | null = this; ledger !== null; ledger = ledger.parent) {
      tokens = Math.min(tokens, ledger.tokens - ledger.spentTokens)
      calls = Math.min(calls, ledger.calls - ledger.spentCalls)
      costUsd = Math.min(costUsd, ledger.costUsd - ledger.spentCost)
    }
    return { tokens, calls, timeMs: Math.max(0, this.deadlineMs - activeMs), costUsd }
  }

  private add(calls: number, tokens: number, costUsd: number): void {
    for (let ledger: Ledger | null = this; ledger !== null; ledger = ledger.parent) {
      ledger.spentCalls += calls
      ledger.spentTokens += tokens
      ledger.spentCost += costUsd
    }
  }
}

/** What a new block keeps back of what is left: little enough that it can still work. */
export function closingReserve(left: Left): Reserve {
  return {
    calls: left.calls >= 2 ? 1 : 0,
    tokens: Math.max(0, Math.min(CLOSING_TOKENS, Math.floor(left.tokens / 4))),
    costUsd: 0,
  }
}

const NO_LIMIT: Left = {
  tokens: Number.POSITIVE_INFINITY,
  calls: Number.POSITIVE_INFINITY,
  timeMs: Number.POSITIVE_INFINITY,
  costUsd: Number.POSITIVE_INFINITY,
}

/** Rather too many than too few: three bytes a token is above what English, code and Chinese need. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3)
}

export function limitError(path: string, limit: LimitName): ThinkonError {
  const label = LIMIT_LABELS[limit]
  return new ThinkonError('LIMIT', `${path}: the limit of ${label} is reached`, { data: { limit, path } })
}

const LIMIT_LABELS: Record<LimitName, string> = {
  depth: 'depth (--max-depth)',
  tokens: 'tokens (--max-tokens)',
  calls: 'calls (--max-calls)',
  timeMs: 'time (--max-time)',
  costUsd: 'cost (--max-cost)',
}
