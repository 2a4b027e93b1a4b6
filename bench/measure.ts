import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Measures on a noisy machine: the contenders take turns, and the median of many short rounds counts. `before` each of them is not measured. */
export async function rounds(
  count: number,
  contenders: Record<string, () => Promise<unknown>>,
  before: () => void = () => {},
): Promise<Record<string, number>> {
  const times: Record<string, number[]> = {}
  for (let round = 0; round < count; round++) {
    for (const [name, work] of Object.entries(contenders)) {
      before()
      const start = process.hrtime.bigint()
      await work()
      const list = times[name] ?? []
      list.push(Number(process.hrtime.bigint() - start) / 1e3)
      times[name] = list
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]))
}

/** So that nobody pays for what others have left: where a contender leaves tens of megabytes, the next one would. */
export function collectGarbage(): void {
  gc ??= exposedGc()
  gc()
}

let gc: (() => void) | undefined

function exposedGc(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

export function median(list: readonly number[]): number {
  return [...list].sort((a, b) => a - b)[list.length >> 1] as number
}

export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}
