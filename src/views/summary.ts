/** A run in one line: while it is running, and when it has ended. */
import { type OutageStep, ROOT_PATH, type RunState } from '../protocol/index.ts'
import { durationText, usageText } from './figures.ts'
import { type Line, type Segment, segment } from './line.ts'
import { elapsedMs, MARKS, reasonText } from './progress.ts'
import { cleanLine } from './text-width.ts'
import { type Lang, type Words, wordsOf } from './words.ts'

/** `completed`, `partial: why`, or `waits for the model: why`. */
export function statusText({ outcome, status, outages }: RunState, lang: Lang): Segment {
  const words = wordsOf(lang)
  if (outcome === null && outages.length > 0) return segment(outagesText(outages, words), 'warn')
  const reason = outcome === null ? '' : reasonText(ROOT_PATH, outcome)
  const now = outcome?.status ?? status
  return segment(`${words.status[now]}${reason === '' ? '' : `: ${reason}`}`, MARKS[now].tone)
}

/** Why a run waits for its models, each reason once. */
export function outagesText(steps: readonly OutageStep[], { waitsForModel }: Words): string {
  const reasons = new Set(steps.map(({ message }) => cleanLine(message)))
  return `${waitsForModel}: ${[...reasons].join(' · ')}`
}

export function summaryLine(state: RunState, lang: Lang): Line {
  const words = wordsOf(lang)
  const { outcome } = state
  return [
    statusText(state, lang),
    segment(` · ${tookText(state, words)} · ${usageText(outcome?.usage ?? state.usage, words)}`, 'dim'),
  ]
}

/** The time that the root's row shows; and how much of it was active, where that is less: `12m04s (1m10s active)`. */
function tookText({ activeMs, blocks, changedAt }: RunState, words: Words): string {
  const root = blocks.get(ROOT_PATH)
  const active = durationText(activeMs)
  const took = root === undefined ? active : durationText(elapsedMs(root, Date.parse(changedAt)))
  return active === took ? took : `${took} (${words.active(active)})`
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
