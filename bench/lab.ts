/**
 * Strategies on tasks, with embedded:mini, which errs: the table that tells whether a change makes a strategy worse. It is deterministic; the
 * stored one, bench/lab-table.json, is compared within its confidence, since a change of a prompt alone draws other errors.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine } from '../src/engine.ts'
import type { Plan, Setting } from '../src/lab/plan.ts'
import { openResults } from '../src/lab/results-file.ts'
import { runLab } from '../src/lab/run-lab.ts'
import { type Table, tableOf } from '../src/lab/table.ts'
import { tableText } from '../src/lab/table-text.ts'
import { shippedTasks } from '../src/lab/tasks/shipped-tasks.ts'
import type { Figures } from './index.ts'
import stored from './lab-table.json' with { type: 'json' }

export const about =
  'strategies on expressions and puzzles, with embedded:mini: a change that makes one worse shows'

const MODEL = 'embedded:mini'

/** One answer, and searches with the same cap of calls. */
const SETTINGS: readonly Setting[] = [
  { name: 'best-of samples=1', strategy: 'best-of', options: { samples: 1 } },
  { name: 'best-of samples=9', strategy: 'best-of', options: { samples: 9 } },
  { name: 'fractal', strategy: 'fractal', options: {} },
  { name: 'cot', strategy: 'cot', options: {} },
  { name: 'tot', strategy: 'tot', options: {} },
]

const TASKS = [
  ['expressions', 12],
  ['puzzles', 12],
] as const

const PLAN: Plan = {
  seed: 'bench',
  settings: SETTINGS,
  models: [MODEL],
  tasks: TASKS.flatMap(([set, count]) =>
    shippedTasks({ set, options: {}, count, seed: 'bench', split: 'tuning' }),
  ),
  repeats: 1,
  limits: { calls: 60 },
  judge: MODEL,
}

export async function run(): Promise<Figures> {
  const table = await measure()
  const rows = overall(table)
  return {
    figures: { rows, worse: worseThan(rows, stored) },
    lines: [
      ...tableText({ ...table, rows: table.rows.filter(({ group }) => group === null) }, 'en').split('\n'),
    ],
  }
}

async function measure(): Promise<Table> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-lab-'))
  const engine = createEngine({ model: MODEL })
  const file = openResults(join(folder, 'results.jsonl'), PLAN, false)
  try {
    const signal = new AbortController().signal
    await runLab({
      plan: PLAN,
      file,
      limits: {},
      concurrency: 8,
      signal,
      engineOf: async () => engine,
      onResult: () => {},
    })
    return tableOf(PLAN, file.results, 'calls')
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface BenchRow {
  readonly setting: string
  readonly share: number
  readonly low: number
  readonly high: number
  readonly calls: number
}

function overall({ rows }: Table): BenchRow[] {
  const round = (value: number) => Math.round(value * 1_000) / 1_000
  return rows
    .filter(({ group }) => group === null)
    .map(({ setting, share, low, high, calls }) => ({
      setting,
      share: round(share),
      low: round(low),
      high: round(high),
      calls: round(calls),
    }))
}

/** More calls for the same tasks than by chance. */
const CALLS_ROOM = 1.15

/** Settings that solve less than the stored table leaves room for, or take clearly more calls. */
export function worseThan(rows: readonly BenchRow[], before: readonly BenchRow[]): string[] {
  return before.flatMap(({ setting, low, share, calls }) => {
    const now = rows.find((row) => row.setting === setting)
    if (now === undefined) return [`${setting}: not measured`]
    return [
      ...(now.share < low ? [`${setting}: solves ${now.share}, before ${share} (at least ${low})`] : []),
      ...(now.calls > calls * CALLS_ROOM ? [`${setting}: ${now.calls} calls a run, before ${calls}`] : []),
    ]
  })
}
