// `npm run bench -- simulate`: what breaks is mended until the load is carried, and the same table comes out each time.
import { expect, it } from 'vitest'
import { parameters, run } from '../../bench/simulate.ts'
import { breaks, SIMPLEST, utilisation } from '../../bench/simulate-model.ts'

const LOAD = { workers: 1_000, runs: 1_000_000 }

it('mends what breaks first until 1,000 workers carry 1,000,000 open runs, with queues that run empty after an outage', async () => {
  const { figures, lines } = await run()
  expect((await run()).lines).toEqual(lines)
  const rounds = [...breaks(LOAD, SIMPLEST, parameters)]
  expect(rounds.length).toBeGreaterThan(3)
  for (const { used, atWorkers } of rounds) {
    expect(used).toBeGreaterThan(parameters.headroom)
    expect(atWorkers).toBeLessThanOrEqual(LOAD.workers)
  }
  const uses = Object.values(utilisation(LOAD, rounds.at(-1)?.deployment ?? SIMPLEST, parameters))
  for (const { used } of uses) expect(used).toBeLessThanOrEqual(parameters.headroom)
  expect(figures.outage).toMatchObject({ steps: expect.any(Number), backAfterS: expect.any(Number) })
})

it('finds nothing to mend for a few workers', () => {
  expect([...breaks({ workers: 3, runs: 3_000 }, SIMPLEST, parameters)]).toEqual([])
})
