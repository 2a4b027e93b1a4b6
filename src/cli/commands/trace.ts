import { telemetrySettings } from '../../config/index.ts'
import { originOf } from '../../server/post-once.ts'
import { otlpTraces } from '../../server/telemetry/otlp.ts'
import { sendTrace, traceResource } from '../../server/telemetry/send-trace.ts'
import { collectTrace } from '../../views/trace.ts'
import { traceIdOf } from '../../views/trace-ids.ts'
import type { CommandRun } from '../command.ts'
import { commandWords } from '../command-words.ts'
import { badInput } from '../options.ts'
import { langFor, withRun } from '../session.ts'

export const trace: CommandRun = ({ values, args, out }) =>
  withRun(values, args[0] as string, async (session, { id, goal }) => {
    const words = commandWords(langFor(values, session, goal))
    const settings = telemetrySettings(session.config)
    const content = values.content === true || (settings?.content ?? false)
    const { spans, open } = collectTrace(await session.engine.events(id), {
      content,
      maxContentChars: settings?.maxContentChars,
    })
    if (open > 0) out.remark(words.spansOpen(id, open))
    if (values.send !== true) {
      const body = otlpTraces(spans, traceResource(settings))
      if (out.json) out.data(body)
      else out.print(JSON.stringify(body, null, 2))
      return 0
    }
    const target = settings?.traces
    if (target === null || target === undefined) throw badInput(words.noReceiver)
    await sendTrace(target, spans, traceResource(settings))
    const sent = { run: id, trace: traceIdOf(id), spans: spans.length, to: originOf(target.url) }
    if (out.json) out.data({ type: 'trace', ...sent })
    else out.print(words.traceSent(sent))
    return 0
  })
