/** What a model answered: as it was read, beside what it wrote, and what had to be mended. */
import type { EventOf } from 'thinkon/protocol'
import { LongText } from '../../parts/long-text.tsx'
import { ValueView } from '../../parts/value-view.tsx'
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
