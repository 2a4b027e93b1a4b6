// What a run has on one machine it has on a cluster: models by role, MCP servers, executors, the sandbox, memory, approvals, and strict resumes.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RestateServer, startRestateServer } from '../../src/cluster/restate-server.ts'
import { type ClusterWorker, clusterWorker } from '../../src/engine/cluster-worker.ts'
import { builtinTools, createEngine, type Engine, type EngineOptions } from '../../src/index.ts'
import type { Event, Role } from '../../src/protocol/index.ts'
import { restate } from '../../src/restate.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { sandboxStatus } from '../../src/tools/sandbox.ts'
import { answerAt } from '../answers.ts'
import { request, strategyOf } from '../conformance/kernel/lab.ts'
import { freshDatabase } from '../postgres.ts'

const ODD_SERVER = join(import.meta.dirname, '../../src/tools/mcp/fixtures/odd-server.js')
const EXECUTORS = `
executors:
  - id: greet
    description: Greets
    command: echo hello {{name}}
    inputs: { name: { type: string } }
    side_effects: none
`

let server: RestateServer
let worker: ClusterWorker
let engine: Engine
let open: (given?: Partial<EngineOptions>) => Engine
const workspace = mkdtempSync(join(tmpdir(), 'thinkon-parts-'))
const engines: Engine[] = []

/** Calls the tools that its goal names, one after the other, and says what each gave. */
const caller = strategyOf('caller', async (context) => {
  const given: unknown[] = []
  for (const [name, input] of JSON.parse(String(context.block.goal)) as [string, unknown][])
    given.push(
      await context.one(
        name.startsWith('memory__') ? context.ownTool(name, input) : context.tool(name, input),
      ),
    )
  return JSON.stringify(given)
})

/** Asks two models, and then a person. */
const asker = strategyOf('asker', async (context) => {
  const ask = async (role: Role) => (await context.one(context.model({ ...request(role), role }))).text
  const said = [await ask('plan'), await ask('judge')]
  return `${said.join(', ')}, ${await context.one(context.ask({ text: 'well?' }))}`
})

const saying = (id: string) => new ScriptedModel(() => `by ${id}`, { id })
const parts = { model: saying('usual'), models: { judge: saying('judge') }, strategies: [caller, asker] }

beforeAll(async () => {
  mkdirSync(join(workspace, '.thinkon/executors'), { recursive: true })
  writeFileSync(join(workspace, '.thinkon/executors/executors.yaml'), EXECUTORS)
  server = await startRestateServer()
  const postgres = await freshDatabase()
  const { admin, ingress } = server
  const mcp = { odd: { command: process.execPath, args: [ODD_SERVER], only: ['echo', 'pid'] } }
  const tools = () => builtinTools({ workspace, mcp })
  worker = await clusterWorker({ postgres, admin, ingress, ...parts, tools: tools() })
  open = (given = {}) => {
    const opened = createEngine({ host: restate({ ingress, postgres }), ...parts, tools: tools(), ...given })
    engines.push(opened)
    return opened
  }
  engine = open()
})

afterAll(async () => {
  for (const one of engines) await one.close()
  await worker?.close()
  await server?.end()
  rmSync(workspace, { recursive: true, force: true })
})

async function called(calls: readonly (readonly [string, unknown])[]): Promise<unknown[]> {
  const run = await engine.start(JSON.stringify(calls), {
    strategy: 'caller',
    approval: { workspace, asks: 'yes' },
  })
  const { status, result, reason } = await run.outcome
  expect({ status, reason }).toMatchObject({ status: 'completed' })
  return JSON.parse(String(result))
}

async function asked(of: Engine, id: string): Promise<Extract<Event, { type: 'signal-asked' }>> {
  for (;;) {
    for (const event of await of.events(id)) if (event.type === 'signal-asked') return event as never
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

it('calls the tools of MCP servers, of executors, of the sandbox and of the memory', async () => {
  const fact = 'the kettle is in the cellar'
  const given = await called([
    ['odd__echo', { text: 'from afar' }],
    ['executor__greet', { name: 'you' }],
    ['shell', { command: 'echo $((17 * 23))' }],
    ['memory__save', { items: [{ kind: 'fact', text: fact }] }],
    ['memory__search', { query: 'where is the kettle' }],
  ])
  expect(given).toMatchObject([
    { text: 'from afar' },
    { exitCode: 0, stdout: 'hello you\n' },
    { exitCode: 0, stdout: '391\n', sandboxed: (await sandboxStatus()).kind === 'bubblewrap' },
    {},
    {},
  ])
  expect(JSON.stringify(given.at(-1))).toContain(fact)
})

it('asks the model of each role that the workers have; strict refuses a client that has others', async () => {
  const run = await engine.start('a goal', { strategy: 'asker' })
  const { path } = await asked(engine, run.id)
  const other = open({ model: saying('other') })
  await expect(other.resume(run.id, { strict: true })).rejects.toThrow('from usual to other')
  const resumed = await other.resume(run.id)
  await answerAt(resumed, path, 'by a person')
  expect(await run.outcome).toMatchObject({ status: 'completed', result: 'by usual, by judge, by a person' })
})

it('asks a person for permission, and does what was allowed once', async () => {
  const calls = [['write_file', { path: 'note.txt', content: 'written' }]]
  const run = await engine.start(JSON.stringify(calls), {
    strategy: 'caller',
    approval: { workspace, asks: 'person' },
  })
  const { path } = await asked(engine, run.id)
  await answerAt(run, path, 'yes')
  expect(await run.outcome).toMatchObject({ status: 'completed' })
  expect(readFileSync(join(workspace, 'note.txt'), 'utf8')).toBe('written')
})
