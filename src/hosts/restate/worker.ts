/** A worker: serves blocks and effects to a Restate server, over HTTP/2 on a port of its own. */
import { createServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import * as restate from '@restatedev/restate-sdk'
import { systemClock } from '../../kernel/clock.ts'
import { Effects } from './effects.ts'
import { services, type WorkerParts } from './services.ts'

export interface WorkerOptions extends WorkerParts {
  /** The same one after a restart: the server looks for the work it gave out at the address it gave it to. */
  readonly port?: number
}

export interface Worker {
  readonly address: string
  readonly port: number
  /** Ends at once; what is under way goes on when a worker is there again. */
  close(): Promise<void>
}

export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const effects = new Effects(options)
  const handler = restate.createEndpointHandler({ services: services(options, effects), logger: () => {} })
  const server = createServer(handler)
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const unwatch = systemClock.watch()
  return {
    port,
    address: `http://127.0.0.1:${port}`,
    async close() {
      effects.abandon()
      unwatch()
      const closed = new Promise((resolve) => server.close(resolve))
      for (const session of sessions) session.destroy()
      await closed
    },
  }
}

/** Tells the server where a worker is. Repeating it is harmless. */
export async function registerWorker(admin: string, address: string): Promise<void> {
  const answer = await fetch(`${admin}/deployments`, {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: address, force: true }),
  })
  if (!answer.ok) throw new Error(`the Restate server refuses the worker: ${await answer.text()}`)
}
