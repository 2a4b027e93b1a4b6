/** The run over time: a row for each block, with when a model, a tool or a person was at work, and what it cost. */
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import {
  costText,
  durationText,
  joinBars,
  type RunTimeline,
  runTimeline,
  type TimelineBar,
  type TimelineRow,
} from 'thinkon/views'
import type { Moment, RunLog } from '../../data/run-log.ts'
import { Button } from '../../parts/button.tsx'
import { useCommands } from '../../parts/commands.ts'
import { StatusMark } from '../../parts/status.tsx'
import { useWords } from '../../preferences.ts'
import { RoleTable } from './role-table.tsx'
import { useRowsInView } from './use-rows-in-view.ts'
import { TIMELINE_WORDS } from './words.ts'
import './timeline.css'

interface Props {
  log: RunLog
  moment: Moment
  selected: string | null
  onSelect(path: string): void
}

const ROW = 26
const ZOOM = { step: 1.6, most: 4_000 } as const
/** Pixels of the track at zoom 1, about: narrower bars are drawn together. */
const TRACK = 900

export function TimelineView({ log, moment, selected, onSelect }: Props) {
  const words = useWords(TIMELINE_WORDS)
  const frame = useRef<HTMLDivElement>(null)
  const [zoom, setZoom] = useState(1)
  const { state, seq, nowMs } = moment
  // A second is the least that is told apart while the run goes on.
  const now = Math.ceil(nowMs / 1_000) * 1_000
  const line = useMemo(() => {
    const at = state.outcome === null ? now : 0
    return runTimeline(log.events.slice(0, seq), state, at)
  }, [log, state, seq, now])
  const { first, last } = useRowsInView(frame, line.rows.length, ROW)
  const zoomBy = (factor: number) => setZoom((was) => Math.min(ZOOM.most, Math.max(1, was * factor)))
  useCommands([
    { id: 'timeline-in', name: words.zoomIn, key: '+', run: () => zoomBy(ZOOM.step) },
    { id: 'timeline-out', name: words.zoomOut, key: '-', run: () => zoomBy(1 / ZOOM.step) },
    { id: 'timeline-whole', name: words.whole, key: '0', run: () => setZoom(1) },
  ])
  const at = line.rows.findIndex(({ path }) => path === selected)
  useEffect(() => {
    const { current } = frame
    if (current === null || at < 0) return
    const top = at * ROW
    if (top < current.scrollTop || top + ROW > current.scrollTop + current.clientHeight)
      current.scrollTop = top - current.clientHeight / 2
  }, [at])
  const press = (event: KeyboardEvent) => {
    const next = line.rows[nextRow(event.key, at, line.rows.length)]
    if (next === undefined) return
    event.preventDefault()
    onSelect(next.path)
  }
  return (
    <div className="timeline">
      <header className="timeline-head">
        <RoleTable line={line} state={state} />
        <ul className="timeline-legend">
          {(['model', 'tool', 'wait'] as const).map((kind) => (
            <li key={kind}>
              <span className={`bar-mark bar-${kind}`} aria-hidden="true" />
              {words[kind]} <span className="numbers">{durationText(line.times[kind])}</span>
            </li>
          ))}
        </ul>
        <span className="timeline-tools">
          <Button look="quiet" icon="plus" aria-label={words.zoomIn} onClick={() => zoomBy(ZOOM.step)} />
          <Button look="quiet" icon="fold" aria-label={words.zoomOut} onClick={() => zoomBy(1 / ZOOM.step)} />
          <Button look="quiet" icon="fit" aria-label={words.whole} onClick={() => setZoom(1)} />
        </span>
      </header>
      <div
        className="timeline-frame"
        ref={frame}
        role="listbox"
        tabIndex={0}
        aria-label={words.timeline}
        aria-activedescendant={at >= first && at < last ? `row-${selected}` : undefined}
        onKeyDown={press}
      >
        <div className="timeline-world" style={{ height: line.rows.length * ROW, width: `${zoom * 100}%` }}>
          {line.rows.slice(first, last).map((row, i) => (
            <Row
              key={row.path}
              row={row}
              line={line}
              zoom={zoom}
              top={(first + i) * ROW}
              place={first + i + 1}
              isSelected={row.path === selected}
              onSelect={onSelect}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

interface RowProps {
  row: TimelineRow
  line: RunTimeline
  zoom: number
  top: number
  place: number
  isSelected: boolean
  onSelect(path: string): void
}

function Row({ row, line, zoom, top, place, isSelected, onSelect }: RowProps) {
  const words = useWords(TIMELINE_WORDS)
  const { path, title, level, status, from, to, bars, times, costUsd } = row
  const whole = line.to - line.from
  const part = (ms: number) => `${(ms / whole) * 100}%`
  const drawn = joinBars(bars, whole / (TRACK * zoom))
  const said = (['model', 'tool', 'wait'] as const)
    .filter((kind) => times[kind] > 0)
    .map((kind) => `${words[kind]} ${durationText(times[kind])}`)
  const figures = [durationText(to - from), ...(costUsd > 0 ? [costText(costUsd)] : [])]
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the list.
    <div
      id={`row-${path}`}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      aria-setsize={line.rows.length}
      aria-posinset={place}
      className="timeline-row"
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onSelect(path)}
    >
      <span className="timeline-name" style={{ paddingLeft: 8 + Math.min(level, 12) * 12 }}>
        <StatusMark status={status} />
        <span className="mono dim">{path}</span>
        <span className="one-line text timeline-title">{title}</span>
        <span className="timeline-figures numbers">{figures.join(' · ')}</span>
        <span className="unseen">{said.join(', ')}</span>
      </span>
      <span className="timeline-track">
        <span className="bar-block" style={{ left: part(from - line.from), width: part(to - from) }} />
        {drawn.map((bar: TimelineBar) => (
          <span
            key={`${bar.kind} ${bar.from}`}
            className={`bar-step bar-${bar.kind}${bar.failed ? ' bar-failed' : ''}`}
            style={{ left: part(bar.from - line.from), width: part(bar.to - bar.from) }}
          />
        ))}
      </span>
    </div>
  )
}

function nextRow(key: string, at: number, count: number): number {
  switch (key) {
    case 'ArrowDown':
      return at + 1
    case 'ArrowUp':
      return at - 1
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return -1
  }
}
