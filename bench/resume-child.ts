/**
 * A process that works on one large run. `build` does it until shortly before its end and is killed there, `resume` does the rest,
 * `message` sends a message to it. Prints what that took.
 */
import { createEngine, type Strategy } from '../src/index.ts'
import { check, MODELS, request, UNLIMITED } from './overhead-work.ts'

const [act = '', store = '', shape = '', blocks = '0'] = process.argv.slice(2)
/** The calls that are left when the process is killed. */
const HELD_BACK = 20
const BATCH = 100
const BRANCHES = 6

type Sized = { size: number }
const options = (given: Readonly<Record<string, unknown>>): Sized => ({ size: Number(given.size) })

const leaf: Strategy<Sized> = {
  name: 'large-leaf',
  version: 1,
  options,
  async solve(context) {
    return check((await context.one(context.model(request(`part ${context.path}`, [])))).text)
  },
}

/** Children of one root, a batch at a time. */
const wide: Strategy<Sized> = {
  name: 'large-wide',
  version: 1,
  options,
  async solve(context) {
    for (let done = 0; done < context.options.size; done += BATCH) {
      const how = { strategy: 'large-leaf' }
      await context.all(Array.from({ length: BATCH }, (_, i) => context.call(`part ${done + i}`, how)))
    }
    return 'wide'
  },
}

/** A tree, one block at a time. */
const deep: Strategy<Sized> = {
  name: 'large-deep',
  version: 1,
  options,
  async solve(context) {
    let rest = context.options.size - 1
    for (let branch = 0; branch < BRANCHES && rest > 0; branch++) {
      const size = Math.ceil(rest / (BRANCHES - branch))
      rest -= size
      await context.one(context.call(`branch ${branch}`, { options: { size } }))
    }
    return check((await context.one(context.model(request(`part ${context.path}`, [])))).text)
  },
}

let callsLeft = act === 'build' ? Number(blocks) - HELD_BACK : Number.POSITIVE_INFINITY
const model: typeof MODELS.reading = {
  ...MODELS.reading,
  call(given) {
    if (--callsLeft === 0) report({}, () => process.kill(process.pid, 'SIGKILL'))
    return callsLeft > 0 ? MODELS.reading.call(given) : new Promise(() => {})
  },
}

const engine = createEngine({ model, store, synchronous: 'normal', strategies: [leaf, wide, deep] })
await engine.list()
const startedMs = performance.now()
const startedCpu = process.cpuUsage()
if (act === 'build') {
  const how = {
    id: 'large',
    strategy: `large-${shape}`,
    options: { size: Number(blocks) },
    budget: UNLIMITED,
  }
  await (await engine.start('a large run', how)).outcome
} else if (act === 'message') {
  await engine.signal('large', '1', 'message', 'make haste')
  report({})
} else {
  const { status } = await (await engine.resume('large')).outcome
  report({ status })
}
await engine.close()

function report(more: object, then?: () => void): void {
  const ms = performance.now() - startedMs
  const { user, system } = process.cpuUsage(startedCpu)
  const rssKb = process.resourceUsage().maxRSS
  process.stdout.write(JSON.stringify({ ...more, ms, cpuMs: (user + system) / 1e3, rssKb }), then)
}
