import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ThinkonError } from '../protocol/index.ts'
import { whenFree } from './when-free.ts'

const LOCKED = 'the store /runs.db is locked by another program: try again when that has ended, or close it'
const busy = () => new ThinkonError('STORE_BUSY', LOCKED, { data: { store: '/runs.db' } })

describe('a store that another program has locked', () => {
  const warn = vi.spyOn(process, 'emitWarning')
  beforeEach(() => {
    vi.useFakeTimers()
    warn.mockReset()
  })
  afterEach(() => vi.useRealTimers())

  it('is waited for up to two minutes; after 3 s one line says so', async () => {
    let isLocked = true
    const locked = () => {
      if (isLocked) throw busy()
      return 'written'
    }
    const waiting = whenFree(locked)
    await vi.advanceTimersByTimeAsync(2_900)
    expect(warn).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(116_000)
    expect(warn).toHaveBeenCalledOnce()
    expect(warn.mock.calls[0]?.[0]).toMatch(
      /^the store \/runs\.db is locked by another program: waiting for it/,
    )
    isLocked = false
    await vi.advanceTimersByTimeAsync(200)
    expect(await waiting).toBe('written')
  })

  it('is given up after that, or when nobody needs it any more', async () => {
    const locked = () => {
      throw busy()
    }
    const ended = Promise.allSettled([whenFree(locked)])
    let isOver = false
    const left = Promise.allSettled([whenFree(locked, () => isOver)])
    await vi.advanceTimersByTimeAsync(1_000)
    isOver = true
    await vi.advanceTimersByTimeAsync(200)
    expect((await left)[0]).toMatchObject({ status: 'rejected', reason: { code: 'STORE_BUSY' } })
    await vi.advanceTimersByTimeAsync(120_000)
    expect((await ended)[0]).toMatchObject({ status: 'rejected', reason: { code: 'STORE_BUSY' } })
  })

  it('is not waited for if it is free, or fails otherwise', () => {
    expect(whenFree(() => 1)).toBe(1)
    expect(() =>
      whenFree(() => {
        throw new ThinkonError('STORE_CORRUPT', 'damaged')
      }),
    ).toThrow('damaged')
  })
})
