/** The executors of a workspace as tools, and their description for planners. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readSmallFile } from '../../files/read-small-file.ts'
import { type Deed, doesNothing } from '../../kernel/deed.ts'
import { type ExecutorNote, ThinkonError } from '../../protocol/index.ts'
import { defineTool, type GuardedTool } from '../define-tool.ts'
import type { CommandSpec } from '../run-command.ts'
import type { SandboxMode } from '../sandbox.ts'
import { type Executor, SHELL } from './executor.ts'
import { checkObservations, type Observable } from './observations.ts'
import { parseExecutors } from './parse-executors.ts'
import { checkInputs, commandOf, type Inputs, pathInputs, runExecutor } from './run-executor.ts'

/** Relative to the workspace. */
export const EXECUTORS_PATH = '.thinkon/executors/executors.yaml'

/** A tool `executor__<id>` for each executor, and `executor__observe`. */
export function executorTools(
  executors: readonly Executor[],
  shell: Pick<CommandSpec, 'limits'> & { readonly sandbox?: SandboxMode } = {},
): GuardedTool[] {
  const tools = executors.map((executor) =>
    defineTool({
      name: `executor__${executor.id}`,
      description: [executor.description, ...executor.guarantees, ...limitTexts(executor)].join(' · '),
      access: executor.access,
      idempotent: executor.idempotent,
      executor: noteOf(executor),
      // Models that are offered tools have the built-in shell already.
      ...(executor.id === SHELL.id && { hidden: true as const }),
      input: { json: executor.inputs, check: (given) => checkInputs(executor, given) },
      deeds: (inputs) => executorDeeds(executor, inputs),
      run: (inputs, io) => runExecutor(executor, inputs, { ...shell, io }),
    }),
  )
  return [...tools, observeTool()]
}

/** The command, and what it is given paths for: to read, and, unless it is declared to change no files, to write. */
function executorDeeds(executor: Executor, inputs: Inputs): readonly Deed[] {
  const { access, cwd } = executor
  const command = commandOf(executor, inputs)
  const paths = pathInputs(executor, inputs)
  const writes = access === 'write' || access === 'execute'
  return [
    { does: 'execute', command, ...(cwd !== '.' && { folder: cwd }) },
    ...paths.map((path) => ({ does: 'read' as const, path })),
    ...(writes ? paths.map((path) => ({ does: 'write' as const, path })) : []),
  ]
}

/** Checks whether a plan's expectations are met: after the executor, as its own step, because it reads files. */
function observeTool(): GuardedTool {
  return {
    name: 'executor__observe',
    description: 'Checks expected observations of an executor by code: met, unmet, or unknown to it.',
    access: 'read',
    hidden: true,
    // Which files it looks at follows from the words of the observations: it asks about each.
    deeds: doesNothing,
    run: async (given, { workspace, permits }) => {
      const { observations, result } = given as { observations: string[]; result: Observable }
      return checkObservations(observations, result, { workspace, permits })
    },
  }
}

/** Those of the file, or of the workspace's own; without that, only the generic shell. Throws BAD_INPUT if it is invalid. */
export async function loadExecutors(
  workspace: string,
  file?: string,
  checkFile?: (path: string, text: string) => void,
): Promise<Executor[]> {
  const path = file ?? join(workspace, EXECUTORS_PATH)
  let text: string
  try {
    text = await readSmallFile(path)
  } catch (cause) {
    if (ThinkonError.isInstance(cause)) throw cause
    if (file !== undefined)
      throw new ThinkonError('BAD_INPUT', `the executors' file ${file} can't be read`, { cause })
    const { code } = cause as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw new ThinkonError('BAD_INPUT', `${EXECUTORS_PATH} can't be read: ${code}`)
    const other = EXECUTORS_PATH.replace(/yaml$/, 'yml')
    if (existsSync(join(workspace, other)))
      throw new ThinkonError('BAD_INPUT', `${other} is not read: rename it to ${EXECUTORS_PATH}`)
    return [SHELL]
  }
  checkFile?.(path, text)
  return parseExecutors(text, file ?? EXECUTORS_PATH)
}

/** For prompts: the same file gives the same text. */
function noteOf(executor: Executor): ExecutorNote {
  const { id, description, guarantees, sideEffects: side_effects, paths } = executor
  const limits = limitTexts(executor)
  return { id, description, guarantees, limits, side_effects, ...(paths !== null && { paths }) }
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
