/** The command line: runs when it is imported, by bin/thinkon.js. */
import { STRATEGIES } from '../strategies/registry.ts'
import { VERSION } from '../version.ts'
import { findCommand, parseCommandLine } from './args.ts'
import { COMMANDS } from './commands/index.ts'
import { EXIT_INTERNAL, reportError } from './exit-code.ts'
import { commandHelp, generalHelp } from './help.ts'
import { createOutput, type Output } from './output.ts'

const argv = process.argv.slice(2)
const out = createOutput(argv.includes('--json'))
const code = await main(argv, out)
const lost = await out.flush()
if (lost !== null) out.remark(`thinkon: the output can't be written: ${lost.message}`)
// At once: a model or tool that does not heed its signal must not keep the process.
process.exit(lost !== null && code === 0 ? EXIT_INTERNAL : code)

async function main(words: readonly string[], output: Output): Promise<number> {
  try {
    const [first, second] = words
    if (first === '--version' || first === '-v') return say(VERSION, output)
    if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
      const asked = second === undefined || second.startsWith('-') ? null : findCommand(second)
      return say(asked === null ? generalHelp(COMMANDS.values(), STRATEGIES) : commandHelp(asked), output)
    }
    const { command, values, args } = parseCommandLine(words)
    if (values.help === true) return say(commandHelp(command), output)
    const run = await command.load()
    return await run({ name: command.name, values, args, out: output })
  } catch (thrown) {
    return reportError(thrown, output)
  }
}

function say(text: string, output: Output): number {
  output.print(text)
  return 0
}
