export interface WaitingTask {
  /** The index of its parent task. */
  readonly parent: number | null
  readonly dependsOn: readonly number[]
}

/**
 * The indices of tasks that wait for each other, in order; empty if there are none. A task starts after those it depends on
 * have ended and its parent has started; it ends after its parts.
 */
export function findCycle(tasks: readonly WaitingTask[]): number[] {
  // Two points in time for each task: 2n is its start, 2n + 1 its end.
  const after: number[][] = tasks.flatMap(({ parent, dependsOn }, at) => [
    [...dependsOn.map((other) => 2 * other + 1), ...(parent === null ? [] : [2 * parent])],
    [2 * at, ...tasks.flatMap((task, part) => (task.parent === at ? [2 * part + 1] : []))],
  ])
  const state = new Map<number, 'open' | 'done'>()
  const way: number[] = []

  function visit(point: number): number[] | null {
    if (state.get(point) === 'done') return null
    if (state.get(point) === 'open') return way.slice(way.indexOf(point))
    state.set(point, 'open')
    way.push(point)
    for (const before of after[point] as number[]) {
      const cycle = visit(before)
      if (cycle !== null) return cycle
    }
    way.pop()
    state.set(point, 'done')
    return null
  }

  for (let point = 0; point < after.length; point++) {
    const cycle = visit(point)
    if (cycle !== null) return [...new Set(cycle.map((one) => one >> 1))]
  }
  return []
}
