import type { ToolAccess } from '../../kernel/tool.ts'
import { nearest } from '../../protocol/index.ts'
import { checkSchema, type JsonSchema } from '../../schema/check-schema.ts'
import type { ProcessEnd } from '../run-process.ts'

/** Something a plan can execute in one step: an entry of executors.yaml, or the generic shell. */
export interface Executor {
  readonly id: string
  readonly description: string
  /** Null for the generic shell, whose command is its input. */
  readonly command: string | null
  /** A JSON Schema of an object. */
  readonly inputs: InputsSchema
  readonly guarantees: readonly string[]
  /** In words, for the Planner; the enforced limits are in the fields below. */
  readonly limits: readonly string[]
  readonly sideEffects: readonly string[]
  readonly access: ToolAccess
  readonly idempotent: boolean
  readonly timeoutMs: number
  readonly maxOutputBytes: number
  /** Relative to the workspace; inputs of format `path` must be within these. Null for the whole workspace. */
  readonly paths: readonly string[] | null
  readonly cwd: string
  /** Names of environment variables to pass on. */
  readonly env: readonly string[]
  readonly sandbox: boolean
}

export interface InputsSchema extends JsonSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
  readonly additionalProperties: false
}

export interface ExecutorResult extends Pick<ProcessEnd, 'exitCode' | 'stdout' | 'stderr' | 'truncated'> {
  readonly signal?: string
  /** It was stopped because it timed out. */
  readonly timedOut?: true
  readonly durationMs: number
  /** See CommandEnd. */
  readonly note?: string
}

export const DEFAULT_TIMEOUT_MS = 120_000
export const DEFAULT_OUTPUT_BYTES = 64_000

export const SHELL: Executor = {
  id: 'shell',
  description: 'The generic executor: runs any shell command in the workspace.',
  command: null,
  inputs: {
    type: 'object',
    properties: { command: { type: 'string', minLength: 1, description: 'The command, for the shell' } },
    required: ['command'],
    additionalProperties: false,
  },
  guarantees: ['gives the exit code, stdout and stderr', 'ends with everything it started'],
  limits: ['has no input', 'leaves no process running'],
  sideEffects: ['whatever the command does'],
  access: 'execute',
  idempotent: false,
  timeoutMs: DEFAULT_TIMEOUT_MS,
  maxOutputBytes: DEFAULT_OUTPUT_BYTES,
  paths: null,
  cwd: '.',
  env: [],
  sandbox: true,
}

/** `none` means read, `files` write, `network` network; several of them, anything else or nothing at all means execute. */
export function accessOf(sideEffects: readonly string[]): ToolAccess {
  const [only = '', ...others] = sideEffects
  return others.length > 0 ? 'execute' : (ACCESS[only] ?? 'execute')
}

const ACCESS: Readonly<Record<string, ToolAccess>> = { none: 'read', files: 'write', network: 'network' }

/** What is wrong with the inputs that an executor or a blueprint is given. */
export function inputProblems(schema: InputsSchema, given: unknown): string[] {
  return checkSchema(given, schema).map(({ path, message }) =>
    path.length === 0 ? message : `"${path.join('.')}" ${message}`,
  )
}

export function unknownName(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  if (near !== undefined) return `unknown "${name}": did you mean "${near}"?`
  return `unknown "${name}"; there ${known.length === 0 ? 'is none' : `are: ${known.join(', ')}`}`
}
