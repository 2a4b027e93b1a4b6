/** A blueprint (the document's forge): a plan prepared for tasks of one kind, with placeholders for what differs. */
import type { InputsSchema } from '../executors/executor.ts'

/** The fields have the names that they have in the file. */
export interface Blueprint {
  readonly name: string
  readonly verbose_name: string
  readonly description: string
  /** A JSON Schema of an object. */
  readonly parameters: InputsSchema
  /** For whoever plans or starts. */
  readonly init_prompt: string
  /** For every step. */
  readonly persistent_prompt: string
  /** For whoever writes the result. */
  readonly result_prompt: string
  /** Null if the model makes the plan. */
  readonly plan: BlueprintPlan | null
  /** Names of the tools that may be used; null for all. */
  readonly tools: readonly string[] | null
  /** Whether a person sees the parameters before it starts. */
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

/** Fields that may contain placeholders, besides those of the plan. */
export const PROMPTS = ['init_prompt', 'persistent_prompt', 'result_prompt'] as const

const PLACE = /\{\{\s*([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}/g

/** The placeholders of a text, `{{name}}`, in order. */
export function placesOf(text: string): { name: string; written: string }[] {
  return [...text.matchAll(PLACE)].map(([written, name]) => ({ written, name: name as string }))
}

/** In one pass: placeholders inside a value are not filled. */
export function replacePlaces(text: string, fill: (name: string) => string): string {
  return text.replace(PLACE, (_, name: string) => fill(name))
}
