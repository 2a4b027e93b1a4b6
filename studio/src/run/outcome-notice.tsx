/** Why a run that has ended is not completed, and what there is of it. */
import { ROOT_PATH } from 'thinkon/protocol'
import { blockRow } from 'thinkon/views'
import type { Moment } from '../data/run-log.ts'
import { Notice } from '../parts/notice.tsx'
import { STATUS_TONES } from '../parts/status.tsx'
import { usePreferences } from '../preferences.ts'

export function OutcomeNotice({ moment: { state, details } }: { moment: Moment }) {
  const { lang } = usePreferences()
  const root = state.blocks.get(ROOT_PATH)
  if (state.outcome === null || state.outcome.status === 'completed' || root === undefined) return null
  const { note } = blockRow(root, state, { details, lang })
  return (
    <Notice tone={STATUS_TONES[state.outcome.status] === 'bad' ? 'bad' : 'warn'}>
      <span className="text">{note?.text}</span>
    </Notice>
  )
}
