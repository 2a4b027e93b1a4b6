/** A folder whose commands work on a cluster: a real PostgreSQL, and a worker in a process of its own. */
import { once } from 'node:events'
import { freshDatabase } from '../postgres.ts'
import { type Going, makePlace, type Place } from './cli-process.ts'

export interface ClusterPlace extends Place {
  readonly worker: Going
  /** Also removes the folder. */
  end(): Promise<void>
}

export async function makeClusterPlace(env: NodeJS.ProcessEnv = {}): Promise<ClusterPlace> {
  const place = makePlace()
  Object.assign(place.env, env, { THINKON_HOST: 'cluster', THINKON_POSTGRES: await freshDatabase() })
  const worker = place.start(['cluster', 'worker', '--json'])
  const [said] = await once(worker.child.stdout as NodeJS.ReadableStream, 'data')
  if (!String(said).includes('"state":"serving"')) throw new Error(`the worker does not serve: ${said}`)
  return {
    ...place,
    worker,
    async end() {
      place.remove()
    },
  }
}
