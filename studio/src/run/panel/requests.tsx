/** Every request of a block as its model saw it, and the reply. */
import { type Event, type EventOf, type Message, messageText, type Usage } from 'thinkon/protocol'
import { costText, countText, durationText } from 'thinkon/views'
import { LongText } from '../../parts/long-text.tsx'
import { useWords } from '../../preferences.ts'
import { leftOutIn, messageSections, sameAsBefore } from './message-sections.ts'
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
        <Exchange key={asking.asked.seq} asking={asking} isOpen={at === askings.length - 1} />
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

function Exchange({ asking, isOpen }: { asking: Asking; isOpen: boolean }) {
  const words = useWords(PANEL_WORDS)
  const { asked, answered, before } = asking
  const { kind, role, messages, tools = [], schema } = asked.request
  const same = Math.min(sameAsBefore(messages, before), messages.length - 1)
  return (
    <details className="exchange" open={isOpen}>
      <summary>
        <span className="mono exchange-kind">{kind}</span> <span className="tag">{role}</span>
        <Figures asking={asking} />
      </summary>
      {same > 0 && (
        <details className="message message-same">
          <summary className="dim">{words.same(same)}</summary>
          <Messages messages={messages.slice(0, same)} />
        </details>
      )}
      <Messages messages={messages.slice(same)} />
      {(tools.length > 0 || schema !== undefined) && (
        <div className="message message-more">
          {tools.length > 0 && (
            <details>
              <summary className="dim">{words.offered(tools.length)}</summary>
              <ul className="tool-list">
                {tools.map(({ name, description }) => (
                  <li key={name}>
                    <span className="mono">{name}</span> <span className="dim text">{description}</span>
                  </li>
                ))}
              </ul>
            </details>
          )}
          {schema !== undefined && (
            <details>
              <summary className="dim">{words.schema}</summary>
              <LongText text={JSON.stringify(schema, null, 2)} />
            </details>
          )}
        </div>
      )}
      {answered !== undefined && <Reply event={answered} />}
    </details>
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

function Messages({ messages }: { messages: readonly Message[] }) {
  return messages.map((message, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: messages of a request never change.
    <MessageView key={at} message={message} />
  ))
}

function MessageView({ message }: { message: Message }) {
  const words = useWords(PANEL_WORDS)
  const { role, answers, toolCalls = [] } = message
  const leftOut = leftOutIn(message)
  return (
    <section className={`message message-${role}`}>
      <h2>
        {words.message(role)}
        {answers && <span className="mono">{answers.name}</span>}
        <span className="dim numbers">
          {words.chars(messageText(message).length.toLocaleString('en-US'))}
        </span>
        {leftOut > 0 && <span className="tag tag-warn">{words.shortened(leftOut)}</span>}
      </h2>
      {messageSections(message).map(({ title, pieces }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above.
        <div key={at} className="message-section">
          {title !== '' && <h3 className="text">{title}</h3>}
          {pieces.map(({ from, text }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <div key={i} className={from === null ? 'piece' : 'piece piece-data'}>
              {from !== null && <span className="piece-from text">{words.data(from)}</span>}
              <LongText text={text} />
            </div>
          ))}
        </div>
      ))}
      {toolCalls.map(({ id, name, input }) => (
        <div key={id} className="piece">
          <span className="piece-from mono">{name}</span>
          <LongText text={JSON.stringify(input, null, 2) ?? ''} />
        </div>
      ))}
    </section>
  )
}
