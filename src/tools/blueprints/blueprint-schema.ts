/**
 * The schema of a blueprint's file: the source of both the check and `blueprint.schema.json`, which editors use.
 * `errorMessage` is what both show.
 */
import type { JsonSchema } from '../../schema/check-schema.ts'
import { INPUTS } from '../executors/executors-schema.ts'

const MAX_PLAN_DEPTH = 4
export const MAX_TASKS = 50

const text = (description: string) => ({ type: 'string', minLength: 1, description })

function taskList(depth: number, description: string): JsonSchema {
  return {
    type: 'array',
    minItems: 1,
    maxItems: MAX_TASKS,
    description,
    items: taskAt(depth),
  }
}

function taskAt(depth: number): JsonSchema {
  return {
    type: 'object',
    required: ['subtask_name', 'subtask_goal'],
    properties: {
      subtask_name: {
        ...text('A verb and a noun, unique in the plan. No placeholders.'),
        maxLength: 120,
      },
      subtask_goal: text('The goal, and how to tell that it is reached. {{name}} is a parameter.'),
      depends_on: {
        type: 'array',
        items: { type: 'string', minLength: 1 },
        description: 'Names of tasks that must have ended first.',
        errorMessage: 'must be a list of names of tasks',
      },
      ...(depth < MAX_PLAN_DEPTH && {
        subtasks: taskList(depth + 1, 'Its parts, which are carried out instead of it.'),
      }),
    },
    additionalProperties: false,
    errorMessage: 'must be a mapping with subtask_name and subtask_goal',
  }
}

export const BLUEPRINT_PLAN: JsonSchema = {
  type: 'object',
  description: 'A fixed plan; without it the model plans.',
  required: ['main_task', 'main_task_goal', 'tasks'],
  properties: {
    main_task: text('The task as a whole, in one line. {{name}} is a parameter.'),
    main_task_goal: text('When the whole is done. {{name}} is a parameter.'),
    tasks: taskList(1, 'In their order.'),
  },
  additionalProperties: false,
  errorMessage: 'must be a mapping of main_task, main_task_goal and tasks',
}

export const BLUEPRINT_FILE: JsonSchema = {
  type: 'object',
  required: ['name', 'description'],
  properties: {
    name: {
      type: 'string',
      pattern: '^[a-z][a-z0-9_-]{0,47}$',
      description: 'Its name, which is also the name of its file.',
      errorMessage:
        'must be a name of at most 48 lower-case letters, digits, - and _, beginning with a letter',
    },
    verbose_name: text('Its name for people.'),
    description: text('What it is for: a model chooses a blueprint by this.'),
    parameters: INPUTS,
    init_prompt: text('Instructions for whoever plans or starts. {{name}} is a parameter.'),
    persistent_prompt: text('Instructions for every step. {{name}} is a parameter.'),
    result_prompt: text('Instructions for whoever writes the result. {{name}} is a parameter.'),
    plan: BLUEPRINT_PLAN,
    tools: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$', errorMessage: 'must be the name of a tool' },
      description: 'The tools that may be used; all if left out.',
      errorMessage: 'must be a list of names of tools',
    },
    review: { type: 'boolean', description: 'true: a person sees the parameters before it starts.' },
  },
  additionalProperties: false,
  errorMessage: 'must be a mapping with name, description, …',
}

/** The schema for editors, which is the content of `blueprint.schema.json`. */
export const blueprintSchema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'A blueprint of Thinkon (.thinkon/blueprints/<name>.yaml)',
  ...BLUEPRINT_FILE,
}
