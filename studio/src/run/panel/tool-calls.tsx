/** The calls of tools of a block: what went in, what came out. */
import type { Event, EventOf } from 'thinkon/protocol'
import { useWords } from '../../preferences.ts'
import { RUN_WORDS } from '../words.ts'

export function ToolCalls({ events }: { events: readonly Event[] }) {
  const words = useWords(RUN_WORDS)
  const called = events.filter((event): event is EventOf<'tool-start'> => event.type === 'tool-start')
  if (called.length === 0) return <p className="panel-none">{words.none}</p>
  return (
    <div className="sections">
      {called.map((event) => {
        const ended = events.find(
          (one): one is EventOf<'tool-end'> => one.type === 'tool-end' && one.n === event.n,
        )
        return (
          <details key={event.n} className="exchange" open>
            <summary>
              <span className="mono">{event.name}</span>
            </summary>
            <section className="message">
              <pre className="text">{shown(event.input)}</pre>
            </section>
            {ended && (
              <section className={ended.result.ok ? 'message message-reply' : 'message message-error'}>
                <pre className="text">
                  {ended.result.ok ? shown(ended.result.value) : ended.result.error.message}
                </pre>
              </section>
            )}
          </details>
        )
      })}
    </div>
  )
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}
