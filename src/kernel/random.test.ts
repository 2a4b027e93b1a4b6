import { describe, expect, it } from 'vitest'
import { seededRandom } from './random.ts'

const first = (seed: string, count: number) => Array.from({ length: count }, seededRandom(seed))

describe('seeded randomness', () => {
  it('is the same for the same seed and another for another', () => {
    expect(first('run/1', 20)).toEqual(first('run/1', 20))
    expect(first('run/1', 20)).not.toEqual(first('run/2', 20))
  })

  it('never changes: journals that were written with it must replay', () => {
    expect(first('seed/1', 3)).toEqual([0.5610803028102964, 0.4920102609321475, 0.46467035403475165])
  })

  it('is in [0, 1) and evenly spread', () => {
    const counts = Array(10).fill(0)
    for (const value of first('spread', 10_000)) {
      expect(value >= 0 && value < 1).toBe(true)
      counts[Math.floor(value * 10)]++
    }
    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150)
  })
})
