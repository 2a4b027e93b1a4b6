/**
 * Where traces and metrics go: as the configuration says, and where it says nothing, the variables of OpenTelemetry. Nothing is sent
 * unless one of the two names a receiver. OTEL_SDK_DISABLED=true switches all of it off.
 */
import { ThinkonError } from '../protocol/index.ts'
import type { TelemetryConfig, ThinkonConfig } from './config.ts'
import { type Environment, fillAll, fillVariables } from './fill-variables.ts'

export interface TelemetrySettings {
  /** Null: none are sent. */
  readonly traces: OtlpTarget | null
  readonly metrics: OtlpTarget | null
  readonly serviceName: string
  /** What else is known of the program, as OTEL_RESOURCE_ATTRIBUTES has it. */
  readonly resource: Readonly<Record<string, string>>
  readonly content: boolean
  readonly maxContentChars?: number
  /** The share of runs whose traces are sent. */
  readonly sample: number
  /** How long spans are gathered, how many at a time are sent, and how many may wait. */
  readonly delayMs: number
  readonly batchSize: number
  readonly queueSize: number
  readonly metricsMs: number
}

export interface OtlpTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly gzip: boolean
}

type Signal = 'traces' | 'metrics'

const DEFAULT_ENDPOINT = 'http://localhost:4318'

/** Null if nothing is sent. */
export function telemetrySettings(
  { telemetry }: Pick<ThinkonConfig, 'telemetry'>,
  env: Environment = process.env,
): TelemetrySettings | null {
  if (telemetry === false || isTrue(env.OTEL_SDK_DISABLED)) return null
  const config = typeof telemetry === 'object' ? telemetry : {}
  const isConfigured = telemetry !== undefined
  const traces = targetOf('traces', config, isConfigured, env)
  const metrics = targetOf('metrics', config, isConfigured, env)
  if (traces === null && metrics === null) return null
  const { 'service.name': named, ...resource } = pairs('OTEL_RESOURCE_ATTRIBUTES', env)
  return {
    traces,
    metrics,
    serviceName: config.serviceName ?? (env.OTEL_SERVICE_NAME || named || 'thinkon'),
    resource,
    content: config.content ?? /^(?:true|span_only|span_and_event)$/i.test(env[CONTENT] ?? ''),
    sample: config.sample ?? sampleOf(env),
    ...sizesOf(env),
  }
}

function sizesOf(env: Environment) {
  const most =
    numberIn('OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT', env) ??
    numberIn('OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT', env)
  return {
    ...(most !== undefined && { maxContentChars: most }),
    delayMs: numberIn('OTEL_BSP_SCHEDULE_DELAY', env) ?? 5_000,
    batchSize: Math.max(1, numberIn('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', env) ?? 512),
    queueSize: Math.max(1, numberIn('OTEL_BSP_MAX_QUEUE_SIZE', env) ?? 2_048),
    metricsMs: Math.max(1, numberIn('OTEL_METRIC_EXPORT_INTERVAL', env) ?? 60_000),
  }
}

const CONTENT = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'

function targetOf(
  signal: Signal,
  config: TelemetryConfig,
  isConfigured: boolean,
  env: Environment,
): OtlpTarget | null {
  const name = signal.toUpperCase()
  const exporter = env[`OTEL_${name}_EXPORTER`] || undefined
  const isWanted = config[signal] ?? (exporter === undefined ? undefined : exporter !== 'none')
  const setting = (what: string) =>
    env[`OTEL_EXPORTER_OTLP_${name}_${what}`] || env[`OTEL_EXPORTER_OTLP_${what}`] || undefined
  if (isWanted === false || !(isWanted || isConfigured || setting('ENDPOINT'))) return null
  if (!isConfigured) refuseOthers(name, exporter, setting('PROTOCOL'))
  return {
    url: urlOf(signal, config, env),
    headers: {
      ...pairs('OTEL_EXPORTER_OTLP_HEADERS', env),
      ...pairs(`OTEL_EXPORTER_OTLP_${name}_HEADERS`, env),
      ...fillAll(config.headers ?? {}, env, 'telemetry.headers'),
    },
    timeoutMs: Number(setting('TIMEOUT')) || 10_000,
    gzip: setting('COMPRESSION') === 'gzip',
  }
}

function refuseOthers(name: string, exporter: string | undefined, protocol: string | undefined): void {
  if (exporter !== undefined && exporter !== 'otlp')
    throw bad(`OTEL_${name}_EXPORTER is "${exporter}": Thinkon sends "otlp" or "none"`)
  if (protocol === 'grpc')
    throw bad(
      "OTEL_EXPORTER_OTLP_PROTOCOL is grpc: Thinkon speaks OTLP over HTTP; name the receiver's HTTP address (usually port 4318) and http/json",
    )
}

/** A variable of one signal has the whole address, every other place the beginning of both. */
function urlOf(signal: Signal, { endpoint }: TelemetryConfig, env: Environment): string {
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`
  const isWhole = endpoint === undefined && Boolean(env[own])
  const key = isWhole ? own : endpoint === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'telemetry.endpoint'
  const text = endpoint === undefined ? env[key] || DEFAULT_ENDPOINT : fillVariables(endpoint, env, key)
  const url = isWhole ? text : `${text.replace(/(?<!\/)\/+$/, '')}/v1/${signal}`
  if (/^https?:/i.test(url) && URL.canParse(url)) return url
  throw bad(`${key} must be an address such as ${DEFAULT_ENDPOINT}`)
}

/** `parentbased_…`: a run has no parent. */
function sampleOf(env: Environment): number {
  const sampler = env.OTEL_TRACES_SAMPLER || 'always_on'
  const kind = sampler.replace(/^parentbased_/, '')
  if (kind === 'always_on') return 1
  if (kind === 'always_off') return 0
  const share = Number(env.OTEL_TRACES_SAMPLER_ARG || 1)
  if (kind === 'traceidratio' && share >= 0 && share <= 1) return share
  throw bad(
    `OTEL_TRACES_SAMPLER is "${sampler}" with the argument "${env.OTEL_TRACES_SAMPLER_ARG ?? ''}": Thinkon knows always_on, always_off and traceidratio with a number from 0 to 1`,
  )
}

/** `key=value,key=value`; values are percent-encoded. What is in them may be a key: no message quotes it. */
function pairs(variable: string, env: Environment): Record<string, string> {
  const entries = (env[variable] ?? '').split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    entries.map((pair, index) => {
      const equals = pair.indexOf('=')
      const key = pair.slice(0, Math.max(0, equals)).trim()
      if (key === '') throw bad(`${variable}: entry ${index + 1} must be key=value`)
      return [key, decoded(pair.slice(equals + 1).trim())]
    }),
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function numberIn(variable: string, env: Environment): number | undefined {
  const text = env[variable]
  return text !== undefined && /^\d+$/.test(text.trim()) ? Number(text) : undefined
}

function isTrue(text: string | undefined): boolean {
  return text?.trim().toLowerCase() === 'true'
}

function bad(message: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', message)
}
