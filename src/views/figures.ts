/** Numbers for people. */
import type { Usage } from '../protocol/index.ts'
import type { Words } from './words.ts'

export function durationText(ms: number): string {
  if (ms < 9_950) return `${(Math.max(0, ms) / 1000).toFixed(1)}s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`
  return `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`
}

export function countText(n: number): string {
  if (n < 1_000) return String(n)
  if (n < 9_950) return `${tenths(n / 1_000)}k`
  if (n < 999_500) return `${Math.round(n / 1_000)}k`
  return `${tenths(n / 1_000_000)}M`
}

/** `1.2 MB` */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1_000
  return `${unit === 0 || value >= 9.95 ? Math.round(value) : tenths(value)} ${units[unit]}`
}

export function costText(usd: number): string {
  if (usd === 0) return '$0'
  if (usd < 0.0001) return '<$0.0001'
  return `$${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`
}

export function tokensOf(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens
}

/** Whether there is a cost to show: it is known and not zero. */
export function costs(usage: Usage): usage is Usage & { costUsd: number } {
  return usage.costUsd !== undefined && usage.costUsd > 0
}

/** `4.1k tokens (3k cached, 400 lost)` */
export function tokensText(usage: Usage, words: Words): string {
  const { cachedInputTokens = 0, lostTokens = 0 } = usage
  const notes: string[] = []
  if (cachedInputTokens > 0) notes.push(words.cached(countText(cachedInputTokens)))
  if (lostTokens > 0) notes.push(words.lost(countText(lostTokens)))
  return `${countText(tokensOf(usage))} tokens${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`
}

/** `12 calls · 4.1k tokens (3k cached) · $0.02` */
export function usageText(usage: Usage, words: Words): string {
  const parts = [words.calls(usage.calls), tokensText(usage, words)]
  if (costs(usage)) parts.push(costText(usage.costUsd))
  return parts.join(' · ')
}

function tenths(n: number): string {
  return n.toFixed(1).replace(/\.0$/, '')
}

function two(n: number): string {
  return String(n).padStart(2, '0')
}
