/** Sums and histograms for programs without an SDK of their own: cumulative since the process began, as OTLP has them in JSON. */
import type { Attributes } from '../../views/trace-span.ts'
import type { InstrumentOptions, MeterLike, MetricAttributes } from './metrics.ts'
import { nanos, otlpAttributes, otlpResource, SCHEMA_URL, SCOPE } from './otlp.ts'

export interface OwnMeter extends MeterLike {
  /** Everything so far; null if nothing was measured yet. */
  collect(resource: Attributes): object | null
  /** Whether something was measured since it was collected last. */
  readonly hasNews: boolean
}

interface Point {
  readonly attributes: MetricAttributes
  count: number
  sum: number
  min: number
  max: number
  readonly buckets: number[]
}

/** As many series of a metric are kept apart; what comes then is counted as one. */
const MOST_SERIES = 1_000
const OTHERS = { 'otel.metric.overflow': true }
const CUMULATIVE = 2

export function createMeter(nowMs: () => number = Date.now): OwnMeter {
  const startMs = nowMs()
  const instruments: {
    name: string
    isSum: boolean
    options: InstrumentOptions
    points: Map<string, Point>
  }[] = []

  let hasNews = false

  function instrument(name: string, options: InstrumentOptions, isSum: boolean) {
    const points = new Map<string, Point>()
    instruments.push({ name, isSum, options, points })
    const bounds = boundsOf(options)
    return (value: number, attributes: MetricAttributes = {}) => {
      hasNews = true
      add(points, bounds, value, attributes)
    }
  }

  return {
    createCounter: (name, options = {}) => ({ add: instrument(name, options, true) }),
    createHistogram: (name, options = {}) => ({ record: instrument(name, options, false) }),
    get hasNews() {
      return hasNews
    },
    collect(resource) {
      hasNews = false
      const used = instruments.filter(({ points }) => points.size > 0)
      if (used.length === 0) return null
      const times = { startTimeUnixNano: nanos(startMs), timeUnixNano: nanos(nowMs()) }
      const metrics = used.map(({ name, isSum, options, points }) => ({
        name,
        description: options.description ?? '',
        unit: options.unit ?? '',
        ...(isSum
          ? {
              sum: {
                dataPoints: [...points.values()].map((point) => ({
                  ...shared(point, times),
                  asDouble: point.sum,
                })),
                aggregationTemporality: CUMULATIVE,
                isMonotonic: true,
              },
            }
          : {
              histogram: {
                dataPoints: [...points.values()].map((point) => histogram(point, times, boundsOf(options))),
                aggregationTemporality: CUMULATIVE,
              },
            }),
      }))
      const scopeMetrics = [{ scope: SCOPE, metrics, schemaUrl: SCHEMA_URL }]
      return { resourceMetrics: [{ resource: otlpResource(resource), scopeMetrics }] }
    },
  }
}

function boundsOf({ advice }: InstrumentOptions): readonly number[] {
  return advice?.explicitBucketBoundaries ?? []
}

function add(
  points: Map<string, Point>,
  bounds: readonly number[],
  value: number,
  attributes: MetricAttributes,
): void {
  const own = JSON.stringify(attributes)
  const isOther = !points.has(own) && points.size >= MOST_SERIES
  const key = isOther ? JSON.stringify(OTHERS) : own
  const point = points.get(key) ?? {
    attributes: isOther ? OTHERS : attributes,
    count: 0,
    sum: 0,
    min: value,
    max: value,
    buckets: Array(bounds.length + 1).fill(0),
  }
  points.set(key, point)
  point.count++
  point.sum += value
  point.min = Math.min(point.min, value)
  point.max = Math.max(point.max, value)
  // A boundary belongs to the bucket below it.
  const found = bounds.findIndex((bound) => value <= bound)
  const bucket = found === -1 ? bounds.length : found
  point.buckets[bucket] = (point.buckets[bucket] ?? 0) + 1
}

function shared({ attributes }: Point, times: object) {
  return { attributes: otlpAttributes(attributes), ...times }
}

function histogram(point: Point, times: object, bounds: readonly number[]) {
  const { count, sum, min, max, buckets } = point
  return { ...shared(point, times), count, sum, min, max, bucketCounts: buckets, explicitBounds: bounds }
}
