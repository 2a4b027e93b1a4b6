/** The MCP server: on stdio for the client that has started this process, or over HTTP, as `serve` has it. */
import { errorText } from '../../protocol/index.ts'
import { mcpDoor, mcpSdk } from '../../server/mcp/app.ts'
import { type CommandCall, type CommandRun, textOption } from '../command.ts'
import { openService } from '../open-service.ts'
import { badInput } from '../options.ts'
import { readSetting } from '../setting.ts'
import { listenForStop } from '../stopping.ts'
import { takeStdout } from '../take-stdout.ts'

export const mcp: CommandRun = async (call) => {
  if (call.values.http === true) return (await import('./serve.ts')).serve(call)
  const [name] = ['port', 'listen'].filter((option) => textOption(call.values, option) !== undefined)
  if (name !== undefined) throw badInput(`--${name} is for HTTP: add --http`)
  return serveStdio(call)
}

async function serveStdio({ values, out }: CommandCall): Promise<number> {
  // Before anything of the user's is loaded, which may print.
  const output = takeStdout()
  const { serveMcpStdio } = await mcpSdk(() => import('../../server/mcp/stdio.ts'))
  const setting = await readSetting(values)
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  const stopping = listenForStop(out, () => stop())
  const onProblem = (message: string) => out.remark(`thinkon: ${message}`)
  const { maxRuns } = setting.loaded.config.serve ?? {}
  const { service, chosen, desk } = await openService(values, setting, {
    onProblem,
    ...(maxRuns !== undefined && { maxRuns }),
  })
  try {
    const connection = serveMcpStdio(mcpDoor(service, { desk }), { input: process.stdin, output, onProblem })
    out.remark(`thinkon serves MCP on stdin and stdout (${chosen.spec}, ${setting.store})`)
    if (process.stdin.isTTY) out.remark('an MCP client starts it; to try it by hand: Ctrl-C ends it')
    // Runs that were open go on while the client says hello.
    service.open().catch((thrown) => onProblem(errorText(thrown)))
    await Promise.race([stopped, connection.closed])
    // First the runs: calls that wait for one are answered with its handle.
    await service.close()
    await connection.close()
    return 0
  } finally {
    await service.close()
    stopping.release()
  }
}
