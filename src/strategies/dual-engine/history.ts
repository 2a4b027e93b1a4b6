/**
 * What a loop has done, as its prompts are told: the newest whole, what is older folded into summaries. A summary is never
 * thrown away by a later one: they stand in order, and when there are too many, the oldest are summed up together. What a
 * person said, decisions and failures survive in a line each. The originals stay in the journal.
 */
import { fence } from '../../kernel/fence.ts'
import { cut, oneLine } from '../prompt-text.ts'
import type { Observation, Params } from './action.ts'

export interface Item {
  readonly iteration: number
  readonly action: string
  readonly params: Params
  readonly thought: string
  readonly observation: Observation
}

export interface History {
  readonly items: Item[]
  /** Oldest first. */
  readonly summaries: string[]
  /** Lines that survive compaction. */
  readonly kept: string[]
}

/** Beyond this many characters the older half is summed up. */
const MAX_CHARS = 24_000
const MAX_SUMMARIES = 8
const MAX_SUMMARY_CHARS = 1_500
const MAX_KEPT = 40
const MAX_KEPT_CHARS = 240
const MAX_DATA = 1_500
const MAX_NEWEST_DATA = 6_000
const NEWEST = 3
const MAX_PARAMS = 400
const MAX_TEXT = 2_000

export function newHistory(): History {
  return { items: [], summaries: [], kept: [] }
}

export function historyText({ items, summaries, kept }: History): string {
  if (items.length + summaries.length === 0) return ''
  const earlier = summaries.map((summary, i) => `Earlier, ${i + 1}: ${summary}\n`)
  const survived =
    kept.length === 0 ? [] : [`Kept from earlier:\n${kept.map((line) => `- ${line}\n`).join('')}`]
  const lines = items.map((item, i) => itemText(item, i >= items.length - NEWEST))
  return `What you have done:\n${[...earlier, ...survived, ...lines].join('')}`
}

/** The last so many items, for whoever judges them. */
export function lastItems({ items }: History, most: number): string {
  return items
    .slice(-most)
    .map((item) => itemText(item, false))
    .join('')
}

/** The items to be summed up now, as text with how many they are; null while all fits. */
export function tooLong(history: History): { count: number; text: string } | null {
  const texts = history.items.map((item) => itemText(item, false))
  const chars = texts.reduce((sum, text) => sum + text.length, 0)
  if (chars <= MAX_CHARS || history.items.length <= NEWEST + 1) return null
  const count = Math.max(1, Math.floor((history.items.length - NEWEST) / 2))
  return { count, text: texts.slice(0, count).join('') }
}

/** Puts a summary in the place of the oldest items; what must survive stays beside it. */
export function fold(history: History, count: number, summary: string): void {
  const folded = history.items.splice(0, count)
  history.summaries.push(cut(summary, MAX_SUMMARY_CHARS))
  for (const item of folded) {
    const { failed, keep } = item.observation
    if (failed || keep) history.kept.push(keptLine(item))
  }
  history.kept.splice(0, Math.max(0, history.kept.length - MAX_KEPT))
}

/** The summaries that are to be made one, oldest first; null while there are few. */
export function tooManySummaries({ summaries }: History): readonly string[] | null {
  return summaries.length > MAX_SUMMARIES ? summaries.slice(0, MAX_SUMMARIES / 2) : null
}

export function foldSummaries({ summaries }: History, count: number, summary: string): void {
  summaries.splice(0, count, cut(summary, MAX_SUMMARY_CHARS * 2))
}

/** Without a model: a line for each item. */
export function plainSummary(items: readonly Item[]): string {
  return items
    .map(
      ({ iteration, action, observation }) =>
        `[${iteration}] ${action}: ${cut(oneLine(observation.text), 120)}`,
    )
    .join('; ')
}

function itemText({ iteration, action, params, thought, observation }: Item, whole: boolean): string {
  const why = thought === '' ? '' : ` (${cut(oneLine(thought), MAX_KEPT_CHARS)})`
  const given = Object.keys(params).length === 0 ? '' : ` ${cut(JSON.stringify(params), MAX_PARAMS)}`
  const { text, data, ref, failed } = observation
  const maxChars = whole ? MAX_NEWEST_DATA : MAX_DATA
  const fenced =
    data === undefined ? '' : ` ${fence(action, data, { maxChars, ...(ref !== undefined && { ref }) })}`
  return `[${iteration}] ${action}${given}${why}\n  → ${failed ? 'FAILED: ' : ''}${cut(text, MAX_TEXT)}${fenced}\n`
}

/** Words from outside are left out: here they would stand without a fence. */
function keptLine({ iteration, action, params, observation }: Item): string {
  const given = cut(JSON.stringify(params), 80)
  return cut(
    `[${iteration}] ${action} ${given}: ${observation.failed ? 'failed: ' : ''}${oneLine(observation.text)}`,
    MAX_KEPT_CHARS,
  )
}
