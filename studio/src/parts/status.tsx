/** How a run or a block stands: a mark of its own shape, so that colour is not all that tells. */
import type { Tone } from 'thinkon/views'
import { useWords } from '../preferences.ts'
import { STATUS_WORDS } from './status-words.ts'

export type ShownStatus = keyof (typeof STATUS_WORDS)['en']

export const STATUS_TONES: Readonly<Record<ShownStatus, Tone>> = {
  todo: 'dim',
  running: 'active',
  waiting: 'ask',
  stopped: 'warn',
  completed: 'good',
  partial: 'warn',
  skipped: 'dim',
  failed: 'bad',
  cancelled: 'bad',
}

const SHAPES: Readonly<Record<ShownStatus, string>> = {
  todo: 'M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10Z',
  running: 'M8 3a5 5 0 1 1-5 5',
  waiting: 'M6 6a2 2 0 1 1 3 1.700c-.7.4-1 .8-1 1.600M8 12v.1',
  stopped: 'M6 4v8M10 4v8',
  completed: 'M3.500 8.500l3 3 6-7',
  partial: 'M3 9c2-3 3-3 5-1s3 2 5-1',
  skipped: 'M4 12l8-8',
  failed: 'M4.500 4.500l7 7M11.500 4.500l-7 7',
  cancelled: 'M4 8h8',
}

/** Without the word beside it: it is read out. */
export function StatusMark({ status, name }: { status: ShownStatus; name?: string }) {
  const words = useWords(STATUS_WORDS)
  return <Mark status={status} name={name ?? words[status]} />
}

export function StatusPill({ status }: { status: ShownStatus }) {
  const words = useWords(STATUS_WORDS)
  return (
    <span className={`pill pill-${STATUS_TONES[status]}`}>
      <Mark status={status} />
      {words[status]}
    </span>
  )
}

function Mark({ status, name }: { status: ShownStatus; name?: string }) {
  const said = name === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': name }
  return (
    <svg className={`mark tone-${STATUS_TONES[status]} mark-${status}`} viewBox="0 0 16 16" {...said}>
      <path d={SHAPES[status]} />
    </svg>
  )
}
