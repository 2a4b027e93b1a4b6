/** What a lab has found, in figures. Nothing of it depends on how long anything took. */
import type { LabResult } from '../views/lab-results.ts'
import { type Cell, cellsOf, type Plan } from './plan.ts'
import { holm, type Interval, mcnemar, wilson } from './stats.ts'

/** One setting with one model, on one group of tasks or (null) on all. Figures are means of a run. */
export interface Row extends Interval {
  readonly group: string | null
  readonly setting: string
  readonly model: string
  readonly solved: number
  readonly of: number
  readonly share: number
  readonly score: number
  readonly calls: number
  readonly tokens: number
  readonly costUsd: number
  /** No other is at least as good for less. */
  readonly frontier: boolean
}

/** Two settings on the tasks that both have tried. */
export interface Comparison {
  readonly first: CellName
  readonly second: CellName
  readonly of: number
  readonly onlyFirst: number
  readonly onlySecond: number
  /** How likely at least such a difference is by chance; of several comparisons, corrected for their number. */
  readonly p: number
}

export interface CellName {
  readonly setting: string
  readonly model: string
}

export const MEASURES = ['costUsd', 'tokens', 'calls'] as const
export type Measure = (typeof MEASURES)[number]

export interface Table {
  readonly seed: string
  readonly rows: readonly Row[]
  /** Each setting against the first. */
  readonly comparisons: readonly Comparison[]
  /** What `frontier` weighs quality against. */
  readonly against: Measure
  readonly isComplete: boolean
}

export function tableOf(plan: Plan, results: readonly LabResult[], against?: Measure): Table {
  const cells = cellsOf(plan)
  const measure = against ?? (results.some(({ usage }) => (usage.costUsd ?? 0) > 0) ? 'costUsd' : 'tokens')
  const groups = [...new Set(plan.tasks.map(({ group }) => group))]
  const rows = [null, ...(groups.length > 1 ? groups : [])].flatMap((group) =>
    withFrontier(
      cells.map((cell) => rowOf(cell, group, of(cell, results, group))),
      measure,
    ),
  )
  return {
    seed: plan.seed,
    rows,
    comparisons: comparisonsOf(cells, results),
    against: measure,
    isComplete: results.length >= cells.length * plan.tasks.length * plan.repeats,
  }
}

function of({ setting, model }: Cell, results: readonly LabResult[], group: string | null): LabResult[] {
  return results.filter(
    (one) => one.setting === setting.name && one.model === model && (group === null || one.group === group),
  )
}

function rowOf(
  { setting, model }: Cell,
  group: string | null,
  results: readonly LabResult[],
): Omit<Row, 'frontier'> {
  const solved = results.filter((one) => one.solved).length
  const mean = (figure: (one: LabResult) => number) =>
    results.length === 0 ? 0 : sum(results.map(figure)) / results.length
  return {
    group,
    setting: setting.name,
    model,
    solved,
    of: results.length,
    share: results.length === 0 ? 0 : solved / results.length,
    ...wilson(solved, results.length),
    score: mean(({ score }) => score),
    calls: mean(({ usage }) => usage.calls),
    tokens: mean(({ usage }) => usage.inputTokens + usage.outputTokens),
    costUsd: mean(({ usage }) => usage.costUsd ?? 0),
  }
}

/** In whatever order results came, a sum is the same: floating-point addition is not associative. */
function sum(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b).reduce((total, value) => total + value, 0)
}

function withFrontier(rows: readonly Omit<Row, 'frontier'>[], by: Measure): Row[] {
  const beats = (a: Omit<Row, 'frontier'>, b: Omit<Row, 'frontier'>) =>
    a.share >= b.share && a[by] <= b[by] && (a.share > b.share || a[by] < b[by])
  return rows.map((row) => ({
    ...row,
    frontier: row.of > 0 && row.share > 0 && !rows.some((other) => other.of > 0 && beats(other, row)),
  }))
}

function comparisonsOf([first, ...others]: readonly Cell[], results: readonly LabResult[]): Comparison[] {
  if (first === undefined) return []
  const baseline = solvedBy(of(first, results, null))
  const found = others.map((cell) => {
    const solved = solvedBy(of(cell, results, null))
    const both = [...solved.keys()].filter((task) => baseline.has(task))
    const onlyFirst = both.filter((task) => baseline.get(task) && !solved.get(task)).length
    const onlySecond = both.filter((task) => !baseline.get(task) && solved.get(task)).length
    return {
      first: nameOf(first),
      second: nameOf(cell),
      of: both.length,
      onlyFirst,
      onlySecond,
      p: mcnemar(onlyFirst, onlySecond),
    }
  })
  const corrected = holm(found.map(({ p }) => p))
  return found.map((one, i) => ({ ...one, p: corrected[i] as number }))
}

function solvedBy(results: readonly LabResult[]): ReadonlyMap<string, boolean> {
  return new Map(results.map(({ task, repeat, solved }) => [`${task}/${repeat}`, solved]))
}

function nameOf({ setting, model }: Cell): CellName {
  return { setting: setting.name, model }
}
