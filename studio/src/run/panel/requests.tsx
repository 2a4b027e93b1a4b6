/** Every request of a block as its model saw it, and the reply. */
import { type Event, type EventOf, type Message, messageText } from 'thinkon/protocol'
import { countText } from 'thinkon/views'
import { useWords } from '../../preferences.ts'
import { RUN_WORDS } from '../words.ts'

export function Requests({ events }: { events: readonly Event[] }) {
  const words = useWords(RUN_WORDS)
  const asked = events.filter((event): event is EventOf<'model-start'> => event.type === 'model-start')
  if (asked.length === 0) return <p className="panel-none">{words.none}</p>
  return (
    <div className="sections">
      {asked.map((event) => (
        <Exchange
          key={event.n}
          asked={event}
          answered={events.find(
            (one): one is EventOf<'model-end'> => one.type === 'model-end' && one.n === event.n,
          )}
        />
      ))}
    </div>
  )
}

function Exchange({
  asked,
  answered,
}: {
  asked: EventOf<'model-start'>
  answered: EventOf<'model-end'> | undefined
}) {
  const { kind, role, messages } = asked.request
  const usage = answered?.usage
  return (
    <details className="exchange" open={answered === undefined}>
      <summary>
        <span className="mono">{kind}</span> <span className="tag">{role}</span>
        {usage && (
          <span className="dim numbers">
            {' '}
            {countText(usage.inputTokens)} → {countText(usage.outputTokens)}
          </span>
        )}
      </summary>
      {messages.map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages of a request never change.
        <MessageView key={at} message={message} />
      ))}
      {answered && <Reply event={answered} />}
    </details>
  )
}

function MessageView({ message }: { message: Message }) {
  return (
    <section className={`message message-${message.role}`}>
      <h4>{message.role}</h4>
      <pre className="text">{messageText(message)}</pre>
    </section>
  )
}

function Reply({ event: { result } }: { event: EventOf<'model-end'> }) {
  if (!result.ok)
    return (
      <section className="message message-error">
        <h4>{result.error.code}</h4>
        <pre className="text">{result.error.message}</pre>
      </section>
    )
  const { text, value, repairs = [] } = result.value
  return (
    <section className="message message-reply">
      <h4>
        {repairs.map((repair) => (
          <span key={repair} className="tag">
            {repair}
          </span>
        ))}
      </h4>
      <pre className="text">{text !== '' || value === undefined ? text : JSON.stringify(value, null, 2)}</pre>
    </section>
  )
}
