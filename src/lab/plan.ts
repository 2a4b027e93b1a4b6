/** What a lab does: every setting with every model on every task, as often as asked for. */
import { createHash } from 'node:crypto'
import { type Limits, stableJson } from '../protocol/index.ts'
import type { Task } from './tasks/task.ts'

/** A strategy with options. */
export interface Setting {
  /** As given: "tot beam=3". */
  readonly name: string
  readonly strategy: string
  readonly options: Readonly<Record<string, unknown>>
}

export interface Plan {
  readonly seed: string
  readonly settings: readonly Setting[]
  readonly models: readonly string[]
  readonly tasks: readonly Task[]
  readonly repeats: number
  /** Of each run. */
  readonly limits: Partial<Limits>
  /** The model that judges, where a task has a judge. */
  readonly judge: string
}

/** What is compared. */
export interface Cell {
  readonly setting: Setting
  readonly model: string
}

/** One run of a lab. */
export interface Trial extends Cell {
  readonly key: string
  readonly task: Task
  readonly repeat: number
}

/** The answers to one task, which are judged together. */
export type Round = readonly Trial[]

export function cellsOf({ settings, models }: Plan): Cell[] {
  return models.flatMap((model) => settings.map((setting) => ({ setting, model })))
}

/** Task by task, so that what a lab has when it is stopped can be compared. */
export function roundsOf(plan: Plan): Round[] {
  const cells = cellsOf(plan)
  return plan.tasks.flatMap((task) =>
    Array.from({ length: plan.repeats }, (_, i) =>
      cells.map(({ setting, model }) => ({
        key: [task.id, i + 1, setting.name, model].join(' | '),
        task,
        repeat: i + 1,
        setting,
        model,
      })),
    ),
  )
}

/** Equal for plans that give the same runs. */
export function fingerprintOf(plan: Plan): string {
  return createHash('sha256').update(stableJson(plan)).digest('hex').slice(0, 16)
}
