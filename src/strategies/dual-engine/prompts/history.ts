/**
 * What a loop has done, as its prompts say it: the newest items whole, older ones folded into summaries. A summary is never
 * thrown away by a later one: they stand in order, and when there are too many, the oldest are summed up together. What a
 * person said, decisions and failures survive in a line each. The originals stay in the journal.
 */

import { estimateTokens } from '../../../kernel/budget.ts'
import { oneLine } from '../../../protocol/index.ts'
import type { Observation } from './observation.ts'
import { clip, clipFence } from './parts.ts'

export interface Item {
  readonly iteration: number
  readonly action: string
  readonly params: Readonly<Record<string, unknown>>
  readonly thought: string
  readonly observation: Observation
}

/** With its texts, which are made once: a prompt has many items, and each iteration a prompt. */
interface HistoryItem extends Item {
  readonly text: string
  /** With more of its data, while it is among the newest. */
  readonly newestText: string
}

export interface History {
  readonly items: HistoryItem[]
  /** Oldest first. */
  readonly summaries: string[]
  /** Lines that survive compaction. When there are too many, failures go before decisions and what a person said. */
  readonly kept: { readonly text: string; readonly failed: boolean }[]
}

// All in tokens, so that a text that takes more of them is compacted earlier.
/** Beyond this the oldest items are summed up. */
const MAX_ITEMS = 6_000
/** What one summary is made of. */
const MAX_SUMMED = 6_000
const MAX_SUMMARY = 500
const MAX_KEPT = 80
const MAX_TEXT = 700
const MAX_PARAMS = 130
const MAX_THOUGHT = 80
const MAX_DATA = 500
const MAX_NEWEST_DATA = 2_000
// How many.
const MAX_SUMMARIES = 8
const MAX_KEPT_LINES = 30
const NEWEST = 3

export function newHistory(): History {
  return { items: [], summaries: [], kept: [] }
}

export function addItem({ items }: History, item: Item): void {
  items.push({ ...item, text: itemText(item, MAX_DATA), newestText: itemText(item, MAX_NEWEST_DATA) })
}

export function historyText({ items, summaries, kept }: History): string {
  if (items.length + summaries.length === 0) return ''
  const earlier = summaries.map((summary, i) => `Earlier, ${i + 1}: ${summary}\n`)
  const survived =
    kept.length === 0 ? [] : [`Kept from earlier:\n${kept.map(({ text }) => `- ${text}\n`).join('')}`]
  const lines = items.map(({ text, newestText }, i) => (i < items.length - NEWEST ? text : newestText))
  return `What you have done:\n${[...earlier, ...survived, ...lines].join('')}`
}

/** The last `most` items, to be judged. */
export function lastItems({ items }: History, most: number): string {
  const texts = items.slice(-most).map(({ text }) => text)
  return texts.join('')
}

/** The newest items and the newest summary that fit into so many tokens: for a closing call. */
export function closingText({ items, summaries }: History, maxTokens: number): string {
  const lines: string[] = []
  let left = maxTokens
  const texts = [
    ...summaries.slice(-1).map((summary) => `Earlier: ${summary}\n`),
    ...items.map(({ text }) => text),
  ]
  for (const text of texts.reverse()) {
    left -= estimateTokens(text)
    if (left < 0) break
    lines.unshift(text)
  }
  return lines.length > 0 ? lines.join('') : clip(plainSummary(items.slice(-NEWEST)), maxTokens)
}

export interface Compaction {
  /** The summary of a text; null where there is none. */
  sumUp(text: string): Promise<string | null>
  /** Told how many items were folded. */
  folded?(items: number): void
}

/** Folds the oldest items until the rest fits. Without a summary a line is kept of each item, and of each summary its beginning. */
export async function compactHistory(history: History, { sumUp, folded }: Compaction): Promise<void> {
  for (let long = tooLong(history); long !== null; long = tooLong(history)) {
    const summary = await sumUp(long.text)
    fold(history, long.count, summary ?? plainSummary(history.items.slice(0, long.count)))
    folded?.(long.count)
    if (history.summaries.length <= MAX_SUMMARIES) continue
    const oldest = history.summaries.splice(0, MAX_SUMMARIES / 2)
    history.summaries.unshift(summaryOf(oldest, await sumUp(oldest.join('\n'))))
  }
}

/** Without a model: a line for each item. */
export function plainSummary(items: readonly Item[]): string {
  const lines = items.map(({ iteration, action, observation }) => {
    return `[${iteration}] ${action}: ${clip(oneLine(observation.text), 40)}`
  })
  return lines.join('; ')
}

/** The items to be summed up now, as text with how many they are; null while all fits. */
function tooLong({ items }: History): { count: number; text: string } | null {
  const texts = items.map(({ text }) => text)
  const tokens = texts.map(estimateTokens)
  let left = tokens.reduce((sum, cost) => sum + cost, 0)
  if (left <= MAX_ITEMS || items.length <= NEWEST + 1) return null
  let count = 0
  let taken = 0
  while (count < items.length - NEWEST && left > MAX_ITEMS / 2) {
    const cost = tokens[count] as number
    if (count > 0 && taken + cost > MAX_SUMMED) break
    taken += cost
    left -= cost
    count++
  }
  return { count, text: texts.slice(0, count).join('') }
}

/** Replaces the oldest items by a summary, and keeps a line of each that must survive. */
function fold({ items, summaries, kept }: History, count: number, summary: string): void {
  summaries.push(clip(summary, MAX_SUMMARY))
  for (const item of items.splice(0, count)) {
    const { failed = false, keep } = item.observation
    if (failed || keep) kept.push({ text: keptText(item), failed: failed && keep !== true })
  }
  while (kept.length > MAX_KEPT_LINES) {
    const failure = kept.findIndex((line) => line.failed)
    kept.splice(Math.max(0, failure), 1)
  }
}

/** Several summaries made one. Without a summary of them all, each is kept with its beginning. */
function summaryOf(summaries: readonly string[], whole: string | null): string {
  const room = Math.floor((2 * MAX_SUMMARY) / summaries.length)
  return clip(whole ?? summaries.map((text) => clip(text, room)).join(' '), 2 * MAX_SUMMARY)
}

function itemText({ iteration, action, params, thought, observation }: Item, maxData: number): string {
  const why = thought === '' ? '' : ` (${clip(oneLine(thought), MAX_THOUGHT)})`
  const given = Object.keys(params).length === 0 ? '' : ` ${clip(JSON.stringify(params), MAX_PARAMS)}`
  const { text, data, ref, failed } = observation
  const fenced =
    data === undefined ? '' : ` ${clipFence(action, data, maxData, ref === undefined ? {} : { ref })}`
  return `[${iteration}] ${action}${given}${why}\n  → ${failed ? 'FAILED: ' : ''}${clip(text, MAX_TEXT)}${fenced}\n`
}

/** Words from outside are left out: here they would stand without a fence. */
function keptText({ iteration, action, params, observation }: Item): string {
  const given = clip(JSON.stringify(params), 30)
  const { failed, text } = observation
  return clip(`[${iteration}] ${action} ${given}: ${failed ? 'failed: ' : ''}${oneLine(text)}`, MAX_KEPT)
}
