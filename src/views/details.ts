/**
 * What strategies show below the rows of their blocks: for each block, the detail that its strategy's view folds from events, and
 * how its result was checked.
 */

import { checkEvent } from '../protocol/check-event.ts'
import { type Event, type EventOf, errorText, goalText, parentPath } from '../protocol/index.ts'
import { createBlockViews, type StrategyViews } from './block-views.ts'
import { checkView } from './entrances.ts'
import { type Line, type Segment, segment } from './line.ts'
import { checkText } from './result-check.ts'
import type { ChildRow, Detail, DetailOptions } from './strategy-view.ts'
import { fitText } from './text-width.ts'
import { createToolCalls } from './tool-calls.ts'
import type { Lang } from './words.ts'

export interface Details {
  follow(event: Event): void
  /** Whether the block's strategy shows lines for it. */
  has(path: string): boolean
  linesOf(path: string, options: DetailOptions): Line[]
  /** What is still to be done in a block; null if its plan says so. */
  todoOf(path: string, lang: Lang): readonly string[] | null
  /** How its parent calls a block; null for its path. */
  rowOf(path: string, lang: Lang): ChildRow | null
  newsOf(event: Event, lang: Lang): readonly Segment[] | null
  /** Whether news of the block have its plan with them. */
  tellsPlan(path: string): boolean
  planNewsOf(event: Event, lang: Lang): Line[]
  /** What was called and with what; null for what is not news. */
  callOf(event: EventOf<'tool-end'>): string | null
}

export function createDetails(views: StrategyViews): Details {
  checkView('createDetails', [views])
  const details = new Map<string, Detail>()
  const checks = new Map<string, EventOf<'note'>[]>()
  const blockViews = createBlockViews(views)
  const calls = createToolCalls()
  const has = (path: string) => checks.has(path) || details.get(path)?.lines !== undefined
  return {
    follow(event) {
      checkEvent('follow', event)
      const { path } = event
      blockViews.follow(event)
      calls.follow(event)
      if (event.type === 'block-start' || !details.has(path)) {
        const goal = event.type === 'block-start' ? goalText(event.goal) : ''
        const made = blockViews.of(path).detail?.(path, goal)
        if (made !== undefined) details.set(path, unbreakable(made))
      }
      details.get(path)?.follow(event)
      if (event.type === 'note' && event.name === 'result-checked')
        checks.set(path, [...(checks.get(path) ?? []), event])
      const parent = parentPath(path)
      if (parent !== null) details.get(parent)?.followChild?.(event)
    },
    has,
    todoOf: (path, lang) => details.get(path)?.todo?.(lang) ?? (has(path) ? [] : null),
    rowOf: (path, lang) => details.get(parentPath(path) ?? '')?.childRow?.(path, lang) ?? null,
    linesOf(path, options) {
      if (options.maxLines <= 0) return []
      const { width, lang, maxLines } = options
      const checked = (checks.get(path) ?? [])
        .slice(-maxLines)
        .map(({ data }) => checkLine(data, lang, width))
      const room = maxLines - checked.length
      const own = room > 0 ? details.get(path)?.lines?.({ ...options, maxLines: room }) : undefined
      return [...(own ?? []), ...checked]
    },
    newsOf: (event, lang) =>
      event.type === 'note' ? (details.get(event.path)?.news?.(event, lang) ?? null) : null,
    tellsPlan: (path) => details.get(path)?.planNews !== undefined,
    planNewsOf(event, lang) {
      const lines = event.type === 'note' ? details.get(event.path)?.planNews?.(event, lang) : undefined
      return (lines ?? []).map((line) => [segment(BELOW_NEWS), ...line])
    },
    callOf: calls.textOf,
  }
}

const BELOW_NEWS = '    '

function checkLine(data: unknown, lang: Lang, width: number): Line {
  return checkText(data, lang).map(({ text, tone }) => segment(fitText(text, width), tone))
}

/** A view is code of its strategy, perhaps a user's: where it breaks, it is dropped with a line that says so, and the run goes on. */
function unbreakable(detail: Detail): Detail {
  let broken: string | null = null
  function attempt<T>(draw: () => T, otherwise: T): T {
    if (broken !== null) return otherwise
    try {
      return draw()
    } catch (error) {
      broken = errorText(error)
      return otherwise
    }
  }
  return {
    follow: (event) => attempt(() => detail.follow(event), undefined),
    followChild: (event) => attempt(() => detail.followChild?.(event), undefined),
    ...(detail.lines && {
      lines(options) {
        const lines = attempt(() => detail.lines?.(options) ?? [], [])
        return broken === null
          ? lines
          : [[segment(fitText(`(its view failed: ${broken})`, options.width), 'warn')]]
      },
    }),
    ...(detail.todo && { todo: (lang) => attempt(() => detail.todo?.(lang) ?? [], []) }),
    childRow: (child, lang) => attempt(() => detail.childRow?.(child, lang) ?? null, null),
    news: (event, lang) => attempt(() => detail.news?.(event, lang) ?? null, null),
    ...(detail.planNews && {
      planNews: (event, lang) => attempt(() => detail.planNews?.(event, lang) ?? [], []),
    }),
  }
}
