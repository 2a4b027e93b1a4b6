// kill -9 of each part of a cluster in the middle of runs, again and again on the same cluster: see tests/restate/kills.ts.

import { killDuring, PARTS } from '../restate/kills.ts'
import { openWorkers } from '../restate/workers.ts'

/** Throws on the first failure; otherwise reports in one line. */
export async function clusterKills(rounds: number): Promise<string> {
  const workers = await openWorkers()
  const slowest = new Map<string, { downMs: number; stuckMs: number }>()
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const part of PARTS) {
        const { wrong, downMs, stuckMs } = await killDuring(workers, part, `${part}-${round}`)
        if (wrong.length > 0) throw new Error(`kill ${round} of ${part}: ${wrong.join('; ')}`)
        const before = slowest.get(part) ?? { downMs: 0, stuckMs: 0 }
        slowest.set(part, {
          downMs: Math.max(downMs, before.downMs),
          stuckMs: Math.max(stuckMs, before.stuckMs),
        })
      }
    }
    const steps = workers.log().filter(({ what }) => what === 'begin').length
    const times = [...slowest].map(
      ([part, { downMs, stuckMs }]) =>
        `${part}: back after ${seconds(downMs)}, no run stood still for longer than ${seconds(stuckMs)}`,
    )
    return `${steps} tool calls, every outcome as it must be, nothing finished done again; ${times.join('; ')}`
  } finally {
    await workers.end()
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
