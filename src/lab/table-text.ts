/** The table of a lab for people. */
import { costText, countText } from '../views/figures.ts'
import { textWidth } from '../views/text-width.ts'
import type { Lang } from '../views/words.ts'
import type { CellName, Comparison, Row, Table } from './table.ts'
import { labWords } from './words.ts'

export function tableText(table: Table, lang: Lang): string {
  const words = labWords(lang)
  const hasModels = new Set(table.rows.map(({ model }) => model)).size > 1
  const groups = Map.groupBy(table.rows, ({ group }) => group)
  const head = [
    '',
    words.setting,
    ...(hasModels ? [words.model] : []),
    words.solved,
    '%',
    words.interval,
    words.calls,
    words.tokens,
    words.cost,
  ]
  const lines = [...groups].flatMap(([group, rows]) => [
    ...(groups.size > 1 ? [[group ?? words.all]] : []),
    ...rows.map((row) => cellsOf(row, hasModels)),
  ])
  const numbersFrom = hasModels ? 3 : 2
  const runs = (groups.get(null) ?? []).reduce((sum, row) => sum + row.of, 0)
  return [
    ...aligned([head, ...lines], numbersFrom),
    '',
    `* ${words.frontier} (${words.measures[table.against]})`,
    words.means(runs, table.seed) + (table.isComplete ? '' : `; ${words.incomplete}`),
    ...table.comparisons.map((one) => comparisonText(one, table, lang)),
  ].join('\n')
}

function cellsOf(row: Row, hasModels: boolean): string[] {
  return [
    row.frontier ? '*' : '',
    row.setting,
    ...(hasModels ? [row.model] : []),
    `${row.solved}/${row.of}`,
    percent(row.share),
    `${percent(row.low)}–${percent(row.high)}`,
    meanText(row.calls),
    meanText(row.tokens),
    costText(row.costUsd),
  ]
}

function comparisonText(
  { first, second, of, onlyFirst, onlySecond, p }: Comparison,
  table: Table,
  lang: Lang,
) {
  const words = labWords(lang)
  const hasModels = new Set(table.rows.map(({ model }) => model)).size > 1
  const name = (cell: CellName) => cellText(cell, hasModels)
  const chance = table.comparisons.length > 1 ? words.corrected : words.chance
  const about = words.against(name(first), name(second))
  return words.line(about, words.only(of, onlySecond, onlyFirst), chance(pText(p)))
}

export function cellText({ setting, model }: CellName, hasModels: boolean): string {
  return hasModels ? `${setting} (${model})` : setting
}

/** A line of one cell is a heading. */
function aligned(lines: readonly (readonly string[])[], numbersFrom: number): string[] {
  const rows = lines.filter((line) => line.length > 1)
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => textWidth(row[i] ?? ''))))
  return lines.map((line) =>
    line.length === 1
      ? `${line[0]}`
      : line
          .map((cell, i) => {
            const room = ' '.repeat((widths[i] ?? 0) - textWidth(cell))
            return i >= numbersFrom ? room + cell : cell + room
          })
          .join('  ')
          .trimEnd(),
  )
}

export function percent(share: number): string {
  return (100 * share).toFixed(1).replace(/\.0$/, '')
}

export function meanText(value: number): string {
  return value < 100 ? String(Math.round(value * 10) / 10) : countText(Math.round(value))
}

function pText(p: number): string {
  return p < 0.0001 ? '< 0.0001' : `= ${p.toPrecision(2)}`
}
