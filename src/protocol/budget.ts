/** The limits of a run, for the whole tree below the block that carries them. */
export interface Limits {
  /** Levels below the block that carries the limit; for the root, the deepest level allowed. */
  depth: number
  /** Input and output tokens together. */
  tokens: number
  /** Model calls and tool calls together; without looks into Thinkon's own data, which nobody is paid for. */
  calls: number
  /** Active time: downtime and waiting for a person do not count. */
  timeMs: number
  /** US dollars; what a model without a known price costs does not count. */
  costUsd: number
}

export type LimitName = keyof Limits

/** What is left of each limit, as recorded with the last operation that the block consumed. */
export interface Remaining extends Readonly<Limits> {
  /** How much of that was held by operations under way. */
  readonly held?: Reserve
}

/** What was spent. */
export interface Usage {
  calls: number
  inputTokens: number
  outputTokens: number
  /** The part of `inputTokens` that came from the provider's cache, where it says so. */
  cachedInputTokens?: number
  /** The part of the tokens that calls had reserved when a kill ended them: what they really took is not known. */
  lostTokens?: number
  costUsd?: number
}

/** The maximum cost of an operation: held while it runs, replaced by its actual cost when it ends. */
export interface Reserve {
  calls: number
  tokens: number
  costUsd: number
}

/** What each model role has spent, and tools. */
export type RoleUsage = { [role: string]: Usage }

export const DEFAULT_LIMITS: Readonly<Limits> = {
  depth: 8,
  tokens: 2_000_000,
  calls: 1_000,
  timeMs: 3_600_000,
  costUsd: 10,
}

export const LIMIT_NAMES = ['depth', 'tokens', 'calls', 'timeMs', 'costUsd'] as const satisfies LimitName[]

export const NO_USAGE: Readonly<Usage> = { calls: 0, inputTokens: 0, outputTokens: 0 }

/** Adds what a role spent, in place. */
export function accumulateRole(roles: RoleUsage, role: string, usage: Usage): void {
  const sum = roles[role]
  if (sum === undefined) roles[role] = { ...usage }
  else accumulate(sum, usage)
}

/** Adds `more` to `sum`, in place. */
export function accumulate(sum: Usage, more: Usage): void {
  sum.calls += more.calls
  sum.inputTokens += more.inputTokens
  sum.outputTokens += more.outputTokens
  if (more.cachedInputTokens !== undefined)
    sum.cachedInputTokens = (sum.cachedInputTokens ?? 0) + more.cachedInputTokens
  if (more.lostTokens !== undefined) sum.lostTokens = (sum.lostTokens ?? 0) + more.lostTokens
  if (more.costUsd !== undefined) sum.costUsd = (sum.costUsd ?? 0) + more.costUsd
}
