/** The trace of a run that is in a journal, sent at once. */
import type { OtlpTarget, TelemetrySettings } from '../../config/index.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { VERSION } from '../../version.ts'
import type { Attributes, Span } from '../../views/trace-span.ts'
import { otlpTraces } from './otlp.ts'
import { sendOtlp } from './sender.ts'

const BATCH = 512

/** Throws if the receiver does not take it. */
export async function sendTrace(
  target: OtlpTarget,
  spans: readonly Span[],
  resource: Attributes,
): Promise<void> {
  for (let from = 0; from < spans.length; from += BATCH) {
    try {
      await sendOtlp(target, otlpTraces(spans.slice(from, from + BATCH), resource))
    } catch (cause) {
      const message = `the trace could not be sent: ${(cause as Error).message}`
      throw new ThinkonError('INTERNAL', message, { cause, retryable: true })
    }
  }
}

/** What the spans are of. */
export function traceResource(
  settings: Pick<TelemetrySettings, 'serviceName' | 'resource'> | null,
): Attributes {
  return {
    ...settings?.resource,
    'service.name': settings?.serviceName ?? 'thinkon',
    'telemetry.sdk.name': 'thinkon',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': VERSION,
  }
}
