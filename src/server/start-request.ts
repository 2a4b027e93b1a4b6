/** What a request may say of a run: data only, and nothing that the operator has not allowed. */
import {
  DEFAULT_LIMITS,
  errorText,
  type Goal,
  isObject,
  LIMIT_NAMES,
  type Limits,
  nearest,
  ThinkonError,
} from '../protocol/index.ts'
import { checkSchema, type JsonSchema, uncheckedPart, violationText } from '../schema/check-schema.ts'
import type { Strategies } from '../strategies/registry.ts'
import { goalWithFiles, placeFiles } from '../tools/given-files.ts'
import { insideWorkspace } from '../tools/workspace.ts'

export interface StartRequest {
  strategy?: string
  options?: Record<string, unknown>
  model?: string
  budget?: Partial<Limits>
  /** JSON Schema of the value that the result is to be given as. */
  output?: object
  /** Put into the workspace, and named in the goal. */
  files?: readonly SentFile[]
  /** The run's id: whoever asks again with the same one gets the same run. */
  id?: string
  seed?: string
}

/** Bytes are sent as base64. */
export type SentFile = { name: string } & ({ text: string } | { base64: string })

const amount = { type: 'number', minimum: 0 } as const
const count = { type: 'integer', minimum: 0 } as const

/** Part of addresses and of file names. */
export const RUN_ID = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$' } as const

export const GOAL = {
  description: 'What is to be reached: a text, or its four parts.',
  anyOf: [
    { type: 'string', minLength: 1 },
    {
      type: 'object',
      properties: {
        intent: { type: 'string' },
        deliverable: { type: 'string' },
        metric: { type: 'string' },
        constraint: { type: 'string' },
      },
      required: ['intent', 'deliverable', 'metric', 'constraint'],
      additionalProperties: false,
    },
  ],
} as const

export const LIMITS = {
  type: 'object',
  description: 'Limits of the whole run; none may exceed what the operator allows.',
  properties: {
    depth: { ...count, description: 'Levels below the root.' },
    tokens: { ...count, description: 'Input and output tokens.' },
    calls: { ...count, description: 'Model and tool calls.' },
    timeMs: { ...count, description: 'Active time in milliseconds.' },
    costUsd: { ...amount, description: 'US dollars.' },
  },
  additionalProperties: false,
} as const

/** OpenAPI, MCP and the client's types show it as well. */
export const START_REQUEST = {
  type: 'object',
  properties: {
    strategy: { type: 'string', minLength: 1, maxLength: 200, description: 'The way of reasoning.' },
    options: { type: 'object', description: "The strategy's own options." },
    model: {
      type: 'string',
      minLength: 1,
      maxLength: 1000,
      description: 'One of the models of the service.',
    },
    budget: LIMITS,
    output: {
      type: 'object',
      description: 'JSON Schema of the value that the result is to be given as.',
    },
    files: {
      type: 'array',
      maxItems: 100,
      description: 'Files for the run: they are put into the workspace, and the goal names them.',
      items: {
        type: 'object',
        properties: {
          name: {
            type: 'string',
            pattern: '^[^./\\\\\\u0000-\\u001f][^/\\\\\\u0000-\\u001f]{0,199}$',
            description: "The file's name, without a folder.",
          },
          text: { type: 'string', description: 'What it holds, if that is text.' },
          base64: { type: 'string', contentEncoding: 'base64', description: 'What it holds otherwise.' },
        },
        required: ['name'],
        oneOf: [{ required: ['text'] }, { required: ['base64'] }],
        additionalProperties: false,
      },
    },
    id: {
      ...RUN_ID,
      description: 'The id of the run. Whoever asks again with the same id and goal gets the same run.',
    },
    seed: { type: 'string', minLength: 1, maxLength: 200, description: 'Makes randomness repeatable.' },
  },
  additionalProperties: false,
} as const satisfies JsonSchema

/** Throws BAD_INPUT with all that is wrong. `whole` is what the value is called: `the body`. */
export function requireFits(value: unknown, schema: JsonSchema, whole: string): void {
  const problems = checkSchema(value, schema).map((violation) => violationText(violation, whole))
  if (problems.length > 0) throw new ThinkonError('BAD_INPUT', problems.join('; '), { data: { problems } })
}

/** Throws BAD_INPUT for a schema that refers to what is not in it: its value would be checked by less than its author means. */
export function requireWhole(schema: object | undefined, name: string): void {
  const problem = schema === undefined ? undefined : uncheckedPart(schema as JsonSchema)
  if (problem !== undefined) throw new ThinkonError('BAD_INPUT', `${name}: ${problem}`, { data: { name } })
}

/** The spec of the model to use: one of those that the operator has allowed. */
export function allowedModel(given: string | undefined, models: readonly string[]): string {
  const [first] = models
  if (given === undefined && first !== undefined) return first
  if (given !== undefined && models.includes(given)) return given
  const near = given === undefined ? undefined : nearest(given, models)
  const hint = near === undefined ? `; there are: ${models.join(', ')}` : `: did you mean "${near}"?`
  throw new ThinkonError('NO_MODEL', `this service has no model "${given}"${hint}`, {
    data: { model: given, available: models },
  })
}

/** What the operator sets is the default and the most: a request can only ask for less. */
export function allowedBudget(given: Partial<Limits> = {}, own: Partial<Limits> = {}): Partial<Limits> {
  const most = { ...DEFAULT_LIMITS, ...own }
  const problems = LIMIT_NAMES.flatMap((name) => {
    const value = given[name]
    return value === undefined || value <= most[name]
      ? []
      : [`budget.${name} is ${value}, and this service allows at most ${most[name]}`]
  })
  if (problems.length > 0) throw new ThinkonError('DENIED', problems.join('; '), { data: { problems, most } })
  return { ...own, ...given }
}

/** Throws DENIED if a value that names a file or folder, wherever in the options it is, leads out of the workspace. */
export async function requireInside(
  given: unknown,
  strategies: Strategies,
  workspace: string | undefined,
): Promise<void> {
  const names = pathOptions(strategies)
  const paths: string[] = []
  const look = (value: unknown, name: string | null): void => {
    if (Array.isArray(value)) for (const item of value) look(item, name)
    else if (isObject(value)) for (const [key, item] of Object.entries(value)) look(item, key)
    else if (name !== null && names.has(name) && typeof value === 'string') paths.push(value)
  }
  look(given, null)
  for (const path of paths) await requirePathInside(path, workspace)
}

/** Options that the command line reads as paths are paths. */
function pathOptions(strategies: Strategies): ReadonlySet<string> {
  const flags = [...strategies.values()].flatMap((strategy) => Object.values(strategy.flags ?? {}))
  return new Set(flags.filter(({ type }) => type === 'path').map(({ option }) => option))
}

async function requirePathInside(path: string, workspace: string | undefined): Promise<void> {
  const deny = (why: string) => {
    throw new ThinkonError('DENIED', `a request can't name this path: ${why}`, { data: { path } })
  }
  if (workspace === undefined) deny('there is no workspace')
  else await insideWorkspace(workspace, path, 'write').catch((thrown) => deny(errorText(thrown)))
}

/** The goal of a run that is given files, which are in the workspace from now on. */
export async function takeFiles(
  goal: Goal,
  files: readonly SentFile[],
  workspace: string | undefined,
): Promise<Goal> {
  if (files.length === 0) return goal
  if (workspace === undefined)
    throw new ThinkonError('BAD_INPUT', 'files: this service has no workspace to put them into')
  const given = files.map((file) => ({
    name: file.name,
    content: 'text' in file ? Buffer.from(file.text) : Buffer.from(file.base64, 'base64'),
  }))
  return goalWithFiles(goal, await placeFiles(given, workspace))
}
