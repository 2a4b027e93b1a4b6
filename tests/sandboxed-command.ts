/** `node sandboxed-command.ts <workspace> <command> [limits]`: runs a command in the sandbox, with the rights of this process; prints its result. */

import { toolIo } from '../src/testing/tool-io.ts'
import { shellTool } from '../src/tools/builtin/shell.ts'

const [workspace = '', command = '', limits = '{}'] = process.argv.slice(2)
const shell = shellTool({ sandbox: 'require', limits: JSON.parse(limits) })
process.stdout.write(JSON.stringify(await shell.run({ command, timeoutMs: 30_000 }, toolIo({ workspace }))))
