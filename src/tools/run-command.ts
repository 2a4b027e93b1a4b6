/** Runs a command line in a shell: in a folder of the workspace, in the sandbox if there is one, without our keys. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolIo } from '../kernel/tool.ts'
import { type CommandLimits, commandLimits, limitingShell } from './command-limits.ts'
import { toolError } from './define-tool.ts'
import { commandNames } from './denied-files.ts'
import { placeholdersSettled } from './placeholders.ts'
import { type ProcessEnd, type ProcessSpec, runProcess } from './run-process.ts'
import { type SandboxMode, sandboxed, usesSandbox } from './sandbox.ts'
import { sandboxNotes } from './sandbox-notes.ts'
import type { WorkspacePath } from './workspace-path.ts'

export interface CommandSpec extends Pick<ProcessSpec, 'timeoutMs' | 'maxOutputBytes' | 'signal'> {
  readonly command: string
  readonly folder: WorkspacePath
  /** `auto`: in the sandbox if there is one. `require`: only in the sandbox. `off`: never. */
  readonly sandbox: SandboxMode
  /** Whether a command in the sandbox can reach the network. */
  readonly network: boolean
  /** Names of additional environment variables to pass on. */
  readonly env: readonly string[]
  /** How much of the machine it may use; defaults for what is left out. */
  readonly limits?: Partial<CommandLimits>
  /** What the rules say about reading a file of the workspace. Only the sandbox can hold a command to it. */
  mayRead(path: string): boolean
}

export interface CommandEnd extends ProcessEnd {
  readonly sandboxed: boolean
  /** What the sandbox or a limit has to do with the result. */
  readonly note?: string
}

/** Throws if the command can't be run, and if it was aborted. A failing command is a result. */
export async function runCommand(spec: CommandSpec): Promise<CommandEnd> {
  const { command, folder, sandbox, network, env, mayRead, limits: given, ...rest } = spec
  const limits = commandLimits(given)
  const argv = shellArgv(command)
  const inherited = { cwd: folder.real, env: passedEnv(env), limits, ...rest }
  if (!(await usesSandbox(sandbox))) {
    const end = await runProcess({ argv: limited(argv, limits), ...inherited })
    return { ...end, sandboxed: false, ...noteOf(limitNotes(end)) }
  }
  await placeholdersSettled()
  const isNamed = commandNames(command, folder.real)
  const isDenied = (path: string) => !mayRead(path) && !isNamed(join(folder.root, path))
  const inside = sandboxed(argv, { workspace: folder.root, network, env, isDenied, limits })
  const [ended] = await Promise.allSettled([runProcess({ ...inside.process, ...inherited })])
  const changed = await inside.release()
  if (ended.status === 'rejected') throw ended.reason
  const end = ended.value
  const notes = [...limitNotes(end), ...sandboxNotes(command, end, { ...inside, network, changed })]
  return { ...end, sandboxed: true, ...noteOf(notes) }
}

function limitNotes({ exceeded }: ProcessEnd): string[] {
  if (exceeded === undefined) return []
  return [
    `It was ended because it used ${exceeded}; only a person can raise the limit, in the configuration.`,
  ]
}

function noteOf(notes: readonly string[]): Pick<CommandEnd, 'note'> {
  return notes.length === 0 ? {} : { note: notes.join(' ') }
}

/** A command is not asked about again for each file: it can't read what the rules deny. */
export function mayReadBy({ permits }: Pick<ToolIo, 'permits'>): CommandSpec['mayRead'] {
  return (path) => permits({ does: 'read', path }) !== 'deny'
}

/** The only environment variables that a command sees, besides those configured: keys stay out. */
const PASSED_NAMES = ['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR']

function passedEnv(names: readonly string[]): Record<string, string> {
  const passed = [...PASSED_NAMES, ...names].map((name) => [name, process.env[name]] as const)
  return Object.fromEntries(passed.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

function limited(argv: readonly [string, ...string[]], limits: CommandLimits): [string, ...string[]] {
  return ['/bin/sh', '-c', `${limitingShell(limits, false)}; exec "$@"`, 'sh', ...argv]
}

/** Throws if no process can be given this command. */
function shellArgv(command: string): [string, ...string[]] {
  if (command.includes('\0')) throw toolError('a command must not contain a NUL character')
  const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((path) => existsSync(path))
  // A command that begins with - must not be taken for an option.
  return [bash ?? '/bin/sh', '-c', command.startsWith('-') ? ` ${command}` : command]
}
