/** Rows and figures for callers elsewhere, whose arguments are checked. The views call them thousands of times, and have types. */
import type { BlockState, RunState, Usage } from '../protocol/index.ts'
import * as rows from './block-row.ts'
import { checkView } from './entrances.ts'
import * as figures from './figures.ts'

/** What a row says of a block. */
export function blockRow(block: BlockState, state: RunState, options: rows.BlockRowOptions): rows.BlockRow {
  checkView('blockRow', [block, state, options])
  return rows.blockRow(block, state, options)
}

/** How long a block has taken, until it ended or until now. */
export function elapsedMs(block: BlockState, nowMs: number): number {
  checkView('elapsedMs', [block, nowMs])
  return rows.elapsedMs(block, nowMs)
}

/** `1.2 MB` */
export function bytesText(bytes: number): string {
  checkView('bytesText', [bytes])
  return figures.bytesText(bytes)
}

/** `$0.02` */
export function costText(usd: number): string {
  checkView('costText', [usd])
  return figures.costText(usd)
}

/** `4.1k` */
export function countText(n: number): string {
  checkView('countText', [n])
  return figures.countText(n)
}

/** `1m20s` */
export function durationText(ms: number): string {
  checkView('durationText', [ms])
  return figures.durationText(ms)
}

export function tokensOf(usage: Usage): number {
  checkView('tokensOf', [usage])
  return figures.tokensOf(usage)
}
