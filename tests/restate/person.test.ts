// A person as the model of runs on a cluster: asked, asked again, and answered while no worker is there.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePorts } from '../../src/cluster/free-ports.ts'
import { type RestateServer, startRestateServer } from '../../src/cluster/restate-server.ts'
import { type ClusterWorker, clusterWorker } from '../../src/engine/cluster-worker.ts'
import { createEngine, type Engine } from '../../src/index.ts'
import { foldEvents } from '../../src/protocol/index.ts'
import { restate } from '../../src/restate.ts'
import { calculateTool } from '../../src/tools/builtin/calculate.ts'
import { openQuestions } from '../../src/views/questions.ts'
import { answerAt } from '../answers.ts'
import { until } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { freshDatabase } from '../postgres.ts'

let server: RestateServer
let worker: ClusterWorker
let engine: Engine
let startWorker: () => Promise<ClusterWorker>

beforeAll(async () => {
  server = await startRestateServer()
  const postgres = await freshDatabase()
  const { admin, ingress } = server
  const parts = { model: 'person', tools: [calculateTool()] }
  const [port = 0] = await freePorts(1)
  startWorker = () => clusterWorker({ ...parts, postgres, admin, ingress, port })
  worker = await startWorker()
  engine = createEngine({ ...parts, host: restate({ postgres, ingress }) })
})

afterAll(async () => {
  await engine?.close()
  await worker?.close()
  await server?.end()
})

const asks = (run: string, name: string) =>
  until(async () => {
    const state = foldEvents([...(await engine.events(run))])
    return [...openQuestions(state)].some((open) => open.name === name && open.request !== undefined)
  }, `run ${run} asks ${name}`)

it('is asked, calls a tool, is asked again, and is waited for while no worker is there', async () => {
  const run = await engine.start('what is 6 * 7?', { strategy: 'minimal', id: 'by-hand' })
  await asks('by-hand', 'reply')
  await answerAt(run, '1', { toolCalls: [{ name: 'calculate', input: { expression: '6 * 7' } }] })
  await asks('by-hand', 'reply-2')
  await worker.close()
  await answerAt(run, '1', 'it is forty-two')
  worker = await startWorker()
  await asks('by-hand', 'reply-3')
  await answerAt(run, '1', '{"do":"return","result":"42"}')
  expect(await run.outcome).toMatchObject({ status: 'completed', result: '42', usage: { calls: 4 } })
  const events = [...(await engine.events('by-hand'))]
  expect(violations(events)).toEqual([])
  expect(events.filter(({ type }) => type === 'signal-asked')).toHaveLength(3)
  expect((await engine.replay('by-hand')).differences).toEqual([])
})
