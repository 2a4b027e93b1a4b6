import { existsSync } from 'node:fs'
import { defineTool, type GuardedTool, toolError } from '../define-tool.ts'
import { integer, objectSchema, optional, text } from '../object-schema.ts'
import { runProcess } from '../run-process.ts'
import { sandboxed, sandboxStatus } from '../sandbox.ts'
import { insideWorkspace } from '../workspace.ts'
import type { WorkspaceOptions } from './read-file.ts'

export const DEFAULT_TIMEOUT_MS = 60_000
export const MAX_TIMEOUT_MS = 600_000
export const MAX_OUTPUT_BYTES = 32_000
/** A command line's length is bounded by the system too. */
export const MAX_COMMAND_CHARS = 32_000
/** All that a command sees of the environment, besides the names that are configured: keys stay out (K9). */
export const PASSED_NAMES = ['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR']

export interface ShellOptions extends WorkspaceOptions {
  /** `auto`: in the sandbox where there is one. `require`: only there. */
  readonly sandbox?: 'auto' | 'require' | 'off'
  /** Whether a command in the sandbox reaches the network. */
  readonly network?: boolean
  /** Names of more environment variables to pass on. */
  readonly env?: readonly string[]
  readonly timeoutMs?: number
}

export function shellTool(options: ShellOptions): GuardedTool {
  const { workspace, sandbox = 'auto', network = false, timeoutMs: standardMs = DEFAULT_TIMEOUT_MS } = options
  return defineTool({
    name: 'shell',
    description:
      'Runs a shell command in the workspace and gives its exit code, stdout and stderr. It has no input, and what it leaves running ends with it.',
    access: 'execute',
    input: objectSchema({
      command: text('The command, for bash', { minLength: 1, maxLength: MAX_COMMAND_CHARS }),
      cwd: optional(text('The folder to run in, from the workspace', { minLength: 1 })),
      timeoutMs: optional(integer('Ended after so many milliseconds', 1, MAX_TIMEOUT_MS)),
    }),
    subjects: ({ command }) => ({ commands: [command] }),
    async run({ command, cwd = '.', timeoutMs = standardMs }, { signal }) {
      if (command.includes('\0')) throw toolError('a command must not contain a NUL character')
      const folder = await insideWorkspace(workspace, cwd)
      const inSandbox = await usesSandbox(sandbox)
      const shell = shellArgv(command)
      const argv = inSandbox ? await sandboxed(shell, { workspace: folder.root, network }) : shell
      const env = passedEnv(options.env ?? [])
      const end = await runProcess({
        argv,
        cwd: folder.real,
        env,
        timeoutMs,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        signal,
      })
      return {
        exitCode: end.exitCode,
        ...(end.signalName === null ? {} : { signal: end.signalName }),
        ...(end.timedOut ? { timedOut: `ended after ${timeoutMs} ms` } : {}),
        stdout: end.stdout,
        stderr: end.stderr,
        sandboxed: inSandbox,
      }
    },
  })
}

export function passedEnv(names: readonly string[]): Record<string, string> {
  const passed = [...PASSED_NAMES, ...names].map((name) => [name, process.env[name]] as const)
  return Object.fromEntries(passed.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

async function usesSandbox(sandbox: 'auto' | 'require' | 'off'): Promise<boolean> {
  if (sandbox === 'off') return false
  const { kind, text: said } = await sandboxStatus()
  if (kind === 'none' && sandbox === 'require') {
    throw toolError(`refused: the configuration requires a sandbox, but ${said}`)
  }
  return kind !== 'none'
}

function shellArgv(command: string): [string, ...string[]] {
  const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((path) => existsSync(path))
  // A command that begins with - is not an option.
  return [bash ?? '/bin/sh', '-c', command.startsWith('-') ? ` ${command}` : command]
}
