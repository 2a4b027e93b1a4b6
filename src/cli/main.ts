/** The command line: runs when it is imported, by bin/thinkon.js. */
import { defined } from '../protocol/index.ts'
import { VERSION } from '../version.ts'
import { findCommand, parseCommandLine } from './args.ts'
import { commandsFor } from './commands/index.ts'
import { EXIT_INTERNAL, reportError } from './exit-code.ts'
import { commandHelp, generalHelp } from './help.ts'
import { knownStrategies } from './known-strategies.ts'
import { createOutput, type Output } from './output.ts'

const argv = process.argv.slice(2)
const out = createOutput(argv.includes('--json'))
const code = await main(argv, out)
const lost = await out.flush()
if (lost !== null) out.remark(`thinkon: the output can't be written: ${lost.message}`)
// At once: a model or tool that ignores its abort signal must not keep the process alive.
process.exit(lost !== null && code === 0 ? EXIT_INTERNAL : code)

async function main(words: readonly string[], output: Output): Promise<number> {
  try {
    const [first, second] = words
    if (first === '--version' || first === '-v') return print(VERSION, output)
    const strategies = await knownStrategies(words, isHelp(first) || words.includes('--help'))
    if (isHelp(first)) {
      const asked = second === undefined || second.startsWith('-') ? null : findCommand(second, strategies)
      const commands = commandsFor(strategies)
      return print(asked === null ? generalHelp(commands.values(), strategies) : commandHelp(asked), output)
    }
    const { command, values, args } = parseCommandLine(words, strategies)
    if (values.help === true) return print(commandHelp(command), output)
    const run = await command.load()
    const call = { name: command.name, args, out: output, strategies }
    return await run({ ...call, values: { ...values, ...defined({ untrusted: command.untrusted }) } })
  } catch (thrown) {
    return reportError(thrown, output)
  }
}

function isHelp(word: string | undefined): boolean {
  return word === undefined || word === 'help' || word === '--help' || word === '-h'
}

function print(text: string, output: Output): number {
  output.print(text)
  return 0
}
