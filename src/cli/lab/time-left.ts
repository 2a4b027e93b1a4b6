/** An estimate of the time that a lab still takes, by what its settings have taken so far. */
import { cellsOf, type Plan } from '../../lab/plan.ts'
import { durationText } from '../../views/figures.ts'
import type { LabResult } from '../../views/lab-results.ts'

/** Takes each result, and says how long the others will take; null until there is something to go by. */
export function timeLeft(
  plan: Plan,
  known: readonly LabResult[],
  concurrency: number,
): (result: LabResult) => string | null {
  const runs = plan.tasks.length * plan.repeats
  const cells = new Map(
    cellsOf(plan).map(({ setting, model }) => [`${setting.name}|${model}`, { count: 0, ms: 0 }]),
  )
  const add = ({ setting, model, timeMs }: LabResult) => {
    const cell = cells.get(`${setting}|${model}`)
    if (cell === undefined) return
    cell.count++
    cell.ms += timeMs
  }
  for (const result of known) add(result)
  return (result) => {
    add(result)
    const all = [...cells.values()]
    const overall = mean(
      all.reduce((sum, { ms }) => sum + ms, 0),
      all.reduce((sum, { count }) => sum + count, 0),
    )
    const leftMs = all.reduce(
      (sum, { count, ms }) => sum + (runs - count) * (count === 0 ? overall : mean(ms, count)),
      0,
    )
    return leftMs === 0 ? null : durationText(leftMs / concurrency)
  }
}

function mean(sum: number, count: number): number {
  return count === 0 ? 0 : sum / count
}
