/** All that is known of the chosen block, as it was at the moment that is looked at. */
import { useMemo, useState } from 'react'
import { type Event, goalText } from 'thinkon/protocol'
import { blockRow, eventLine, plainText } from 'thinkon/views'
import type { Hands } from '../../data/run-hands.ts'
import type { Moment, RunLog } from '../../data/run-log.ts'
import { Button } from '../../parts/button.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { StatusPill } from '../../parts/status.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { usePreferences, useWords } from '../../preferences.ts'
import { setQuery, usePlace } from '../../routing.ts'
import { BlockActions } from '../hands/block-actions.tsx'
import { QuestionCard } from '../hands/question-card.tsx'
import { waitingIn } from '../hands/waiting.ts'
import { RUN_WORDS } from '../words.ts'
import { Requests } from './requests.tsx'
import { ToolCalls } from './tool-calls.tsx'
import './panel.css'

interface Props {
  log: RunLog
  moment: Moment
  path: string
  /** Null where the run can only be looked at. */
  hands: Hands | null
  onClose(): void
}

export function BlockPanel({ log, moment, path, hands, onClose }: Props) {
  const words = useWords(RUN_WORDS)
  const { query } = usePlace()
  const chosen = query.tab ?? 'overview'
  const { seq, state } = moment
  const own = useMemo(() => log.events.slice(0, seq).filter((event) => event.path === path), [log, seq, path])
  const block = state.blocks.get(path)
  if (block === undefined) return null
  const requests = own.filter(({ type }) => type === 'model-start')
  const tools = own.filter(({ type }) => type === 'tool-start')
  const tabs = [
    { id: 'overview', name: words.overview },
    { id: 'requests', name: words.requests, count: requests.length },
    { id: 'tools', name: words.tools, count: tools.length },
    { id: 'events', name: words.events, count: own.length },
  ]
  return (
    <aside className="panel" aria-label={`${words.block} ${path}`}>
      <header className="panel-head">
        <span className="mono">{path}</span>
        <StatusPill status={block.status} />
        <span className="tag">{block.strategy}</span>
        <span className="panel-space" />
        {hands !== null && <BlockActions run={log.run} state={state} block={block} hands={hands} />}
        <Button look="quiet" icon="close" aria-label={words.close} onClick={onClose} />
      </header>
      <Tabs
        tabs={tabs}
        chosen={chosen}
        label={words.block}
        onChoose={(tab) => setQuery({ tab: tab === 'overview' ? null : tab })}
      >
        {chosen === 'overview' && <Overview log={log} moment={moment} path={path} hands={hands} />}
        {chosen === 'requests' && <Requests events={own} />}
        {chosen === 'tools' && <ToolCalls events={log.events} seq={seq} path={path} />}
        {chosen === 'events' && <Events events={own} />}
      </Tabs>
    </aside>
  )
}

function Overview({ log, moment, path, hands }: Omit<Props, 'onClose'>) {
  const words = useWords(RUN_WORDS)
  const { lang } = usePreferences()
  const block = moment.state.blocks.get(path)
  if (block === undefined) return null
  const { goal, todo, done, outcome } = block
  const { note } = blockRow(block, moment.state, { details: moment.details, lang })
  const waiting = waitingIn(moment.state).filter((one) => one.path === path)
  const plan = typeof todo === 'string' ? todo : todo.join('\n')
  const writing = outcome === null && moment.seq === log.events.length ? log.streams.text(path) : ''
  return (
    <div className="sections">
      <Section title={words.goal} text={goalText(goal)} />
      {waiting.map((one) => (
        <section key={one.id} className="section section-ask">
          <h2>{words.asks}</h2>
          <QuestionCard log={log} question={one} hands={hands} />
        </section>
      ))}
      {writing !== '' && <Section title="…" tone="active" text={writing} />}
      {outcome !== null && outcome.result !== '' && <Section title={words.result} text={outcome.result} />}
      {outcome?.reason && <Section title={words.outcome} tone="warn" text={note?.text ?? outcome.reason} />}
      {plan !== '' && <Section title={words.plan} text={plan} />}
      {done.length > 0 && <Section title={`${words.done} (${done.length})`} text={done.join('\n\n')} />}
    </div>
  )
}

function Section({ title, text, tone = 'plain' }: { title: string; text: string; tone?: string }) {
  return (
    <section className={`section section-${tone}`}>
      <h2>{title}</h2>
      <LongText text={text} prose />
    </section>
  )
}

/** So many are drawn until more are asked for: a block may have tens of thousands. */
const NEWEST_EVENTS = 500

function Events({ events }: { events: readonly Event[] }) {
  const words = useWords(RUN_WORDS)
  const { lang } = usePreferences()
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? events : events.slice(-NEWEST_EVENTS)
  return (
    <ol className="event-list">
      {shown.length < events.length && (
        <li>
          <Button look="quiet" onClick={() => setWhole(true)}>
            {words.allEvents(events.length.toLocaleString('en-US'))}
          </Button>
        </li>
      )}
      {shown.map((event) => (
        <li key={event.seq}>
          <button type="button" className="event" onClick={() => setQuery({ at: String(event.seq) })}>
            <span className="numbers dim">{event.seq}</span>
            <span className="one-line text">
              {plainText([eventLine(event, 200, lang)]).replace(/^\s*\d+\s+\S+\s+/, '')}
            </span>
          </button>
        </li>
      ))}
    </ol>
  )
}
