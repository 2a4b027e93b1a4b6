import { expect, it } from 'vitest'
import type { Event } from '../../src/protocol/index.ts'
import { crashAndResume, undisturbed, violations } from './crash.ts'

const PROGRAM = 'tot-program.ts'
/** Every so many of the places where a layer is half done. */
const STRIDE = 4

it('K2: a Tree of Thoughts that is killed with SIGKILL in the middle of a layer repeats no finished call', async () => {
  const whole = await undisturbed(PROGRAM)
  expect(whole.outcome).toMatchObject({ status: 'completed' })
  const places = whole.events.flatMap(({ type, seq }) =>
    type === 'model-end' && openCalls(whole.events.slice(0, seq)) > 0 ? [seq] : [],
  )
  const kills = places.filter((_, i) => i % STRIDE === 0)
  expect(kills.length).toBeGreaterThanOrEqual(4)
  const found: string[] = []
  const halfDone: number[] = []
  const killed = kills.map(async (seq) => {
    const crash = await crashAndResume({ atEvent: seq }, PROGRAM)
    if (openCalls(crash.events.slice(0, crash.eventsBefore)) > 0) halfDone.push(seq)
    found.push(...violations(crash, whole).map((what) => `killed at event ${seq}: ${what}`))
  })
  await Promise.all(killed)
  expect(found).toEqual([])
  expect(
    halfDone.sort((a, b) => a - b),
    'every kill fell into a layer',
  ).toEqual(kills)
}, 120_000)

function openCalls(events: readonly Event[]): number {
  const count = (wanted: Event['type']) => events.filter(({ type }) => type === wanted).length
  return count('model-start') - count('model-end')
}
