/** One run: its tree, the chosen block, and the time line below both. */
import { useCallback } from 'react'
import { goalTitle } from 'thinkon/protocol'
import { useRunLog } from '../data/use-run-log.ts'
import { Button } from '../parts/button.tsx'
import { Empty, Notice } from '../parts/notice.tsx'
import { StatusPill } from '../parts/status.tsx'
import { useWords } from '../preferences.ts'
import { addressOf, setQuery, usePlace } from '../routing.ts'
import { FRAME_WORDS } from '../words.ts'
import { BudgetBars } from './budget-bars.tsx'
import { BlockPanel } from './panel/block-panel.tsx'
import { TimeBar } from './time/time-bar.tsx'
import { Views } from './views.tsx'
import { RUN_WORDS } from './words.ts'
import './run.css'

export function RunPage({ run }: { run: string }) {
  const words = useWords(RUN_WORDS)
  const frame = useWords(FRAME_WORDS)
  const log = useRunLog(run)
  const { query } = usePlace()
  const at = query.at === undefined ? null : Number(query.at)
  const moment = log.moment(at)
  const { state } = moment
  const selected = query.block ?? null
  const select = useCallback((path: string) => setQuery({ block: path }), [])
  if (log.events.length === 0)
    return log.connection === 'lost' ? (
      <Notice tone="bad">{log.problem}</Notice>
    ) : (
      <Empty title={words.reading} />
    )
  return (
    <div className={selected === null ? 'run' : 'run run-with-panel'}>
      <header className="run-head">
        <a className="run-back" href={addressOf(['runs'])}>
          {frame.runs}
        </a>
        <h1 className="run-title one-line text">{goalTitle(state.goal)}</h1>
        <StatusPill status={state.status} />
        <span className="tag">{state.strategy}</span>
        {state.config.model && <span className="tag one-line">{state.config.model}</span>}
        <BudgetBars state={state} />
      </header>
      {log.connection === 'lost' && <Notice tone="warn">{`${words.lost} ${log.problem}`}</Notice>}
      {at !== null && (
        <Notice tone="active">
          {words.past(moment.seq)}
          <Button look="quiet" onClick={() => setQuery({ at: null })}>
            ×
          </Button>
        </Notice>
      )}
      <div className="run-body">
        <Views log={log} moment={moment} selected={selected} onSelect={select} />
        {selected !== null && (
          <BlockPanel
            log={log}
            moment={moment}
            path={selected}
            onClose={() => setQuery({ block: null, tab: null })}
          />
        )}
      </div>
      <TimeBar log={log} at={at} onMove={(next) => setQuery({ at: next === null ? null : String(next) })} />
    </div>
  )
}
