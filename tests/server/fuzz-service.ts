/** A service with a run that has ended and one that is worked on, for requests that a seed makes. */
import { dirname } from 'node:path'
import { type FuzzedRequests, fuzzRequests } from './fuzz-requests.ts'
import { serveHere, storeFile } from './serve-here.ts'

export async function serveToFuzz(count: number, seed: string): Promise<FuzzedRequests> {
  const store = storeFile()
  const errors: unknown[] = []
  const served = await serveHere({
    store,
    script: ({ input }, { signal }) =>
      (input as { goal: string }).goal === 'wait'
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        : { do: 'return', result: 'done' },
    service: { workspace: dirname(store), maxRuns: 1_000, defaults: { strategy: 'minimal' } },
    app: {
      limits: { startsPerMinute: 1e6, bodyTimeoutMs: 1_000, heartbeatMs: 50 },
      onError: (thrown) => errors.push(thrown),
    },
  })
  const { service } = served
  async function prepare(): Promise<void> {
    await (await service.start('a', { id: 'run-1' })).outcome
    const [row] = await service.engine.list({ search: 'run-2' })
    if (row?.owned) return
    if (row !== undefined) await service.engine.delete('run-2')
    await service.start('wait', { id: 'run-2' })
  }
  const { findings, statuses } = await fuzzRequests(served, { count, seed, prepare })
  const after = await served.post('/api/runs', { goal: 'afterwards' })
  const wrong = after.status === 201 ? [] : [`afterwards: ${after.status} ${await after.text()}`]
  const told = errors.map((thrown) => `told: ${(thrown as Error).stack ?? thrown}`)
  return { findings: [...findings, ...wrong, ...told], statuses }
}
