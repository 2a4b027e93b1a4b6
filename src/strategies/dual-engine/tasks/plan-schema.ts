/** The plan as a model writes it: the document's JSON, with `subtasks` and `depends_on` added. */

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

const TASK = {
  type: 'object',
  required: ['subtask_name', 'subtask_goal'],
  properties: {
    subtask_name: {
      type: 'string',
      description: 'A short name of a verb and a noun ("analyse requirements"), unique in the plan.',
    },
    subtask_goal: {
      type: 'string',
      description: 'What exactly this task is to reach, and how to tell that it is complete.',
    },
    depends_on: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names of tasks of this plan that must have ended before this one begins.',
    },
    subtasks: {
      type: 'array',
      items: { $ref: '#/$defs/task' },
      description:
        'The parts of this task, in order, where it has some. Only tasks without parts are executed.',
    },
  },
} as const

/** As `plan.schema.json` holds it. */
export const planJsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A plan of the dual engine',
  type: 'object',
  required: ['main_task', 'main_task_goal', 'tasks'],
  properties: {
    main_task: { type: 'string', description: 'The task as a whole: everything that the user asks for.' },
    main_task_goal: {
      type: 'string',
      description: 'A concrete, measurable goal that says when the main task has succeeded.',
    },
    tasks: {
      type: 'array',
      minItems: 1,
      items: { $ref: '#/$defs/task' },
      description: 'The sub-tasks that the main task is done by, in order.',
    },
  },
  $defs: { task: TASK },
} as const
