/** Every request of a block as its model saw it, and the reply. */
import { useState } from 'react'
import type { Event, EventOf, Message, Usage } from 'thinkon/protocol'
import { costText, countText, durationText } from 'thinkon/views'
import { useSource } from '../../data/source.ts'
import { Button } from '../../parts/button.tsx'
import { Folded } from '../../parts/folded.tsx'
import { useWords } from '../../preferences.ts'
import { sameAsBefore } from '../request/message-sections.ts'
import { RequestView } from '../request/request-view.tsx'
import { ForkDialog } from '../time/fork-dialog.tsx'
import { Reply } from './reply.tsx'
import { PANEL_WORDS } from './words.ts'

interface Asking {
  readonly asked: EventOf<'model-start'>
  readonly answered: EventOf<'model-end'> | undefined
  readonly usage: Usage
  /** The request of the same kind before it. */
  readonly before: readonly Message[] | undefined
}

export function Requests({ events }: { events: readonly Event[] }) {
  const words = useWords(PANEL_WORDS)
  const askings = askingsIn(events)
  if (askings.length === 0) return <p className="panel-none">{words.none}</p>
  return (
    <div className="sections">
      {askings.map((asking, at) => (
        <Exchange key={asking.asked.seq} asking={asking} isLast={at === askings.length - 1} />
      ))}
    </div>
  )
}

function askingsIn(events: readonly Event[]): Asking[] {
  const askings = new Map<
    number,
    { asked: EventOf<'model-start'>; answered?: EventOf<'model-end'>; usage: Usage }
  >()
  for (const event of events) {
    if (event.type === 'model-start')
      askings.set(event.n, { asked: event, usage: { calls: 0, inputTokens: 0, outputTokens: 0 } })
    const asking = 'n' in event && event.n !== undefined ? askings.get(event.n) : undefined
    if (asking === undefined) continue
    // A reply that came in several asks is paid in parts.
    if (event.type === 'part-end' || event.type === 'model-end') asking.usage = sum(asking.usage, event.usage)
    if (event.type === 'model-end') asking.answered = event
  }
  const all = [...askings.values()]
  return all.map(({ asked, answered, usage }, at) => ({
    asked,
    answered,
    usage,
    before: all[at - 1]?.asked.request.messages,
  }))
}

function sum(a: Usage, b: Usage): Usage {
  const of = (key: 'cachedInputTokens' | 'costUsd') =>
    a[key] === undefined && b[key] === undefined ? {} : { [key]: (a[key] ?? 0) + (b[key] ?? 0) }
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...of('cachedInputTokens'),
    ...of('costUsd'),
  }
}

function Exchange({ asking, isLast }: { asking: Asking; isLast: boolean }) {
  const { asked, answered, before } = asking
  const { kind, role, messages } = asked.request
  const words = useWords(PANEL_WORDS)
  const same = Math.min(sameAsBefore(messages, before), messages.length - 1)
  return (
    // One that is read stays open when the next one comes.
    <Folded
      className="exchange"
      isOpen={isLast}
      summary={
        <>
          <span className="mono exchange-kind">{kind}</span> <span className="tag">{role}</span>
          {asked.edited && <span className="tag tag-warn">{words.edited}</span>}
          <Figures asking={asking} />
        </>
      }
    >
      <RequestView request={asked.request} same={same} />
      {answered !== undefined && <Reply event={answered} />}
      <EditPrompt event={asked} />
    </Folded>
  )
}

function EditPrompt({ event }: { event: EventOf<'model-start'> }) {
  const words = useWords(PANEL_WORDS)
  const { hands } = useSource()
  const [isEditing, setEditing] = useState(false)
  if (hands === null) return null
  return (
    <div className="message">
      <Button look="quiet" icon="fork" onClick={() => setEditing(true)}>
        {words.editPrompt}
      </Button>
      {isEditing && (
        <ForkDialog run={event.run} event={event} hands={hands} onClose={() => setEditing(false)} />
      )}
    </div>
  )
}

function Figures({ asking: { asked, answered, usage } }: { asking: Asking }) {
  const words = useWords(PANEL_WORDS)
  if (answered === undefined) return <span className="figures dim">{words.writing}</span>
  const { inputTokens, outputTokens, cachedInputTokens = 0, costUsd = 0 } = usage
  const model = answered.result.ok ? answered.result.value.model : undefined
  const isEstimated = answered.result.ok && answered.result.value.usageEstimated === true
  const figures = [
    words.input(countText(inputTokens)),
    ...(cachedInputTokens > 0 ? [words.cached(countText(cachedInputTokens))] : []),
    words.output(countText(outputTokens)),
    ...(costUsd > 0 ? [costText(costUsd)] : []),
    durationText(Date.parse(answered.ts) - Date.parse(asked.ts)),
    ...(model === undefined ? [] : [model]),
  ]
  return (
    <span className="figures dim numbers" title={isEstimated ? words.estimated : undefined}>
      {figures.join(' · ')}
    </span>
  )
}
