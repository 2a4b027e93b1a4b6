/**
 * What a strategy has to show below its block's row, beside blocks: a registry by the strategy's name. Each detail is a fold
 * over the events of one block; a strategy that is not listed shows nothing.
 */
import { type Event, goalText, parentPath } from '../protocol/index.ts'
import type { Line, Segment } from './line.ts'
import { DUAL } from './plan-tasks.ts'
import { tasksDetail } from './plan-tasks-lines.ts'
import { COT } from './thought-chain.ts'
import { chainDetail } from './thought-chain-lines.ts'
import { TOT } from './thought-tree.ts'
import { thoughtsDetail } from './thought-tree-lines.ts'
import type { Lang } from './words.ts'

export interface DetailOptions {
  /** Cells; no line is wider. */
  width: number
  maxLines: number
  lang: Lang
}

/** The events of one block, and what they look like. */
export interface Detail {
  follow(event: Event): void
  /** The events of the blocks right below it. */
  followChild?(event: Event): void
  lines(options: DetailOptions): Line[]
  /** What a note tells somebody who waits for the run; null for most. The note has been followed. */
  news(event: Event, lang: Lang): readonly Segment[] | null
}

export interface Details {
  follow(event: Event): void
  /** Whether the block's strategy shows its plan here. */
  has(path: string): boolean
  linesOf(path: string, options: DetailOptions): Line[]
  newsOf(event: Event, lang: Lang): readonly Segment[] | null
}

const DETAILS: Readonly<Record<string, (path: string, problem: string) => Detail>> = {
  [TOT]: thoughtsDetail,
  [COT]: chainDetail,
  [DUAL]: tasksDetail,
}

export function createDetails(): Details {
  const details = new Map<string, Detail>()
  return {
    follow(event) {
      if (event.type === 'block-start') {
        const make = DETAILS[event.strategy.slice(0, event.strategy.lastIndexOf('@'))]
        if (make !== undefined) details.set(event.path, make(event.path, goalText(event.goal)))
      } else if (event.type === 'note' && !details.has(event.path)) {
        // A strategy of another name that is made from one of these leaves notes under its name.
        const make = DETAILS[event.name.slice(0, event.name.indexOf('/'))]
        if (make !== undefined) details.set(event.path, make(event.path, ''))
      }
      details.get(event.path)?.follow(event)
      const parent = parentPath(event.path)
      if (parent !== null) details.get(parent)?.followChild?.(event)
    },
    has: (path) => details.has(path),
    linesOf(path, options) {
      if (options.maxLines <= 0) return []
      return details.get(path)?.lines(options) ?? []
    },
    newsOf: (event, lang) =>
      event.type === 'note' ? (details.get(event.path)?.news(event, lang) ?? null) : null,
  }
}
