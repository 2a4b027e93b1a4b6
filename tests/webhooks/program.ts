/**
 * The service that is killed: `node program.ts <store> <url> <secret>`. Works on one run; when its end is recorded, it kills itself before
 * anybody is told of it.
 */
import { createEngine } from '../../src/engine.ts'
import { createService, createWebhooks } from '../../src/server.ts'
import { ScriptedModel } from '../../src/testing/index.ts'

const [store = '', url = '', secret = ''] = process.argv.slice(2)
const webhooks = createWebhooks({ receivers: [{ url, secret }], record: `${store}.webhooks` })
const service = createService({
  engineFor: () =>
    createEngine({ model: new ScriptedModel(() => ({ do: 'return', result: 'done' })), store }),
  models: ['scripted'],
  defaults: { strategy: 'minimal' },
  webhooks,
  onEvent: ({ type }) => {
    if (type === 'run-end') process.kill(process.pid, 'SIGKILL')
  },
})
// The record is there before the run begins, as in a service that has been up for a while.
await service.open()
await webhooks.deliveries()
await service.start('a', { id: 'killed' })
