/** The journal as a line: where the run is looked at, and what happened where. */
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Event } from 'thinkon/protocol'
import type { Hands } from '../../data/run-hands.ts'
import type { RunLog } from '../../data/run-log.ts'
import { useSource } from '../../data/source.ts'
import { Button } from '../../parts/button.tsx'
import { useCommands } from '../../parts/commands.ts'
import { useWords } from '../../preferences.ts'
import { addressOf } from '../../routing.ts'
import { ForkDialog } from './fork-dialog.tsx'
import { forkPlace } from './fork-place.ts'
import { marksOf, PLACES } from './marks.ts'
import { TIME_WORDS } from './words.ts'
import './time.css'

interface Props {
  log: RunLog
  /** The event at which the run is shown; null: as it is. */
  at: number | null
  /** Null where the run can only be looked at. */
  hands: Hands | null
  onMove(at: number | null): void
}

const SPEEDS = [0.25, 1, 4, 16, 64, 256] as const
const USUAL = 4
/** Events a second at speed 1. */
const PACE = 8

export function TimeBar({ log, at, hands, onMove }: Props) {
  const words = useWords(TIME_WORDS)
  const { desk } = useSource()
  const last = log.events.length
  const { count } = log
  const shown = at ?? last
  const [speed, setSpeed] = useState<number>(USUAL)
  const [isPlaying, setPlaying] = useState(false)
  usePlaying(isPlaying ? speed : null, shown, (next) => {
    if (next >= last) {
      setPlaying(false)
      onMove(null)
    } else onMove(next)
  })
  const play = () => {
    if (!isPlaying && shown >= last) onMove(1)
    setPlaying(!isPlaying)
  }
  const event = log.events[shown - 1]
  // The event at which the window was opened: while it is open, the run goes on.
  const [forking, setForking] = useState<Event>()
  const place = forkPlace(log.events, shown)
  useCommands([
    { id: 'time-play', name: isPlaying ? words.pause : words.play, key: 'p', run: play },
    { id: 'time-back', name: words.back, key: '[', run: () => onMove(Math.max(1, shown - 1)) },
    { id: 'time-on', name: words.on, key: ']', run: () => onMove(shown + 1 >= last ? null : shown + 1) },
    { id: 'time-now', name: words.now, key: '.', run: () => onMove(null) },
    ...(hands === null || place === undefined
      ? []
      : [{ id: 'time-fork', name: words.fork, key: 'F', run: () => setForking(place) }]),
  ])
  const origin = log.moment().state.fork?.from
  return (
    <section className="time" aria-label={words.time}>
      <Button
        look="quiet"
        icon={isPlaying ? 'pause' : 'play'}
        aria-label={isPlaying ? words.pause : words.play}
        onClick={play}
      />
      <select
        className="time-speed"
        aria-label={words.speed}
        value={speed}
        onChange={({ target }) => setSpeed(Number(target.value))}
      >
        {SPEEDS.map((one) => (
          <option key={one} value={one}>
            {one < 1 ? `1/${1 / one}` : one}×
          </option>
        ))}
      </select>
      <div className="time-line">
        <Marks events={log.events} read={last} count={count} />
        <input
          type="range"
          min={1}
          max={Math.max(1, count)}
          value={shown}
          aria-label={words.event}
          aria-valuetext={event === undefined ? '' : `${event.seq}: ${event.type} ${event.path}`}
          onChange={({ target }) => {
            const next = Number(target.value)
            onMove(next >= last ? null : next)
          }}
        />
      </div>
      <span className="time-place numbers">
        {last < count && <span role="status">{words.reading}</span>} {shown}/{count}
      </span>
      {hands !== null && place !== undefined && (
        <Button look="quiet" icon="fork" aria-label={words.fork} onClick={() => setForking(place)} />
      )}
      {desk !== null && origin !== undefined && (
        <a href={addressOf(['compare', origin, log.run])} className="time-compare">
          {words.compare}
        </a>
      )}
      <Button look={at === null ? 'quiet' : 'plain'} isOff={at === null} onClick={() => onMove(null)}>
        {words.now}
      </Button>
      {hands !== null && forking !== undefined && (
        <ForkDialog run={log.run} event={forking} hands={hands} onClose={() => setForking(undefined)} />
      )}
    </section>
  )
}

function usePlaying(speed: number | null, shown: number, onMove: (at: number) => void): void {
  const move = useRef(onMove)
  move.current = onMove
  const place = useRef(shown)
  place.current = shown
  useEffect(() => {
    if (speed === null) return
    const timer = setInterval(
      () => move.current(place.current + Math.max(1, Math.round((speed * PACE) / 20))),
      1000 / Math.min(20, speed * PACE),
    )
    return () => clearInterval(timer)
  }, [speed])
}

function Marks({ events, read, count }: { events: readonly Event[]; read: number; count: number }) {
  const marks = useMemo(() => marksOf(events.slice(0, read), count), [events, read, count])
  return (
    <svg className="time-marks" viewBox={`0 0 ${PLACES} 10`} preserveAspectRatio="none" aria-hidden="true">
      {marks.map(({ tone, x }) => (
        <rect key={`${tone} ${x}`} className={`fill-${tone}`} x={x - 0.5} y="0" width="1" height="10" />
      ))}
    </svg>
  )
}
