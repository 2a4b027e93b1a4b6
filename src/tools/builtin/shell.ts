import { defineTool, type GuardedTool } from '../define-tool.ts'
import { integer, objectSchema, optional, text } from '../object-schema.ts'
import { runProcess } from '../run-process.ts'
import { type SandboxMode, sandboxed, usesSandbox } from '../sandbox.ts'
import { passedEnv, shellArgv } from '../shell-command.ts'
import { insideWorkspace } from '../workspace.ts'
import type { WorkspaceOptions } from './read-file.ts'

const DEFAULT_TIMEOUT_MS = 60_000
const MAX_TIMEOUT_MS = 600_000
const MAX_OUTPUT_BYTES = 32_000
/** The system limits the length of a command line, too. */
const MAX_COMMAND_CHARS = 32_000

export interface ShellOptions extends WorkspaceOptions {
  readonly sandbox?: SandboxMode
  /** Whether a command in the sandbox can reach the network. */
  readonly network?: boolean
  /** Names of additional environment variables to pass on. */
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
      const shell = shellArgv(command)
      const folder = await insideWorkspace(workspace, cwd)
      const inSandbox = await usesSandbox(sandbox)
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
