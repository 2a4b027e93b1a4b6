import { describe, expect, it } from 'vitest'
import type { Reserve } from '../protocol/index.ts'
import { closingReserve, estimateTokens, type Lack, Ledger, limitError, NOTHING, unused } from './budget.ts'

const cost = (calls: number, tokens = 0, costUsd = 0) => ({ calls, tokens, costUsd })
/** As a host does: asks, then takes. */
function hold(ledger: Ledger, more: Reserve, activeMs: number): Lack | null {
  const lack = ledger.lackOf(more, activeMs)
  if (lack === null) ledger.take(more)
  return lack
}
const used = (calls: number, inputTokens = 0, outputTokens = 0) => ({ calls, inputTokens, outputTokens })

describe('a ledger (K3)', () => {
  it('holds until the limit is reached, and names the limit', () => {
    const ledger = new Ledger(null, { calls: 3, tokens: 100, costUsd: 1, timeMs: 50 }, 0, 0)
    expect(hold(ledger, cost(1, 60, 0.5), 0)).toBeNull()
    expect(hold(ledger, cost(1, 60), 0)).toMatchObject({ limit: 'tokens' })
    expect(hold(ledger, cost(3), 0)).toMatchObject({ limit: 'calls' })
    expect(hold(ledger, cost(1, 0, 0.6), 0)).toMatchObject({ limit: 'costUsd' })
    expect(hold(ledger, cost(1), 50)).toMatchObject({ limit: 'timeMs' })
    expect(hold(ledger, cost(2, 40, 0.5), 49)).toBeNull()
  })

  it('replaces what was held by what was spent', () => {
    const ledger = new Ledger(null, { calls: 2, tokens: 100 }, 0, 0)
    hold(ledger, cost(1, 90), 0)
    ledger.settle(cost(1, 90), used(1, 20, 10))
    expect(ledger.left(0)).toMatchObject({ calls: 1, tokens: 70 })
    hold(ledger, cost(1, 70), 0)
    ledger.settle(cost(1, 70), used(0))
    expect(ledger.left(0)).toEqual({ calls: 1, tokens: 70, timeMs: Infinity, costUsd: Infinity })
  })

  it('takes a hold along all ancestors or not at all', () => {
    const root = new Ledger(null, { calls: 2 }, 0, 0)
    const one = new Ledger(root, { calls: 10 }, 1, 0)
    const two = new Ledger(root, { calls: 1 }, 1, 0)
    expect(hold(one, cost(1), 0)).toBeNull()
    expect(hold(two, cost(1), 0)).toBeNull()
    expect(hold(one, cost(1), 0)).toMatchObject({ limit: 'calls' })
    expect(one.left(0)).toMatchObject({ calls: 2, held: { calls: 2 } })
    two.settle(cost(1), used(0))
    expect(one.left(0)).toMatchObject({ calls: 2, held: { calls: 1 } })
    expect(two.left(0)).toMatchObject({ calls: 1, held: { calls: 0 } })
  })

  it("bounds a child by its own limits and by its ancestors', whichever is less", () => {
    const root = new Ledger(null, { depth: 3, timeMs: 100, tokens: 50 }, 0, 0)
    const child = new Ledger(root, { depth: 1, timeMs: 1_000, tokens: 500 }, 1, 60)
    expect(child.maxLevel).toBe(2)
    expect(child.deadlineMs).toBe(100)
    expect(child.left(70)).toMatchObject({ tokens: 50, timeMs: 30 })
    expect(new Ledger(root, { depth: 9 }, 1, 0).maxLevel).toBe(3)
    expect(new Ledger(root, { timeMs: 10 }, 1, 60).deadlineMs).toBe(70)
  })

  it('holds nothing of a child that has less than is free above', () => {
    const root = new Ledger(null, { calls: 10, tokens: 30_000 }, 0, 0)
    const child = new Ledger(root, { calls: 1, tokens: 6_000 }, 1, 0)
    root.take(cost(1, 4_000))
    expect(child.left(0)).toMatchObject({ calls: 1, tokens: 6_000, held: { calls: 0, tokens: 0 } })
    expect(closingReserve(child.free())).toEqual(cost(0, 1_500))
  })

  it("says what is free, whoever's limit is the closest", () => {
    const root = new Ledger(null, { calls: 50, tokens: 1_000 }, 0, 0)
    const child = new Ledger(root, { tokens: 100 }, 1, 0)
    expect(child.left(0)).not.toHaveProperty('held')
    hold(root, cost(1, 10), 0)
    expect(child.left(0)).toMatchObject({ tokens: 100, calls: 50 })
    expect(child.free()).toMatchObject({ tokens: 100, calls: 49 })
    hold(child, cost(1, 30), 0)
    expect(child.left(0)).toMatchObject({ tokens: 100, held: { tokens: 30, calls: 2 } })
    hold(root, cost(1, 930), 0)
    expect(child.left(0)).toMatchObject({ tokens: 100, held: { tokens: 70, calls: 3 } })
    expect(child.free()).toMatchObject({ tokens: 30, calls: 47 })
  })

  it('goes on from what was used before', () => {
    const ledger = new Ledger(null, { calls: 5, tokens: 100 }, 0, 0, { ...unused(), spent: cost(4, 90) })
    expect(hold(ledger, cost(1, 20), 0)).toMatchObject({ limit: 'tokens' })
    expect(hold(ledger, cost(1, 10), 0)).toBeNull()
    expect(hold(ledger, cost(1), 0)).toMatchObject({ limit: 'calls' })
  })

  it('lets what is free go on when the money is spent, but not when it is overspent', () => {
    const ledger = new Ledger(null, { costUsd: 1 }, 0, 0)
    hold(ledger, cost(1, 0, 1), 0)
    expect(hold(ledger, cost(1), 0)).toBeNull()
    ledger.settle(cost(1, 0, 1), { calls: 1, inputTokens: 0, outputTokens: 0, costUsd: 1.2 })
    expect(hold(ledger, cost(1), 0)).toMatchObject({ limit: 'costUsd' })
  })

  it('never says that less than no time is left', () => {
    expect(new Ledger(null, { timeMs: 10 }, 0, 0).left(25).timeMs).toBe(0)
  })

  it('keeps back for closing little enough that there is something to close', () => {
    const free = { calls: 100, tokens: 1_000_000, keepCalls: 10, keepTokens: 100_000 }
    expect(closingReserve(free)).toEqual({ calls: 1, tokens: 4_000, costUsd: 0 })
    expect(closingReserve({ ...free, calls: 1, tokens: 100 })).toEqual({ calls: 0, tokens: 25, costUsd: 0 })
    expect(closingReserve({ ...free, calls: 0, tokens: -5 })).toEqual(NOTHING)
    expect(closingReserve({ ...free, keepCalls: 0, keepTokens: 200 })).toEqual(cost(0, 200))
  })
})

describe('estimates and errors', () => {
  it('estimates rather too many tokens than too few', () => {
    expect(estimateTokens('')).toBe(0)
    expect(estimateTokens('The quick brown fox jumps over the lazy dog.')).toBeGreaterThanOrEqual(10)
    expect(estimateTokens('你好')).toBe(2)
  })

  it('names the limit for people and for programs', () => {
    const error = limitError('1-2', { limit: 'tokens' })
    expect(error.message).toMatch(/1-2.*tokens/)
    expect(error.toJSON()).toMatchObject({ code: 'LIMIT', data: { limit: 'tokens', path: '1-2' } })
  })
})
