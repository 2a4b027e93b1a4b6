// Tools that are bound to a class of workers run there, and nowhere else.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RestateServer, startRestateServer } from '../../src/cluster/restate-server.ts'
import { type ClusterWorker, clusterWorker } from '../../src/engine/cluster-worker.ts'
import { createEngine, tool } from '../../src/index.ts'
import { restate } from '../../src/restate.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { freshDatabase } from '../postgres.ts'

let server: RestateServer
const workers: ClusterWorker[] = []
beforeAll(async () => {
  server = await startRestateServer()
})
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.close()))
  await server?.end()
})

const MOVES = ['{"do":"tool","calls":[{"name":"where","input":{}}]}', '{"do":"return","result":"done"}']

/** Says which worker has run it. */
const where = (place: string) =>
  tool({ name: 'where', description: 'says where it is', access: 'read', workers: 'desk', run: () => place })

it('calls a tool on the workers of its class; while none is there the call waits, and that is said', async () => {
  const postgres = await freshDatabase()
  const { admin, ingress } = server
  const start = async (place: string, own: { workers?: string }) => {
    const model = new ScriptedModel(MOVES)
    workers.push(await clusterWorker({ postgres, admin, ingress, model, tools: [where(place)], ...own }))
  }
  await start('any worker', {})
  const warned = new Promise<Error>((resolve) => {
    process.on('warning', (warning) => {
      if ((warning as { code?: string }).code === 'NO_WORKERS') resolve(warning)
    })
  })
  const engine = createEngine({
    host: restate({ ingress, postgres }),
    model: new ScriptedModel([]),
    tools: [where('the client')],
  })
  const run = await engine.start('find out where', { strategy: 'minimal' })
  expect((await warned).message).toContain('"desk" (where), and none is there')
  await start('the desk', { workers: 'desk' })
  expect(workers[1]?.address).toMatch(/\/desk$/)
  expect(await run.outcome).toMatchObject({ status: 'completed', result: 'done' })
  const ends: unknown[] = []
  for await (const event of await engine.events(run.id))
    if (event.type === 'tool-end') ends.push(event.result)
  await engine.close()
  expect(ends).toEqual([{ ok: true, value: 'the desk' }])
})
