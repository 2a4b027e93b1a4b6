/** A folder whose commands work on a cluster: a real Restate server, a real PostgreSQL, and a worker in a process of its own. */
import { once } from 'node:events'
import { freePorts } from '../../src/cluster/free-ports.ts'
import { type RestateServer, startRestateServer } from '../../src/cluster/restate-server.ts'
import { freshDatabase } from '../postgres.ts'
import { type Going, makePlace, type Place } from './cli-process.ts'

export interface ClusterPlace extends Place {
  readonly server: RestateServer
  readonly worker: Going
  /** Also removes the folder. */
  end(): Promise<void>
}

export async function makeClusterPlace(env: NodeJS.ProcessEnv = {}): Promise<ClusterPlace> {
  const place = makePlace()
  const server = await startRestateServer()
  const [port] = await freePorts(1)
  Object.assign(place.env, env, {
    THINKON_HOST: 'restate',
    THINKON_RESTATE_INGRESS: server.ingress,
    THINKON_RESTATE_ADMIN: server.admin,
    THINKON_POSTGRES: await freshDatabase(),
    THINKON_WORKER_LISTEN: `127.0.0.1:${port}`,
  })
  const worker = place.start(['worker', '--json'])
  const [said] = await once(worker.child.stdout as NodeJS.ReadableStream, 'data')
  if (!String(said).includes('"state":"serving"')) throw new Error(`the worker does not serve: ${said}`)
  return {
    ...place,
    server,
    worker,
    async end() {
      place.remove()
      await server.end()
    },
  }
}
