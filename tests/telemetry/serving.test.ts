/** Traces and metrics of commands that stay: `thinkon serve`, and the workers of a cluster. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { until } from '../conformance/async.ts'
import { makePlace, type Place } from '../e2e/cli-process.ts'
import { makeClusterPlace } from '../e2e/cluster-place.ts'
import { type ServeProcess, startServe } from '../server/serve-process.ts'
import { type Receiver, spansIn, spansOf, startReceiver } from './receiver.ts'

let place: Place
let receiver: Receiver
beforeEach(async () => {
  place = makePlace()
  receiver = await startReceiver()
})
afterEach(async () => {
  place.remove()
  await receiver.close()
})

const goal = '((1+2)*(3+4)-(5+6)*(7+8))/((9-1)*(2+3))'
const telemetryEnv = () => ({
  THINKON_MODEL: 'embedded:abacus#20',
  THINKON_STRATEGY: 'fractal',
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_BSP_SCHEDULE_DELAY: '20',
})

async function startRun({ post }: ServeProcess): Promise<string> {
  return ((await (await post('/api/runs', { goal })).json()) as { run: string }).run
}

const rootOf = (run: { spanId: string; parentSpanId?: string }) => run.parentSpanId === undefined
const idsOf = (spans: readonly { spanId: string }[]) => spans.map(({ spanId }) => spanId).toSorted()
const metricsIn = ({ taken }: Receiver) => taken.filter(({ path }) => path === '/v1/metrics')

async function wholeTrace(run: string, from = place) {
  return spansOf(JSON.parse((await from.alone(['trace', run, '--json'])).stdout))
}

it('serve that is killed in the middle of runs and started again gives each its one trace, whole', async () => {
  const first = await startServe(place, { env: telemetryEnv() })
  const runs = [await startRun(first), await startRun(first), await startRun(first)]
  await until(() => spansIn(receiver).length > 6, 'spans arrive')
  first.child.kill('SIGKILL')
  await first.ended
  const lastBatch = spansOf(JSON.parse(receiver.taken.at(-1)?.text ?? '')).length
  const second = await startServe(place, { env: telemetryEnv() })
  await until(() => spansIn(receiver).filter(rootOf).length >= runs.length, 'the runs end')
  second.child.kill('SIGTERM')
  expect((await second.ended).code).toBe(0)
  const whole = (await Promise.all(runs.map((run) => wholeTrace(run)))).flat()
  const got = spansIn(receiver)
  expect(new Set(idsOf(got))).toEqual(new Set(idsOf(whole)))
  // Only the batch whose arrival the killed process did not hear of may come again.
  expect(got.length - whole.length).toBeLessThanOrEqual(lastBatch)
  expect(new Set(got.map(({ traceId }) => traceId)).size).toBe(runs.length)
  expect(metricsIn(receiver).at(-1)?.text).toContain('thinkon.runs')
})

it('of a run on a cluster, the worker that ends it sends the trace and measures it; who started it sends nothing', async () => {
  const cluster = await makeClusterPlace(telemetryEnv())
  try {
    const { code, stdout } = await cluster.alone(['run', goal, '--json'])
    expect(code).toBe(0)
    const { run } = JSON.parse(stdout.split('\n')[0] ?? '') as { run: string }
    await until(() => spansIn(receiver).some(rootOf), 'the trace arrives')
    cluster.worker.child.kill('SIGTERM')
    await cluster.worker.ended
    const whole = await wholeTrace(run, cluster)
    expect(idsOf(spansIn(receiver))).toEqual(idsOf(whole))
    const measured = metricsIn(receiver).map(({ text }) => text)
    expect(measured.at(-1)).toContain('gen_ai.client.token.usage')
    const instances = measured.map((text) => /service\.instance\.id.{1,30}?"([\w-]{36})"/.exec(text)?.[1])
    expect(new Set(instances).size).toBe(1)
  } finally {
    await cluster.end()
  }
})
