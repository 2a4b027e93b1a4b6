/** A run in one line: while it is running, and when it has ended. */
import { type OutageStep, ROOT_PATH, type RunState } from '../protocol/index.ts'
import { elapsedMs, MARKS, reasonText } from './block-row.ts'
import { costs, costText, durationText, tokensText, usageText } from './figures.ts'
import { type Line, type Segment, segment } from './line.ts'
import { reasonInWords } from './reason-words.ts'
import { cleanLine, fitText, textWidth } from './text-width.ts'
import { type Lang, type Words, wordsOf } from './words.ts'

/** `completed`, `partial: why`, or `waits for the model: why`. */
export function statusText({ outcome, status, outages }: RunState, lang: Lang): Segment {
  const words = wordsOf(lang)
  if (outcome === null && outages.length > 0) return segment(outagesText(outages, lang), 'warn')
  const reason = outcome === null ? '' : reasonText(ROOT_PATH, outcome, lang)
  const now = outcome?.status ?? status
  return segment(`${words.status[now]}${reason === '' ? '' : `: ${reason}`}`, MARKS[now].tone)
}

/** Why a run waits for its models, each reason once. */
export function outagesText(steps: readonly OutageStep[], lang: Lang): string {
  const reasons = new Set(steps.map(({ message }) => reasonInWords(cleanLine(message), lang)))
  return `${wordsOf(lang).waitsForModel}: ${[...reasons].join(' · ')}`
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

/** `sign` is the current frame of the spinner. What does not fit into `width` is left out, the least important first. */
export function statusLine(state: RunState, lang: Lang, nowMs: number, sign: string, width: number): Line {
  const words = wordsOf(lang)
  const waiting = state.status === 'waiting'
  const head = `${words.status[state.status]} ${durationText(nowMs - Date.parse(state.startedAt))}`
  const { usage } = state
  // In the order in which they are shown; the rank says which are left out first.
  const parts: [rank: number, text: string][] = [
    [3, words.blocks(state.blocks.size)],
    [2, words.calls(usage.calls)],
    [4, tokensText(usage, words)],
    [1, costs(usage) ? costText(usage.costUsd) : ''],
    [0, words.stopKey],
    [5, state.run],
  ]
  const shown = parts.filter(([, text]) => text !== '')
  const rest = () => shown.map(([, text]) => ` · ${text}`).join('')
  while (shown.length > 0 && textWidth(`${sign} ${head}${rest()}`) > width)
    shown.splice(shown.indexOf(shown.reduce((a, b) => (b[0] > a[0] ? b : a))), 1)
  return [
    segment(waiting ? '? ' : `${sign} `, waiting ? 'ask' : 'active'),
    segment(fitText(head, width - 2)),
    segment(rest(), 'dim'),
  ]
}
