/** Traces and metrics by OTLP, to a receiver on this machine. */
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { telemetrySettings } from '../../src/config/index.ts'
import { createEngine } from '../../src/engine.ts'
import { openTelemetry } from '../../src/server/telemetry/open-telemetry.ts'
import { traceOf } from '../../src/telemetry.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { until } from '../conformance/async.ts'
import { makePlace, type Place } from '../e2e/cli-process.ts'
import { type Receiver, spansIn, spansOf, startReceiver } from './receiver.ts'

let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

const idsOf = (spans: readonly { spanId: string }[]) => spans.map(({ spanId }) => spanId)
const script = {
  g: [
    { do: 'call', goals: ['a', 'b'] },
    { do: 'return', result: 'r' },
  ],
  a: [{ do: 'return', result: 'a' }],
  b: [{ do: 'return', result: 'b' }],
}

async function tracedRun(env: Record<string, string>, options: { goal?: string } = {}) {
  const settings = telemetrySettings({}, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...env })
  if (settings === null) return null
  const problems: string[] = []
  const telemetry = openTelemetry(settings, { warn: (message) => problems.push(message) })
  const engine = telemetry.observe(createEngine({ model: new ScriptedModel(script, { id: 'openai:gpt-5' }) }))
  const run = await engine.start(options.goal ?? 'g', { strategy: 'minimal' })
  const { status } = await run.outcome
  const spans = traceOf(await engine.events(run.id))
  await engine.close()
  await telemetry.close()
  return { status, spans, problems, run: run.id }
}

describe('a receiver', () => {
  it('gets the trace and the metrics of a run, with headers and the name of the service', async () => {
    const traced = await tracedRun({
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20key-1,x-team=a',
      OTEL_SERVICE_NAME: 'mine',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    })
    expect(idsOf(spansIn(receiver))).toEqual(idsOf(traced?.spans ?? []))
    for (const { headers, text } of receiver.taken) {
      expect(headers).toMatchObject({
        authorization: 'Bearer key-1',
        'x-team': 'a',
        'content-type': 'application/json',
      })
      expect(text).toContain('{"key":"service.name","value":{"stringValue":"mine"}}')
      expect(text).toContain('"deployment.environment.name"')
    }
    const [metrics] = receiver.taken.filter(({ path }) => path === '/v1/metrics')
    const named = [...(metrics?.text ?? '').matchAll(/"name":"([\w.]+)","description"/g)].map(
      ([, name]) => name,
    )
    expect(named).toEqual(
      expect.arrayContaining([
        'gen_ai.client.token.usage',
        'gen_ai.client.operation.duration',
        'thinkon.runs',
      ]),
    )
    expect(metrics?.text).not.toContain(traced?.run)
  })

  it('gets nothing that was said unless it is asked for', async () => {
    await tracedRun({})
    const quiet = receiver.taken.map(({ text }) => text).join()
    expect(quiet).not.toContain('gen_ai.input.messages')
    await tracedRun({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' })
    expect(receiver.taken.map(({ text }) => text).join()).toContain('gen_ai.input.messages')
  })

  it.each([
    [{ OTEL_SDK_DISABLED: 'true' }, 0, 0],
    [{ OTEL_TRACES_EXPORTER: 'none' }, 0, 1],
    [{ OTEL_METRICS_EXPORTER: 'none' }, 1, 0],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, 0, 1],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, 0, 1],
  ])('is sent what %o leaves', async (env, traces, metrics) => {
    await tracedRun(env as Record<string, string>)
    const count = (end: string) => receiver.taken.filter(({ path }) => path.endsWith(end)).length
    expect([count('/v1/traces'), count('/v1/metrics')]).toEqual([traces, metrics])
  })

  it('that is busy is asked again; one that refuses is not', async () => {
    let times = 0
    receiver.answers = ({ path }) => (path === '/v1/traces' && ++times === 1 ? 503 : 200)
    const busy = await tracedRun({ OTEL_BSP_SCHEDULE_DELAY: '1' })
    expect(idsOf(spansIn(receiver))).toEqual(idsOf(busy?.spans ?? []))
    receiver.taken.splice(0)
    receiver.answers = () => 400
    const refused = await tracedRun({ OTEL_METRICS_EXPORTER: 'none' })
    expect(receiver.taken).toHaveLength(1)
    expect(refused?.problems).toHaveLength(1)
  })

  it.each(['down', 'silent', 'redirecting', 'failing'] as const)(
    'that is %s does not disturb a run, and is told of once, without keys',
    async (how) => {
      if (how === 'down') await receiver.down()
      const answer = { redirecting: 307, failing: 500 } as const
      receiver.answers = () => (how === 'down' || how === 'silent' ? 'nothing' : answer[how])
      const env = { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=key-1', OTEL_EXPORTER_OTLP_TIMEOUT: '50' }
      const traced = await tracedRun({ ...env, OTEL_METRICS_EXPORTER: 'none' })
      if (how === 'down') await receiver.up()
      expect(traced?.status).toBe('completed')
      expect(traced?.problems).toHaveLength(1)
      expect(traced?.problems[0]).not.toContain('key-1')
    },
  )

  it('that is no receiver, and answers garbage, does not disturb a run', async () => {
    const server = createServer((socket) => {
      socket.resume()
      socket.on('error', () => {}).end('\u0000\u0001 220 mail.example ready\r\n\r\n')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const traced = await tracedRun({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_METRICS_EXPORTER: 'none',
    })
    await new Promise((resolve) => server.close(resolve))
    expect([traced?.status, traced?.problems.length]).toEqual(['completed', 1])
  })

  it('that is slower than the run loses what does not fit the queue, and the run goes on', async () => {
    receiver.answers = () => 'nothing'
    const traced = await tracedRun({
      OTEL_BSP_MAX_QUEUE_SIZE: '2',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2',
      OTEL_BSP_SCHEDULE_DELAY: '1',
      OTEL_EXPORTER_OTLP_TIMEOUT: '50',
    })
    expect(traced?.status).toBe('completed')
    expect(traced?.problems.filter((message) => message.includes('telemetry is incomplete'))).toHaveLength(1)
  })
})

describe('on the command line', () => {
  let place: Place
  beforeAll(() => {
    place = makePlace()
  })
  afterAll(() => place.remove())

  const env = (more: Record<string, string> = {}) => ({
    ...place.env,
    THINKON_MODEL: 'embedded:abacus#40',
    THINKON_STRATEGY: 'fractal',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    ...more,
  })
  const goal = '((1+2)*(3+4)-(5+6)*(7+8))/((9-1)*(2+3))'

  it('a run that is killed and resumed gives one trace: that of thinkon trace', async () => {
    for (const killAfter of [3, 8]) {
      receiver.taken.splice(0)
      const first = place.start(['run', goal, '--json'], env())
      await until(() => spansIn(receiver).length >= killAfter, 'spans arrive')
      first.child.kill('SIGKILL')
      await first.ended
      const before = spansIn(receiver).length
      const lastBatch = spansOf(JSON.parse(receiver.taken.at(-1)?.text ?? '')).length
      const resumed = await place.alone(['resume', 'last', '--json'], '', env())
      expect(resumed.code, resumed.stderr).toBe(0)
      const { stdout } = await place.alone(['trace', 'last', '--json'])
      const whole = spansOf(JSON.parse(stdout))
      const got = spansIn(receiver)
      expect(got.length).toBeGreaterThan(before)
      // Only the batch whose arrival the killed process did not hear of may come again, as it was.
      expect(got.length - whole.length).toBeLessThanOrEqual(lastBatch)
      const byId = (spans: typeof got) => new Map(spans.map((span) => [span.spanId, span]))
      for (const span of got) expect(byId(whole).get(span.spanId)).toEqual(span)
      expect(new Set(idsOf(got))).toEqual(new Set(idsOf(whole)))
    }
  })

  it('what a receiver that was down has missed is sent when the run is resumed, or with trace --send', async () => {
    await receiver.down()
    const first = place.start(['run', goal, '--json'], env())
    await place.state(
      'last',
      ({ status, blocks }) => status === 'running' && blocks.some(({ outcome }) => outcome !== null),
    )
    first.child.kill('SIGKILL')
    await first.ended
    await receiver.up()
    const { code } = await place.alone(['resume', 'last', '-q'], '', env())
    expect(code).toBe(0)
    const whole = spansOf(JSON.parse((await place.alone(['trace', 'last', '--json'])).stdout))
    expect(idsOf(spansIn(receiver)).toSorted()).toEqual(idsOf(whole).toSorted())
    receiver.taken.splice(0)
    const sent = await place.alone(['trace', 'last', '--send'], '', env())
    expect(sent.stdout).toMatch(
      /^sent \d+ spans of run \S+ to http:\/\/127\.0\.0\.1:\d+: trace [0-9a-f]{32}\n$/,
    )
    expect(spansIn(receiver)).toEqual(whole)
  })

  it('without a receiver nothing is sent, and trace --send says what is missing', async () => {
    const { code, stderr } = await place.alone(['trace', 'last', '--send'])
    expect(code).toBe(2)
    expect(stderr).toContain('OTEL_EXPORTER_OTLP_ENDPOINT')
  })
})

describe('settings', () => {
  it.each([
    [{}, {}, null],
    [{ telemetry: false }, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a' }, null],
    [{ telemetry: true }, {}, 'http://localhost:4318/v1/traces'],
    [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:1/base/' }, 'http://a:1/base/v1/traces'],
    [{}, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://a:1/as/it/is' }, 'http://a:1/as/it/is'],
    [
      { telemetry: { endpoint: 'http://b' } },
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://a' },
      'http://b/v1/traces',
    ],
  ] as const)('%o with %o: traces go to %s', (config, env, url) => {
    expect(telemetrySettings(config, env)?.traces?.url ?? null).toBe(url)
  })

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://a' }, 'OTEL_EXPORTER_OTLP_ENDPOINT must be an address'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'grpc'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_HEADERS: 'key-1' },
      'entry 1 must be key=value',
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_TRACES_SAMPLER: 'mine' }, 'OTEL_TRACES_SAMPLER'],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER is "zipkin"'],
  ] as const)('%o is refused', (env, message) => {
    expect(() => telemetrySettings({}, env)).toThrow(message)
  })
})

it('a record that can not be kept does not stop anything', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-record-'))
  const settings = telemetrySettings({}, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url })
  if (settings === null) throw new Error('no settings')
  const problems: string[] = []
  const telemetry = openTelemetry(settings, { record: folder, warn: (message) => problems.push(message) })
  const engine = telemetry.observe(createEngine({ model: new ScriptedModel(script) }))
  await (await engine.start('g', { strategy: 'minimal' })).outcome
  await engine.close()
  await telemetry.close()
  rmSync(folder, { recursive: true })
  expect(problems).toHaveLength(1)
  expect(spansIn(receiver).length).toBeGreaterThan(3)
})
