/** A run in one line: while it is running, and when it has ended. */
import { ROOT_PATH, type RunState } from '../protocol/index.ts'
import { durationText, usageText } from './figures.ts'
import { type Line, type Segment, segment } from './line.ts'
import { MARKS, reasonText } from './progress.ts'
import { type Lang, wordsOf } from './words.ts'

/** `completed`, or `partial: why`. */
export function statusText({ outcome, status }: RunState, lang: Lang): Segment {
  const reason = outcome === null ? '' : reasonText(ROOT_PATH, outcome)
  const now = outcome?.status ?? status
  return segment(`${wordsOf(lang).status[now]}${reason === '' ? '' : `: ${reason}`}`, MARKS[now].tone)
}

export function summaryLine(state: RunState, lang: Lang): Line {
  const words = wordsOf(lang)
  const { outcome } = state
  return [
    statusText(state, lang),
    segment(` · ${durationText(state.activeMs)} · ${usageText(outcome?.usage ?? state.usage, words)}`, 'dim'),
  ]
}

/** `sign` is the current frame of the spinner. */
export function statusLine(state: RunState, lang: Lang, nowMs: number, sign: string): Line {
  const words = wordsOf(lang)
  const waiting = state.status === 'waiting'
  const took = durationText(nowMs - Date.parse(state.startedAt))
  return [
    segment(waiting ? '? ' : `${sign} `, waiting ? 'ask' : 'active'),
    segment(`${words.status[state.status]} ${took}`),
    segment(
      ` · ${words.blocks(state.blocks.size)} · ${usageText(state.usage, words)} · ${words.stopKey}`,
      'dim',
    ),
  ]
}
