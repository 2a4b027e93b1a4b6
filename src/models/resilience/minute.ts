import type { CallLimits } from '../../protocol/index.ts'

const MINUTE_MS = 60_000

/** A request that began; its tokens are an estimate until it has ended. */
interface Begun {
  readonly atMs: number
  tokens: number
}

/** What began within the last minute. */
export class Minute {
  /** Oldest first. */
  private readonly begun: Begun[] = []
  private tokens = 0

  /**
   * How long until a request with so many tokens may begin. One that is larger than a minute's allowance may when no token of the
   * last minute is left: it would wait for ever otherwise.
   */
  waitMs(
    nowMs: number,
    tokens: number,
    { requestsPerMinute = Infinity, tokensPerMinute = Infinity }: CallLimits,
  ): number {
    this.forget(nowMs)
    const room = tokensPerMinute - Math.min(tokens, tokensPerMinute)
    const mustGo = this.begun.length + 1 - requestsPerMinute
    let left = this.tokens
    let waitMs = 0
    for (const [i, { atMs, tokens }] of this.begun.entries()) {
      if (i >= mustGo && left <= room) break
      left -= tokens
      waitMs = atMs + MINUTE_MS - nowMs
    }
    return waitMs
  }

  /** Returns what corrects its tokens. */
  begin(nowMs: number, tokens: number): (tokens: number) => void {
    const one: Begun = { atMs: nowMs, tokens }
    this.begun.push(one)
    this.tokens += tokens
    return (taken) => {
      if (this.begun.includes(one)) this.tokens += taken - one.tokens
      one.tokens = taken
    }
  }

  private forget(nowMs: number): void {
    while (this.begun[0] !== undefined && this.begun[0].atMs + MINUTE_MS <= nowMs)
      this.tokens -= (this.begun.shift() as Begun).tokens
  }
}
