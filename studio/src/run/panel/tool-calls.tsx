/** The calls of tools of a block: what went in, what came out, and what became of files. */
import { useMemo } from 'react'
import { type Event, type EventOf, isObject } from 'thinkon/protocol'
import { createKnownFiles, durationText, type FileChange, fileChanges } from 'thinkon/views'
import { DiffView } from '../../parts/diff-view.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { ValueView } from '../../parts/value-view.tsx'
import { useWords } from '../../preferences.ts'
import { PANEL_WORDS } from './words.ts'

interface Call {
  readonly begun: EventOf<'tool-start'>
  ended: EventOf<'tool-end'> | null
  changes: readonly FileChange[]
}

interface Props {
  /** Of the whole run: a file may have been read by another block. */
  events: readonly Event[]
  seq: number
  path: string
}

export function ToolCalls({ events, seq, path }: Props) {
  const words = useWords(PANEL_WORDS)
  const calls = useMemo(() => callsOf(events, seq, path), [events, seq, path])
  if (calls.length === 0) return <p className="panel-none">{words.none}</p>
  return (
    <div className="sections">
      {calls.map((call) => (
        <CallView key={call.begun.seq} call={call} />
      ))}
    </div>
  )
}

function callsOf(events: readonly Event[], seq: number, path: string): Call[] {
  const known = createKnownFiles()
  const calls = new Map<number, Call>()
  for (const event of events) {
    if (event.seq > seq) break
    if (event.type === 'tool-start' && event.path === path)
      calls.set(event.n, {
        begun: event,
        ended: null,
        changes: fileChanges(event.name, event.input, known.textOf),
      })
    if (event.type === 'tool-end' && event.path === path) {
      const call = calls.get(event.n)
      if (call !== undefined) {
        call.ended = event
        // What a new file held before is known: nothing.
        if (hasCreated(event)) call.changes = call.changes.map((change) => ({ ...change, isBlind: false }))
      }
    }
    known.follow(event)
  }
  return [...calls.values()]
}

function hasCreated({ result }: EventOf<'tool-end'>): boolean {
  return result.ok && isObject(result.value) && result.value.created === true
}

function CallView({ call: { begun, ended, changes } }: { call: Call }) {
  const words = useWords(PANEL_WORDS)
  const took = ended === null ? '' : durationText(Date.parse(ended.ts) - Date.parse(begun.ts))
  return (
    <details className="exchange" open>
      <summary>
        <span className="mono exchange-kind">{begun.name}</span>
        {begun.denied !== undefined && <span className="tag tag-warn">{words.denied}</span>}
        <span className="figures dim numbers">{took}</span>
      </summary>
      <section className="message">
        {changes.length > 0 ? (
          <DiffView changes={changes} />
        ) : (
          <>
            <h2>{words.input_}</h2>
            <ValueView value={begun.input} />
          </>
        )}
      </section>
      {ended !== null && (
        <section className={ended.result.ok ? 'message message-reply' : 'message message-error'}>
          <h2>{ended.result.ok ? words.result : words.failed}</h2>
          {ended.result.ok ? (
            <ValueView value={ended.result.value} />
          ) : (
            <LongText text={ended.result.error.message} />
          )}
        </section>
      )}
    </details>
  )
}
