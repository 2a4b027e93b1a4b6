/**
 * What may stand in a blueprint's file: the one table behind the check and behind `blueprint.schema.json`, which editors use.
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
        ...text('A verb and a noun; the only one of its name in the plan. No places.'),
        maxLength: 120,
      },
      subtask_goal: text('What is to be reached, and when it is. {{name}} is a parameter.'),
      depends_on: {
        type: 'array',
        items: { type: 'string', minLength: 1 },
        description: 'Names of tasks that must have ended before.',
        errorMessage: 'must be a list of names of tasks',
      },
      ...(depth < MAX_PLAN_DEPTH && { subtasks: taskList(depth + 1, 'Its parts: done instead of it.') }),
    },
    additionalProperties: false,
    errorMessage: 'must be a mapping with subtask_name and subtask_goal',
  }
}

export const BLUEPRINT_FILE: JsonSchema = {
  type: 'object',
  required: ['name', 'description'],
  properties: {
    name: {
      type: 'string',
      pattern: '^[a-z][a-z0-9_-]{0,47}$',
      description: 'Its name, and that of its file.',
      errorMessage:
        'must be a name of small letters, digits, - and _, beginning with a letter, of at most 48',
    },
    verbose_name: text('Its name for people.'),
    description: text('What it is for: a model chooses by this.'),
    parameters: INPUTS,
    init_prompt: text('What is told to whoever plans, or begins. {{name}} is a parameter.'),
    persistent_prompt: text('What is told at every step. {{name}} is a parameter.'),
    result_prompt: text('What is told to whoever writes the result. {{name}} is a parameter.'),
    plan: {
      type: 'object',
      description: 'A fixed plan; without it the model plans.',
      required: ['main_task', 'main_task_goal', 'tasks'],
      properties: {
        main_task: text('The task as a whole, in a line. {{name}} is a parameter.'),
        main_task_goal: text('When the whole is done. {{name}} is a parameter.'),
        tasks: taskList(1, 'In their order.'),
      },
      additionalProperties: false,
      errorMessage: 'must be a mapping of main_task, main_task_goal and tasks',
    },
    tools: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$', errorMessage: 'must be the name of a tool' },
      description: 'The tools that may be used; all without it.',
      errorMessage: 'must be a list of names of tools',
    },
    review: { type: 'boolean', description: 'true: a person sees the parameters before it begins.' },
  },
  additionalProperties: false,
  errorMessage: 'must be a mapping with name, description, …',
}

/** The schema for editors, as `blueprint.schema.json` holds it. */
export const blueprintSchema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'A blueprint of Thinkon (.thinkon/blueprints/<name>.yaml)',
  ...BLUEPRINT_FILE,
}
