/** Runs an executor once, within its limits. */
import { relative, resolve } from 'node:path'
import { isAtOrWithin } from '../../files/look.ts'
import type { ToolIo } from '../../kernel/tool.ts'
import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { bytesText, isObject, ThinkonError } from '../../protocol/index.ts'
import type { CommandLimits } from '../command-limits.ts'
import { toolError } from '../define-tool.ts'
import { mayReadBy, runCommand } from '../run-command.ts'
import type { SandboxMode } from '../sandbox.ts'
import { insideWorkspace } from '../workspace.ts'
import { type Executor, type ExecutorResult, inputProblems } from './executor.ts'
import { fillTemplate, type InputValue } from './template.ts'

export type Inputs = Readonly<Record<string, InputValue | undefined>>

/** `inputs` are the result of `checkInputs`. A failing command is a result; throws if it can't be run or is aborted. */
export async function runExecutor(
  executor: Executor,
  inputs: Inputs,
  options: {
    io: Pick<ToolIo, 'workspace' | 'signal' | 'permits'>
    sandbox?: SandboxMode
    limits?: Partial<CommandLimits>
  },
): Promise<ExecutorResult> {
  const { io } = options
  const { workspace, signal } = io
  const { timeoutMs, maxOutputBytes, env } = executor
  const folder = await insideWorkspace(workspace, executor.cwd)
  const command = commandOf(executor, await insideLimits(executor, inputs, workspace, folder.real))
  const sandbox = sandboxOf(executor, options.sandbox ?? 'auto')
  const network = executor.sideEffects.includes('network')
  const began = performance.now()
  const end = await runCommand({
    ...{ command, folder, sandbox, network, env, timeoutMs, maxOutputBytes, signal },
    mayRead: mayReadBy(io),
    ...(options.limits && { limits: options.limits }),
  })
  const { exitCode, signalName, timedOut, stdout, stderr, truncated, note } = end
  return {
    exitCode,
    ...(signalName === null ? {} : { signal: signalName }),
    ...(timedOut ? { timedOut: true as const } : {}),
    stdout,
    stderr,
    truncated,
    durationMs: Math.round(performance.now() - began),
    ...(note === undefined ? {} : { note }),
  }
}

/** The inputs that there are, with defaults filled in, so that they can be checked again; throws BAD_INPUT with all problems, or if the command would be too long. */
export function checkInputs(executor: Executor, given: unknown): Inputs {
  const inputs = givenInputs(executor, given ?? {})
  const problems = inputProblems(executor.inputs, inputs)
  for (const [name, value] of Object.entries(inputs as object)) {
    if (String(value).includes('\0')) problems.push(`"${name}" must not contain a NUL character`)
    if (Array.isArray(value) && !value.every((one) => typeof one === 'string' || typeof one === 'number'))
      problems.push(`"${name}" must be a list of texts or numbers`)
  }
  if (problems.length > 0) {
    throw new ThinkonError('BAD_INPUT', `inputs of executor "${executor.id}": ${problems.join('; ')}`, {
      data: { executor: executor.id, problems },
    })
  }
  const defaults = Object.entries(executor.inputs.properties)
    .map(([name, schema]) => [name, schema.default] as const)
    .filter(([, value]) => value !== undefined)
  const checked = { ...Object.fromEntries(defaults), ...(inputs as object) } as Inputs
  commandOf(executor, checked)
  return checked
}

/** An optional input that is null or undefined is not given. */
function givenInputs({ inputs: { required } }: Executor, given: unknown): unknown {
  if (!isObject(given)) return given
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => required.includes(name) || (value ?? null) !== null),
  )
}

/** Linux accepts no longer argument. */
const MAX_COMMAND_CHARS = 128 * 1024

/** The command line for the shell. */
export function commandOf({ id, command }: Executor, inputs: Inputs): string {
  if (command === null) return String(inputs.command)
  const error = (limit: number) => {
    const problem = `with these inputs, its command is longer than ${bytesText(limit)}: put long texts into files`
    return new ThinkonError('BAD_INPUT', `executor "${id}": ${problem}`, { data: { executor: id, limit } })
  }
  const budget = new DecodingBudget('the command', { limit: MAX_COMMAND_CHARS, error })
  return fillTemplate(command, inputs, budget)
}

export function pathInputs(executor: Executor, inputs: Inputs): string[] {
  return Object.entries(executor.inputs.properties).flatMap(([name, { format }]) => {
    const value = inputs[name]
    return format !== 'path' || value === undefined ? [] : [value].flat().map(String)
  })
}

/** Paths are checked, and passed relative to the command's folder in a form that can't be taken for an option. */
async function insideLimits(
  executor: Executor,
  inputs: Inputs,
  workspace: string,
  folder: string,
): Promise<Inputs> {
  const checked: Record<string, InputValue | undefined> = { ...inputs }
  for (const [name, { format }] of Object.entries(executor.inputs.properties)) {
    const value = inputs[name]
    if (format !== 'path' || value === undefined) continue
    const paths = await Promise.all(
      [value].flat().map((one) => allowed(executor, String(one), workspace, folder)),
    )
    checked[name] = Array.isArray(value) ? paths : (paths[0] as string)
  }
  return checked
}

async function allowed(executor: Executor, path: string, workspace: string, folder: string): Promise<string> {
  const place = await insideWorkspace(workspace, path)
  const { paths } = executor
  if (paths !== null && !paths.some((one) => isAtOrWithin(resolve(place.root, one), place.real))) {
    throw toolError(`${path} is outside of what executor "${executor.id}" may touch: ${paths.join(', ')}`, {
      path,
      allowed: paths,
    })
  }
  const from = relative(folder, place.real) || '.'
  return from.startsWith('-') ? `./${from}` : from
}

function sandboxOf(executor: Executor, sandbox: SandboxMode): SandboxMode {
  // It would break executors that declare wide side effects (docker, a deployment); the generic shell stays in it.
  const says = executor.command === null || executor.access !== 'execute'
  return !executor.sandbox || (!says && sandbox === 'auto') ? 'off' : sandbox
}
