/** What a model answered: as it was read, beside what it wrote, and what had to be mended. */
import { type EventOf, isObject } from 'thinkon/protocol'
import { LongText } from '../../parts/long-text.tsx'
import { useWords } from '../../preferences.ts'
import { PANEL_WORDS } from './words.ts'

export function Reply({ event: { result } }: { event: EventOf<'model-end'> }) {
  const words = useWords(PANEL_WORDS)
  if (!result.ok)
    return (
      <section className="message message-error">
        <h2>
          {words.failed} <span className="tag">{result.error.code}</span>
        </h2>
        <LongText text={result.error.message} />
      </section>
    )
  const { text, value, repairs = [], asks = 1, reasoning = [], toolCalls = [] } = result.value
  const thought = reasoning.map((part) => part.text).join('\n')
  return (
    <section className="message message-reply">
      <h2>
        {words.reply}
        {asks > 1 && <span className="tag tag-warn">{words.asks(asks)}</span>}
        {repairs.map((repair) => (
          <span key={repair} className="tag tag-warn">{`${words.mended}: ${repair}`}</span>
        ))}
      </h2>
      {thought.trim() !== '' && (
        <details>
          <summary className="dim">{words.reasoning}</summary>
          <LongText text={thought} prose />
        </details>
      )}
      {value !== undefined && <ValueView value={value} />}
      {toolCalls.map(({ id, name, input }) => (
        <div key={id} className="piece">
          <span className="piece-from mono">{`${words.calls} ${name}`}</span>
          <LongText text={JSON.stringify(input, null, 2) ?? ''} />
        </div>
      ))}
      {text !== '' &&
        (value === undefined ? (
          <LongText text={text} prose />
        ) : (
          <details open={repairs.length > 0}>
            <summary className="dim">{words.asWritten}</summary>
            <LongText text={text} />
          </details>
        ))}
    </section>
  )
}

/** The fields of an object, each as readable text. */
function ValueView({ value }: { value: unknown }) {
  if (!isObject(value) || Object.keys(value).length === 0)
    return <LongText text={typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')} />
  return (
    <dl className="value">
      {Object.entries(value).map(([key, field]) => (
        <div key={key}>
          <dt className="mono">{key}</dt>
          <dd>
            {typeof field === 'string' ? (
              <LongText text={field} prose />
            ) : (
              <LongText text={JSON.stringify(field, null, 2) ?? ''} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
