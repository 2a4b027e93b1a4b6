/**
 * Cycles of waiting among nested tasks. A task that depends on another waits, with all below it, for all below the other. So
 * every task is two points, its start and its end: a start waits for the parent's start and for the ends it depends on, an end
 * for its own start and for the ends below it. Waiting in a circle among these points is the only way a plan can't be done,
 * and covers a task that depends on what holds it or on what it holds.
 */
import { ThinkonError } from '../../../protocol/index.ts'
import type { Task } from './task.ts'

export interface Waiting {
  readonly name: string
  /** Positions in the same list. */
  readonly parent: number | null
  readonly dependsOn: readonly number[]
}

const MAX_CYCLES = 3

/** The names along each cycle, the first one again at its end, as text; a few are enough to go by. */
export function findCycles(tasks: readonly Waiting[]): string[] {
  const waits = waitsOf(tasks)
  const state = new Uint8Array(waits.length)
  const cycles: number[][] = []
  for (let first = 0; first < waits.length && cycles.length < MAX_CYCLES; first++)
    if (state[first] === UNSEEN) walk(first, waits, state, cycles)
  return cycles.map((cycle) => cycle.map((at) => `"${tasks[at]?.name}"`).join(' → '))
}

/** Along everything that is waited for from there on; a point that is met again on its own way closes a cycle. */
function walk(first: number, waits: readonly number[][], state: Uint8Array, cycles: number[][]): void {
  const way = [first]
  const next = [0]
  state[first] = ON_WAY
  while (way.length > 0 && cycles.length < MAX_CYCLES) {
    const point = way[way.length - 1] as number
    const turn = next[next.length - 1] as number
    next[next.length - 1] = turn + 1
    const to = waits[point]?.[turn]
    if (to === undefined) {
      state[point] = SEEN
      way.pop()
      next.pop()
    } else if (state[to] === ON_WAY) {
      cycles.push(tasksAlong(way.slice(way.indexOf(to))))
    } else if (state[to] === UNSEEN) {
      state[to] = ON_WAY
      way.push(to)
      next.push(0)
    }
  }
}

const UNSEEN = 0
const ON_WAY = 1
const SEEN = 2

/** Throws BAD_INPUT with the first cycle. What `depends_on` names and is not among the tasks is waited for by nobody. */
export function refuseCycles(tasks: readonly Task[]): void {
  const at = new Map(tasks.map(({ id }, i) => [id, i]))
  const parents = new Map<string, number>()
  for (const [i, { subtasks }] of tasks.entries()) for (const { id } of subtasks) parents.set(id, i)
  const waiting = tasks.map(({ id, name, depends_on }) => ({
    name,
    parent: parents.get(id) ?? null,
    dependsOn: depends_on.flatMap((other) => at.get(other) ?? []),
  }))
  const [cycle] = findCycles(waiting)
  if (cycle !== undefined)
    throw new ThinkonError('BAD_INPUT', `tasks would wait for each other in a circle: ${cycle}`)
}

/** Point 2i is the start of task i, 2i + 1 its end. */
function waitsOf(tasks: readonly Waiting[]): number[][] {
  const waits: number[][] = []
  for (const [i, { parent, dependsOn }] of tasks.entries()) {
    waits[2 * i] = dependsOn.map((other) => 2 * other + 1)
    waits[2 * i + 1] = [2 * i]
    if (parent !== null) waits[2 * i]?.push(2 * parent)
  }
  for (const [i, { parent }] of tasks.entries()) if (parent !== null) waits[2 * parent + 1]?.push(2 * i + 1)
  return waits
}

function tasksAlong(points: readonly number[]): number[] {
  const along = [...points, points[0] as number].map((point) => point >> 1)
  const path = along.filter((at, i) => i === 0 || at !== along[i - 1])
  // A task that depends on itself.
  return path.length === 1 ? [...path, ...path] : path
}
