import { beforeAll, describe, expect, it } from 'vitest'
import { repetitions } from '../repetitions.ts'
import { type Crash, crashAndResume, undisturbed, violations } from './crash.ts'

/** How many crashes go on side by side. */
const AT_ONCE = 3
const RANDOM_KILLS = repetitions(20, 100)

describe('a run that is killed with SIGKILL and gone on with', () => {
  let whole: Pick<Crash, 'outcome' | 'events'>
  beforeAll(async () => {
    whole = await undisturbed()
  })

  it('is a run of at least 60 events with parallel children, tool calls and an answer', () => {
    expect(whole.outcome.status).toBe('completed')
    expect(whole.events.length).toBeGreaterThanOrEqual(60)
    const types = new Set(whole.events.map((event) => event.type))
    for (const type of ['tool-end', 'signal-answered', 'done-add'] as const) expect(types).toContain(type)
  })

  it('K2: comes to the same outcome and repeats no finished step, killed after every single event', async () => {
    const bad = await eachOf(whole.events.length, async (index) => {
      const crash = await crashAndResume({ atEvent: index + 1 })
      const found = violations(crash, whole)
      if (crash.eventsBefore < index + 1) found.push(`only ${crash.eventsBefore} events were there`)
      return found.map((what) => `killed at event ${index + 1}: ${what}`)
    })
    expect(bad).toEqual([])
  }, 300_000)

  it('K2: comes to the same outcome and repeats no finished step, killed at random instants', async () => {
    let midway = 0
    const bad = await eachOf(RANDOM_KILLS, async () => {
      const afterMs = Math.random() * 80
      const crash = await crashAndResume({ afterMs })
      if (crash.eventsBefore > 0 && crash.eventsBefore < whole.events.length) midway++
      return violations(crash, whole).map((what) => `killed ${afterMs} ms after it began: ${what}`)
    })
    expect(bad).toEqual([])
    expect(midway, 'kills that fell into the run').toBeGreaterThan(RANDOM_KILLS / 4)
  }, 120_000)
})

describe('a fractal recursion of ten levels', () => {
  it('K2: is killed with SIGKILL at every level and gone on with', async () => {
    const whole = await undisturbed('deep-program.ts')
    const starts = whole.events.filter((event) => event.type === 'block-start')
    expect(starts).toHaveLength(11)
    const bad = await eachOf(starts.length, async (index) => {
      const { seq, path } = starts[index] as (typeof starts)[number]
      const crash = await crashAndResume({ atEvent: seq }, 'deep-program.ts')
      return violations(crash, whole).map((what) => `killed when ${path} began: ${what}`)
    })
    expect(bad).toEqual([])
  }, 120_000)
})

async function eachOf(count: number, work: (index: number) => Promise<string[]>): Promise<string[]> {
  const found: string[] = []
  let next = 0
  const worker = async () => {
    while (next < count) found.push(...(await work(next++)))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return found
}
