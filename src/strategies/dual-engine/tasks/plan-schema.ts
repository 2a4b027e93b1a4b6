/** The plan as a model writes it: the document's JSON, with `subtasks` and `depends_on` added. `plan.schema.json` publishes it. */

export interface Plan {
  readonly main_task: string
  readonly main_task_goal: string
  readonly tasks: readonly PlanTask[]
}

export interface PlanTask {
  readonly subtask_name: string
  readonly subtask_goal: string
  /** Names of tasks of the same plan, anywhere in it. */
  readonly depends_on?: readonly string[]
  readonly subtasks?: readonly PlanTask[]
}
