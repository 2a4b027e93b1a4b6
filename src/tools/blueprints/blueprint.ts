/** A blueprint (the document's forge): a plan worked out beforehand for tasks of one kind, with places for what differs. */
import type { InputsSchema } from '../executors/executor.ts'

/** The fields are named as in its file. */
export interface Blueprint {
  readonly name: string
  readonly verbose_name: string
  readonly description: string
  /** A JSON Schema of an object. */
  readonly parameters: InputsSchema
  /** For whoever plans, or begins. */
  readonly init_prompt: string
  /** For every step on the way. */
  readonly persistent_prompt: string
  /** For whoever writes the result. */
  readonly result_prompt: string
  /** Null: it is planned by the model. */
  readonly plan: BlueprintPlan | null
  /** Names of the tools that may be used; null: all. */
  readonly tools: readonly string[] | null
  /** The parameters are shown to a person before it begins. */
  readonly review: boolean
}

export interface BlueprintPlan {
  readonly main_task: string
  readonly main_task_goal: string
  readonly tasks: readonly BlueprintTask[]
}

export interface BlueprintTask {
  readonly subtask_name: string
  readonly subtask_goal: string
  readonly depends_on?: readonly string[]
  readonly subtasks?: readonly BlueprintTask[]
}

/** Fields with places for parameters, besides those of the plan. */
export const PROMPTS = ['init_prompt', 'persistent_prompt', 'result_prompt'] as const

const PLACE = /\{\{\s*([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}/g

/** The places of a text for parameters, `{{name}}`, in their order. */
export function placesOf(text: string): { name: string; written: string }[] {
  return [...text.matchAll(PLACE)].map(([written, name]) => ({ written, name: name as string }))
}

/** In one pass: what a value brings along is not filled again. */
export function replacePlaces(text: string, fill: (name: string) => string): string {
  return text.replace(PLACE, (_, name: string) => fill(name))
}
