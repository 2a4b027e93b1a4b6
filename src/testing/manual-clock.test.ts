import { describe, expect, it } from 'vitest'
import { manualClock } from './manual-clock.ts'

describe('a manual clock', () => {
  it('stands still until it is advanced', async () => {
    const clock = manualClock(1_000)
    expect(clock.nowMs()).toBe(1_000)
    await clock.advance(250)
    expect(clock.nowMs()).toBe(1_250)
  })

  it('fires timers in the order in which they are due, each at its own time', async () => {
    const clock = manualClock(0)
    const fired: [string, number][] = []
    clock.after(30, () => fired.push(['late', clock.nowMs()]))
    clock.after(10, () => fired.push(['early', clock.nowMs()]))
    clock.after(10, () => fired.push(['early too', clock.nowMs()]))
    clock.after(31, () => fired.push(['never', clock.nowMs()]))
    await clock.advance(30)
    expect(fired).toEqual([
      ['early', 10],
      ['early too', 10],
      ['late', 30],
    ])
    expect(clock.timers).toBe(1)
  })

  it('does not fire a timer that was stopped', async () => {
    const clock = manualClock()
    const stop = clock.after(10, () => expect.unreachable())
    stop()
    await clock.advance(20)
    expect(clock.timers).toBe(0)
  })

  it('lets what a timer sets off happen before the next one, also when that sets new timers', async () => {
    const clock = manualClock(0)
    const seen: string[] = []
    const react = async () => {
      await null
      seen.push('reaction')
      clock.after(5, () => seen.push(`set later, at ${clock.nowMs()}`))
    }
    clock.after(10, () => void react())
    clock.after(20, () => seen.push('second'))
    await clock.advance(20)
    expect(seen).toEqual(['reaction', 'set later, at 15', 'second'])
  })
})
