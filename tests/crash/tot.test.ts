import { expect, it } from 'vitest'
import { crashAndResume, undisturbed, violations } from './crash.ts'

const PROGRAM = 'tot-program.ts'

it('K2: a Tree of Thoughts that is killed with SIGKILL in the middle of a layer repeats no finished call', async () => {
  const whole = await undisturbed(PROGRAM)
  expect(whole.outcome).toMatchObject({ status: 'completed' })
  const ends = whole.events.filter((event) => event.type === 'model-end')
  expect(ends.length).toBeGreaterThan(20)
  const found: string[] = []
  let midway = 0
  for (let i = 1; i < ends.length; i += 5) {
    const { seq } = ends[i] as (typeof ends)[number]
    const crash = await crashAndResume({ atEvent: seq }, PROGRAM)
    const [begun, over] = ['model-start', 'model-end'].map(
      (type) => crash.events.slice(0, crash.eventsBefore).filter((event) => event.type === type).length,
    )
    if (begun! > over!) midway++
    found.push(...violations(crash, whole).map((what) => `killed at event ${seq}: ${what}`))
  }
  expect(found).toEqual([])
  expect(midway, 'kills that fell into a layer').toBeGreaterThan(2)
}, 120_000)
