// Two rounds of each accident; `npm run soak -- --only cluster-host` has twenty.

import { expect, it } from 'vitest'
import { ACCIDENTS, survive } from './chaos.ts'
import { openCluster } from './cluster.ts'

const ROUNDS = 2

it.each(Object.entries(ACCIDENTS))(
  '%s: every run ends as without it, and nothing is done twice',
  async (name, accident) => {
    const interrupted = await survive(accident, name === 'a worker that hangs' ? 1 : ROUNDS)
    // Whoever only lost its session goes on.
    if (name === 'the end of lock sessions') expect(interrupted).toBe(0)
  },
)

it('a run that is offered a hundred times is executed once', async () => {
  const cluster = await openCluster(2)
  try {
    await cluster.engine.start('a goal', { id: 'run-1', strategy: 'chain', options: { steps: 4, ms: 50 } })
    await Promise.all(Array.from({ length: 100 }, () => cluster.engine.resume('run-1')))
    expect(await cluster.finished('run-1')).toMatchObject({
      status: 'completed',
      result: '4 steps, 0 interrupted',
    })
    expect(cluster.effects().filter(({ what }) => what === 'begin')).toHaveLength(12)
    expect((await cluster.events('run-1')).filter(({ type }) => type === 'run-resume')).toEqual([])
  } finally {
    await cluster.end()
  }
})
