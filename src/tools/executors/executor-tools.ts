/** The executors of a workspace: as tools, as data for prompts, and by the way a plan calls them. */
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ThinkonError } from '../../protocol/index.ts'
import type { GuardedTool } from '../define-tool.ts'
import { unknownName } from './check-json.ts'
import { type Executor, SHELL } from './executor.ts'
import { parseExecutors } from './parse-executors.ts'
import {
  checkInputs,
  commandOf,
  type Inputs,
  pathInputs,
  type RunOptions,
  runExecutor,
} from './run-executor.ts'

/** From the workspace. */
export const EXECUTORS_PATH = '.thinkon/executors/executors.yaml'

export interface ExecutorToolOptions extends Pick<RunOptions, 'sandbox'> {
  /** Before each id, so that an executor is not taken for another tool. */
  prefix?: string
  /** Instead of those of the workspace's file. */
  executors?: readonly Executor[]
}

/** For each executor a tool `executor__<id>`. Throws BAD_INPUT when the workspace's file is broken. */
export async function executorTools(
  workspace: string,
  options: ExecutorToolOptions = {},
): Promise<GuardedTool[]> {
  const { prefix = 'executor__', sandbox } = options
  const executors = options.executors ?? (await loadExecutors(workspace))
  return executors.map((executor) => ({
    name: `${prefix}${executor.id}`,
    description: [executor.description, ...executor.guarantees, ...limitTexts(executor)].join(' · '),
    access: executor.access,
    idempotent: executor.idempotent,
    input: { json: executor.inputs, check: (given) => checkInputs(executor, given) },
    subjects: (given) => subjectsOf(executor, given),
    run: (given, { signal }) =>
      runExecutor(executor, checkInputs(executor, given), {
        workspace,
        signal,
        ...(sandbox === undefined ? {} : { sandbox }),
      }),
  }))
}

/** Those of `.thinkon/executors/executors.yaml`; without that file the generic shell is the one there is. */
export async function loadExecutors(workspace: string): Promise<Executor[]> {
  const path = join(workspace, EXECUTORS_PATH)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw new ThinkonError('BAD_INPUT', `${EXECUTORS_PATH} can't be read: ${code}`)
    const other = EXECUTORS_PATH.replace(/yaml$/, 'yml')
    const misnamed = await access(join(workspace, other)).then(
      () => true,
      () => false,
    )
    if (misnamed) throw new ThinkonError('BAD_INPUT', `${other} is not read: rename it to ${EXECUTORS_PATH}`)
    return [SHELL]
  }
  return parseExecutors(text, EXECUTORS_PATH)
}

export interface ExecutorDescription {
  id: string
  description: string
  inputs: Executor['inputs']
  guarantees: readonly string[]
  limits: readonly string[]
  side_effects: readonly string[]
}

/** For prompts: plain data, in the order of the file, the same for the same file. */
export function describeExecutors(executors: readonly Executor[]): ExecutorDescription[] {
  return executors.map((executor) => ({
    id: executor.id,
    description: executor.description,
    inputs: executor.inputs,
    guarantees: executor.guarantees,
    limits: limitTexts(executor),
    side_effects: executor.sideEffects,
  }))
}

export interface ExecutorCall {
  readonly command: string
  readonly inputs?: unknown
}

/**
 * An `executor_call` as the Planner writes it: `shell: <command>`, `<id>`, or `<id>: <text>` where the executor has one
 * input that must be given. Throws BAD_INPUT with what is wrong, for the model.
 */
export function resolveExecutorCall(
  call: ExecutorCall,
  executors: readonly Executor[],
): { executor: Executor; inputs: Inputs; command: string } {
  const [, id = '', , text = ''] = /^\s*([A-Za-z][\w-]*)\s*(?:(:)\s*([\s\S]*))?$/.exec(call.command) ?? []
  const executor = executors.find((one) => one.id === id)
  if (executor === undefined) {
    const ids = executors.map((one) => one.id)
    const generic = ids.includes('shell') ? ' A shell command is written "shell: <command>".' : ''
    throw new ThinkonError(
      'BAD_INPUT',
      `the command must begin with the id of an executor (${ids.join(', ')}).${generic}${id === '' ? '' : ` ${unknownName(id, ids)}`}`,
      { data: { command: call.command, available: ids } },
    )
  }
  const given = { ...((call.inputs ?? {}) as Record<string, unknown>) }
  const rest = text.trimEnd()
  if (rest !== '') {
    const open = executor.inputs.required.filter((name) => given[name] === undefined)
    const [only] = open
    if (executor.command === null) given.command = rest
    else if (open.length === 1 && only !== undefined) given[only] = rest
    else {
      throw new ThinkonError(
        'BAD_INPUT',
        `executor "${id}" takes its inputs in "inputs" (${Object.keys(executor.inputs.properties).join(', ') || 'none'}), not after its id: "${rest}"`,
      )
    }
  }
  const inputs = checkInputs(executor, given)
  return { executor, inputs, command: commandOf(executor, inputs) }
}

/** What is enforced, in words, after what the file says in words. */
function limitTexts(executor: Executor): string[] {
  const { limits, timeoutMs, maxOutputBytes, paths, cwd } = executor
  return [
    ...limits,
    `ended after ${timeoutMs % 1000 === 0 ? `${timeoutMs / 1000} s` : `${timeoutMs} ms`}`,
    `output kept: ${maxOutputBytes} bytes`,
    ...(paths === null ? [] : [`paths within: ${paths.join(', ')}`]),
    ...(cwd === '.' ? [] : [`runs in: ${cwd}`]),
  ]
}

function subjectsOf(executor: Executor, given: unknown) {
  try {
    const inputs = checkInputs(executor, given)
    const paths = pathInputs(executor, inputs)
    return { commands: [commandOf(executor, inputs)], ...(paths.length === 0 ? {} : { paths }) }
  } catch {
    return {} // it will be refused by the check
  }
}
