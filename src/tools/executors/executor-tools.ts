/** The executors of a workspace as tools, and their description for planners. */
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolIo } from '../../kernel/tool.ts'
import { type ExecutorNote, ThinkonError } from '../../protocol/index.ts'
import type { GuardedTool } from '../define-tool.ts'
import { type Executor, type ExecutorResult, SHELL } from './executor.ts'
import { checkObservations } from './observations.ts'
import { parseExecutors } from './parse-executors.ts'
import { checkInputs, commandOf, pathInputs, type RunOptions, runExecutor } from './run-executor.ts'

/** Relative to the workspace. */
export const EXECUTORS_PATH = '.thinkon/executors/executors.yaml'

export interface ExecutorToolOptions extends Pick<RunOptions, 'sandbox'> {
  /** A prefix for each id, so that an executor is not mistaken for another tool. */
  prefix?: string
  /** Replace those of the workspace's file. */
  executors?: readonly Executor[]
}

/** A tool `executor__<id>` for each executor, and `executor__observe`. Throws BAD_INPUT if the workspace's file is invalid. */
export async function executorTools(
  workspace: string,
  options: ExecutorToolOptions = {},
): Promise<GuardedTool[]> {
  const { prefix = 'executor__', sandbox } = options
  const executors = options.executors ?? (await loadExecutors(workspace))
  const tools = executors.map((executor) => ({
    name: `${prefix}${executor.id}`,
    description: [executor.description, ...executor.guarantees, ...limitTexts(executor)].join(' · '),
    access: executor.access,
    idempotent: executor.idempotent,
    executor: noteOf(executor),
    // Models that are offered tools have the built-in shell already.
    ...(executor.id === SHELL.id ? { hidden: true as const } : {}),
    input: { json: executor.inputs, check: (given: unknown) => checkInputs(executor, given) },
    subjects: (given: unknown) => subjectsOf(executor, given),
    run: (given: unknown, { signal }: ToolIo) =>
      runExecutor(executor, checkInputs(executor, given), {
        workspace,
        signal,
        ...(sandbox === undefined ? {} : { sandbox }),
      }),
  }))
  return [...tools, observeTool(workspace, prefix)]
}

/** Checks whether a plan's expectations are met: after the executor, as its own step, because it reads files. */
function observeTool(workspace: string, prefix: string): GuardedTool {
  return {
    name: `${prefix}observe`,
    description: 'Checks expected observations of an executor by code: met, unmet, or unknown to it.',
    access: 'read',
    hidden: true,
    run: async (given) => {
      const { observations, result } = given as { observations: string[]; result: ExecutorResult }
      return checkObservations(observations, result, workspace)
    },
  }
}

/** Those of `.thinkon/executors/executors.yaml`; without that file, only the generic shell. */
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

/** For prompts: the same file gives the same text. */
function noteOf(executor: Executor): ExecutorNote {
  return {
    id: executor.id,
    description: executor.description,
    guarantees: executor.guarantees,
    limits: limitTexts(executor),
    side_effects: executor.sideEffects,
  }
}

/** The enforced limits, in words, after those that the file states in words. */
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
    return {} // the check will refuse it
  }
}
