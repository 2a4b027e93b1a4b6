// kill -9 of each part of a cluster in the middle of runs, again and again on the same cluster: see tests/restate/kills.ts.

import { killDuring, PARTS } from '../restate/kills.ts'
import { openWorkers } from '../restate/workers.ts'

/** Throws on the first failure; otherwise reports in one line. */
export async function clusterKills(rounds: number): Promise<string> {
  const workers = await openWorkers()
  let slowestMs = 0
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const part of PARTS) {
        const startMs = Date.now()
        const wrong = await killDuring(workers, part, `${part}-${round}`)
        if (wrong.length > 0) throw new Error(`kill ${round} of ${part}: ${wrong.join('; ')}`)
        slowestMs = Math.max(slowestMs, Date.now() - startMs)
      }
    }
    const steps = workers.log().filter(({ what }) => what === 'begin').length
    return `${steps} tool calls, every outcome as it must be, nothing finished done again; the slowest took ${(slowestMs / 1000).toFixed(1)} s`
  } finally {
    await workers.end()
  }
}
