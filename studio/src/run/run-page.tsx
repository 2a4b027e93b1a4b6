/** One run: its tree, the chosen block, and the time line below both. */
import { useCallback, useEffect, useState } from 'react'
import { goalTitle } from 'thinkon/protocol'
import { useSource } from '../data/source.ts'
import { useRunLog } from '../data/use-run-log.ts'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { NotifyButton } from '../parts/notify.tsx'
import { StatusPill } from '../parts/status.tsx'
import { useWords } from '../preferences.ts'
import { addressOf, setQuery, usePlace } from '../routing.ts'
import { AgainButton } from '../runs/again-button.tsx'
import { SavePageButton } from '../runs/save-page-button.tsx'
import { FRAME_WORDS } from '../words.ts'
import { BudgetBars } from './budget-bars.tsx'
import { WaitingNews } from './hands/notify.tsx'
import { QuestionBar } from './hands/question-bar.tsx'
import { ResumeNotice } from './hands/resume-notice.tsx'
import { RunActions, useHasStopped } from './hands/run-actions.tsx'
import { useRefusedAnswer } from './hands/use-refused-answer.ts'
import { waitingIn } from './hands/waiting.ts'
import { OutcomeNotice } from './outcome-notice.tsx'
import { BlockPanel } from './panel/block-panel.tsx'
import { TimeBar } from './time/time-bar.tsx'
import { UnreadRun } from './unread-run.tsx'
import { useIsDeleted } from './use-is-deleted.ts'
import { Views } from './views.tsx'
import { RUN_WORDS } from './words.ts'
import './run.css'
import './hands/hands.css'

/** The page cuts it where it does not fit. */
const TITLE_CHARS = 200

export function RunPage({ run }: { run: string }) {
  const words = useWords(RUN_WORDS)
  const frame = useWords(FRAME_WORDS)
  const log = useRunLog(run)
  const { query } = usePlace()
  const at = eventAt(query.at, log.count)
  const moment = log.moment(at)
  const { state } = moment
  const selected = query.block ?? null
  const isReading = log.connection === 'reading'
  // Only what is now can be steered; what is being read is past.
  const source = useSource()
  const isDeleted = useIsDeleted(source.desk, run) || log.connection === 'missing'
  const runHands = isDeleted ? null : source.hands
  const waiting = isReading ? [] : waitingIn(state)
  const { hands, ...refused } = useRefusedAnswer(at === null && !isReading ? runHands : null, waiting)
  const hasStopped = useHasStopped(hands, run, log.moment().state, log.connection)
  useTicks(at === null && log.connection === 'live' && !hasStopped)
  const shown = query.tab === undefined ? selected : null
  const title = goalTitle(state.goal)
  const select = useCallback((path: string) => setQuery({ block: path }), [])
  if (log.events.length === 0) return <UnreadRun log={log} />
  return (
    <div className={selected === null ? 'run' : 'run run-with-panel'}>
      <header className="run-head">
        {source.desk !== null && (
          <a className="run-back" href={addressOf(['runs'])}>
            {frame.runs}
          </a>
        )}
        <h1 className="run-title one-line text">{goalTitle(state.goal, TITLE_CHARS)}</h1>
        <StatusPill status={state.status} />
        <span className="tag">{state.strategy}</span>
        {state.config.model && <span className="tag one-line">{state.config.model}</span>}
        <span className="run-tools">
          {!isDeleted && <AgainButton run={run} />}
          {!isDeleted && <SavePageButton run={run} />}
          {hands !== null && <NotifyButton />}
          {hands !== null && <RunActions run={run} state={state} hands={hands} />}
        </span>
        <BudgetBars moment={moment} hasStopped={hasStopped} />
      </header>
      <div className="run-notices">
        {isDeleted && <Notice tone="bad">{words.deleted}</Notice>}
        {log.connection === 'lost' && !isDeleted && (
          <Notice tone="warn">{`${frame.lost} ${log.problem}`.trim()}</Notice>
        )}
        {log.connection === 'failed' && (
          <Notice tone="bad">
            <span className="text">{`${words.unreadable} ${log.problem}`}</span>
          </Notice>
        )}
        {source.desk === null && at === null && state.outcome === null && (
          <Notice tone="warn">{words.underWay(state.seq)}</Notice>
        )}
        <OutcomeNotice moment={moment} />
        {at !== null && (
          <Notice tone="active">
            {words.past(moment.seq)}
            <Button
              look="quiet"
              icon="close"
              aria-label={words.leavePast}
              onClick={() => setQuery({ at: null })}
            />
          </Notice>
        )}
        {hands !== null && (hasStopped || state.outages.length > 0) && (
          <ResumeNotice run={run} state={state} hands={hands} />
        )}
        {refused.why !== null && (
          <Notice tone="warn">
            <span className="text">{words.notTaken(refused.why)}</span>
            <Button look="quiet" icon="close" aria-label={words.closeNotice} onClick={refused.forget} />
          </Notice>
        )}
        <QuestionBar log={log} waiting={waiting} hands={hands} shown={shown} />
      </div>
      {at === null && !isReading && (
        <WaitingNews
          run={run}
          title={title}
          waiting={waiting}
          shown={shown}
          onShow={({ path }) => select(path)}
        />
      )}
      <div className="run-body">
        <Views log={log} moment={moment} selected={selected} onSelect={select} />
        {selected !== null && (
          <BlockPanel
            log={log}
            moment={moment}
            path={selected}
            hands={hands}
            onClose={() => setQuery({ block: null, tab: null })}
          />
        )}
      </div>
      <TimeBar
        log={log}
        at={at}
        hands={runHands}
        onMove={(next) => setQuery({ at: next === null ? null : String(next) })}
      />
    </div>
  )
}

/** Draws each second while the run goes on: its times do so, too, also when there is no news. */
function useTicks(goesOn: boolean): void {
  const [, tick] = useState(0)
  useEffect(() => {
    if (!goesOn) return
    const often = setInterval(() => tick((n) => n + 1), 1_000)
    return () => clearInterval(often)
  }, [goesOn])
}

/** Null where the address names no event of the run: it is shown as it is. */
function eventAt(named: string | undefined, count: number): number | null {
  const at = Number(named)
  return Number.isInteger(at) && at >= 1 && at <= count ? at : null
}
