/** Runs a command line in a shell: in a folder of the workspace, in the sandbox if there is one, without our keys. */
import { existsSync } from 'node:fs'
import { toolError } from './define-tool.ts'
import { type ProcessEnd, type ProcessSpec, runProcess } from './run-process.ts'
import { type SandboxMode, sandboxed, usesSandbox } from './sandbox.ts'
import type { WorkspacePath } from './workspace.ts'

export interface CommandSpec extends Pick<ProcessSpec, 'timeoutMs' | 'maxOutputBytes' | 'signal'> {
  readonly command: string
  readonly folder: WorkspacePath
  readonly sandbox: SandboxMode
  /** Whether a command in the sandbox can reach the network. */
  readonly network: boolean
  /** Names of additional environment variables to pass on. */
  readonly env: readonly string[]
}

/** Throws if the command can't be run, and if it was aborted. A failing command is a result. */
export async function runCommand(spec: CommandSpec): Promise<ProcessEnd & { sandboxed: boolean }> {
  const { command, folder, sandbox, network, env, ...limits } = spec
  const shell = shellArgv(command)
  const inSandbox = await usesSandbox(sandbox)
  const argv = inSandbox ? await sandboxed(shell, folder.root, network) : shell
  const end = await runProcess({ argv, cwd: folder.real, env: passedEnv(env), ...limits })
  return { ...end, sandboxed: inSandbox }
}

/** The only environment variables that a command sees, besides those configured: keys stay out. */
const PASSED_NAMES = ['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR']

function passedEnv(names: readonly string[]): Record<string, string> {
  const passed = [...PASSED_NAMES, ...names].map((name) => [name, process.env[name]] as const)
  return Object.fromEntries(passed.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** Throws if no process can be given this command. */
function shellArgv(command: string): [string, ...string[]] {
  if (command.includes('\0')) throw toolError('a command must not contain a NUL character')
  const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((path) => existsSync(path))
  // A command that begins with - must not be taken for an option.
  return [bash ?? '/bin/sh', '-c', command.startsWith('-') ? ` ${command}` : command]
}
