/** Runs in figures, to be compared: one by one, and by what they have in common. */
import { goalTitle } from 'thinkon/protocol'
import { type LabResult, tokensOf } from 'thinkon/views'
import type { ListedRun } from '../../data/source.ts'
import { activeMsOf } from '../figures.ts'

export const MEASURES = ['costUsd', 'tokens', 'calls', 'activeMs'] as const
export type Measure = (typeof MEASURES)[number]
/** `setting`: the strategy with its options, of which only a lab's results tell. */
export const GROUPINGS = ['strategy', 'setting', 'model', 'goal'] as const
export type Grouping = (typeof GROUPINGS)[number]

export interface Compared extends Readonly<Record<Measure, number>> {
  readonly id: string
  readonly status: ListedRun['status']
  readonly goal: string
  readonly strategy: string
  readonly setting: string
  readonly model: string
  /** Null of a run that has not ended. */
  readonly quality: number | null
}

export interface Group extends Readonly<Record<Measure, number>> {
  readonly name: string
  readonly runs: readonly Compared[]
  readonly quality: number | null
  readonly completed: number
  readonly ended: number
}

/** The value's own score; without one, how it ended. */
const QUALITY: Readonly<Partial<Record<ListedRun['status'], number>>> = {
  completed: 1,
  partial: 0.5,
  failed: 0,
  skipped: 0,
  cancelled: 0,
}

export function compared(run: ListedRun): Compared {
  const { id, goal, strategy, figures } = run
  const status = run.status
  const { calls = 0, costUsd = 0 } = figures?.usage ?? {}
  const byOutcome = QUALITY[status] ?? null
  return {
    id,
    status,
    goal: goalTitle(goal, 120),
    strategy,
    setting: strategy,
    model: figures?.model ?? '–',
    quality: byOutcome === null ? null : (figures?.score ?? byOutcome),
    costUsd,
    calls,
    tokens: figures ? tokensOf(figures.usage) : 0,
    activeMs: activeMsOf(run),
  }
}

/** Of a goal that the model refused there is no run. */
export function comparedResult({
  run,
  trial,
  status,
  goal,
  strategy,
  setting,
  model,
  ...result
}: LabResult): Compared {
  return {
    id: run ?? trial,
    status,
    goal: goalTitle(goal, 120),
    strategy,
    setting,
    model,
    quality: result.score,
    costUsd: result.usage.costUsd ?? 0,
    calls: result.usage.calls,
    tokens: tokensOf(result.usage),
    activeMs: result.timeMs,
  }
}

/** With the mean of each figure, in the order in which their names come. */
export function groupsOf(runs: readonly Compared[], by: Grouping): Group[] {
  const groups = Map.groupBy(runs, (run) => run[by])
  return [...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, those]) => {
      const ended = those.filter(({ quality }) => quality !== null)
      return {
        name,
        runs: those,
        quality: ended.length === 0 ? null : mean(ended.map(({ quality }) => quality ?? 0)),
        completed: those.filter(({ status }) => status === 'completed').length,
        ended: ended.length,
        costUsd: mean(those.map((run) => run.costUsd)),
        tokens: mean(those.map((run) => run.tokens)),
        calls: mean(those.map((run) => run.calls)),
        activeMs: mean(those.map((run) => run.activeMs)),
      }
    })
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

export type SortKey = 'status' | Grouping | Measure | 'quality'

export function sorted(runs: readonly Compared[], key: SortKey, isDown: boolean): Compared[] {
  const order = (a: Compared, b: Compared) => {
    const [x, y] = [a[key] ?? -1, b[key] ?? -1]
    return typeof x === 'string' || typeof y === 'string' ? String(x).localeCompare(String(y)) : x - y
  }
  return runs.toSorted((a, b) => (isDown ? order(b, a) : order(a, b)))
}
