import { describe, expect, it } from 'vitest'
import type { SharedTransaction } from '../../kernel/store.ts'
import { Books } from './books.ts'

const HOUR = 3_600_000

/** The notes of a run, as JSON, with a step that is open. */
function openStep() {
  const notes = new Map<string, string>()
  const reader = {
    note: (key: string) => (notes.has(key) ? JSON.parse(notes.get(key) as string) : null),
    setNote: (key: string, value: unknown) => void notes.set(key, JSON.stringify(value)),
  } as Partial<SharedTransaction> as SharedTransaction
  const books = new Books(reader, Date.now())
  books.clock.openSteps++
  books.save(reader)
  return { reader, firstMs: books.atMs }
}

describe("a run's clock in the store", () => {
  it('counts nothing for a clock that was set forward, and the event says so', () => {
    const { reader, firstMs } = openStep()
    const books = new Books(reader, firstMs + 5 * HOUR)
    expect(books.clock.activeMs).toBeLessThan(60_000)
    const { atMs, inactiveMs = 0 } = books.stamp()
    expect(atMs).toBe(firstMs + 5 * HOUR)
    expect(atMs - firstMs - inactiveMs).toBe(books.clock.activeMs)
    expect(books.stamp()).toEqual({ atMs })
  })

  it('never goes back, and goes on counting, if the clock was set back', async () => {
    const { reader, firstMs } = openStep()
    await new Promise((resolve) => setTimeout(resolve, 20))
    const books = new Books(reader, firstMs - 5 * HOUR)
    expect(books.clock.activeMs).toBeGreaterThanOrEqual(15)
    expect(books.stamp()).toEqual({ atMs: firstMs + books.clock.activeMs })
  })

  it('counts no more of the time since another process wrote than this one has been running', () => {
    const { reader, firstMs } = openStep()
    reader.setNote('clock', { ...(reader.note('clock') as object), process: 'another' })
    const books = new Books(reader, firstMs + 100 * HOUR)
    expect(books.clock.activeMs).toBeLessThan(HOUR)
  })
})
