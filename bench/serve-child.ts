/**
 * A server for `serve`, in a process of its own: its runs make 40 calls, one after the other, of a model that takes 100 ms. It says its port
 * on stdout; a line on stdin asks what memory it has.
 */
import { createInterface } from 'node:readline'
import { createEngine, type Model, type Strategy } from '../src/index.ts'
import { serviceApp } from '../src/server/http/app.ts'
import { listen } from '../src/server/http/listen.ts'
import { createService } from '../src/server/service.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import { request, UNLIMITED } from './overhead-work.ts'

const CALLS = 40
const CALL_MS = 100
const [file = '', token = '', synchronous = 'full'] = process.argv.slice(2)
const store = sqliteStore(file, { synchronous: synchronous as 'full' | 'normal' })

const model: Model = {
  id: 'bench-slow',
  async call({ messages }) {
    const isToWait = String(messages[0]?.content).includes('wait for ever')
    await new Promise((resolve) => setTimeout(resolve, isToWait ? 1e9 : CALL_MS))
    return {
      text: '{"type":"RETURN","description":"one part"}',
      usage: { inputTokens: 100, outputTokens: 10 },
    }
  },
}

const sequence: Strategy = {
  name: 'bench-sequence',
  version: 1,
  options: (given) => given,
  async solve(context) {
    const goal = String(context.block.goal)
    for (let i = 0; i < CALLS; i++) {
      await context.all([context.model(request(goal, [`${i} parts`]))])
      // What a slow reader does not take: 64 kB for each call.
      if (goal.startsWith('large')) context.emit('large', 'x'.repeat(65_536))
    }
    return 'done'
  },
}

const strategies = [sequence]
const service = createService({
  engineFor: () => createEngine({ model, store, strategies }),
  models: ['bench'],
  strategies,
  defaults: { strategy: sequence.name, budget: UNLIMITED },
  maxRuns: 1_000,
})
const app = serviceApp(service, { tokens: [token], limits: { startsPerMinute: 1e6 } })
const { port } = await listen(app, { host: '127.0.0.1', port: 0 })
process.stdout.write(`${port}\n`)
for await (const _ of createInterface({ input: process.stdin })) {
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  process.stdout.write(`${JSON.stringify({ rss, heapUsed, cpuMs: (user + system) / 1_000 })}\n`)
}
process.exit()
