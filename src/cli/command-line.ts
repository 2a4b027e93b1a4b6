/** One call of the command line: reads the words, runs the command and writes what it says. */
import { defined, languageOf } from '../protocol/index.ts'
import { VERSION } from '../version.ts'
import { LANGS, type Lang } from '../views/words.ts'
import { allCommands, findCommand, parseCommandLine } from './args.ts'
import { commandsFor } from './commands/index.ts'
import { EXIT_INTERNAL, reportError } from './exit-code.ts'
import { commandHelp, generalHelp } from './help.ts'
import { knownStrategies } from './known-strategies.ts'
import { createOutput, type Output } from './output.ts'

/** Resolves with the exit code. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const out = createOutput(words.includes('--json'), langOfWords(words))
  const code = await answer(words, out)
  const lost = await out.flush()
  if (lost !== null) out.remark(`thinkon: the output can't be written: ${lost.message}`)
  return lost !== null && code === 0 ? EXIT_INTERNAL : code
}

async function answer(words: readonly string[], output: Output): Promise<number> {
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
    const call = {
      name: command.name,
      args,
      out: output,
      strategies,
      commands: () => allCommands(strategies),
    }
    return await run({ ...call, values: { ...values, ...defined({ untrusted: command.untrusted }) } })
  } catch (thrown) {
    return reportError(thrown, output)
  }
}

/** Until the run is known: as asked for, or as the goal among the words. */
function langOfWords(words: readonly string[]): Lang {
  const given = LANGS.find(
    (lang) => words.includes(`--lang=${lang}`) || words[words.indexOf('--lang') + 1] === lang,
  )
  return given ?? languageOf(words.join(' '))
}

function isHelp(word: string | undefined): boolean {
  return word === undefined || word === 'help' || word === '--help' || word === '-h'
}

function print(text: string, output: Output): number {
  output.print(text)
  return 0
}
