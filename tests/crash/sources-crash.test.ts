// kill -9 while a tool() and a tool of the AI SDK are called, which have no more to do with recording than any other.
import { describe, expect, it } from 'vitest'
import { crashAndResume, undisturbed, violations } from './crash.ts'

const PROGRAM = 'sources-program.ts'

describe('K2: tools of ours and of the AI SDK', () => {
  it('are not called again if their result is recorded, and those that are not idempotent never are', async () => {
    const whole = await undisturbed(PROGRAM)
    const ends = whole.events.filter((event) => event.type === 'tool-end')
    expect(ends.map(({ result }) => result)).toEqual([
      { ok: true, value: { seen: 'home' } },
      { ok: true, value: { sent: 'home' } },
    ])
    const start = whole.events.findLast((event) => event.type === 'tool-start')?.seq ?? 0
    for (const atEvent of [start, ...ends.map(({ seq }) => seq)]) {
      const crash = await crashAndResume({ atEvent }, PROGRAM)
      expect(violations(crash, whole), `killed at event ${atEvent}`).toEqual([])
      expect(crash.eventsBefore).toBeGreaterThanOrEqual(atEvent)
    }
  }, 60_000)
})
