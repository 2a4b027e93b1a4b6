import { defineTool, type GuardedTool } from '../define-tool.ts'
import { integer, objectSchema, optional, text } from '../object-schema.ts'
import { type CommandSpec, mayReadBy, runCommand } from '../run-command.ts'
import { insideWorkspace } from '../workspace.ts'

const DEFAULT_TIMEOUT_MS = 60_000
const MAX_TIMEOUT_MS = 600_000
const MAX_OUTPUT_BYTES = 32_000
/** The system limits the length of a command line, too. */
const MAX_COMMAND_CHARS = 32_000

export type ShellOptions = Partial<Pick<CommandSpec, 'sandbox' | 'network' | 'env' | 'timeoutMs' | 'limits'>>

export function shellTool({
  timeoutMs: standardMs = DEFAULT_TIMEOUT_MS,
  ...given
}: ShellOptions = {}): GuardedTool {
  const { sandbox = 'auto', network = false, env = [], limits } = given
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
    deeds: ({ command, cwd }) => [{ does: 'execute', command, ...(cwd !== undefined && { folder: cwd }) }],
    async run({ command, cwd = '.', timeoutMs = standardMs }, io) {
      const folder = await insideWorkspace(io.workspace, cwd)
      const bounds = {
        timeoutMs,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        signal: io.signal,
        ...(limits && { limits }),
      }
      const mayRead = mayReadBy(io)
      const end = await runCommand({ command, folder, sandbox, network, env, mayRead, ...bounds })
      return {
        exitCode: end.exitCode,
        ...(end.signalName === null ? {} : { signal: end.signalName }),
        ...(end.timedOut ? { timedOut: `ended after ${timeoutMs} ms` } : {}),
        stdout: end.stdout,
        stderr: end.stderr,
        sandboxed: end.sandboxed,
        ...(end.note === undefined ? {} : { note: end.note }),
      }
    },
  })
}
