/** From the command line to a command and its arguments. Errors suggest what was probably meant. */
import { parseArgs } from 'node:util'
import { defined, nearest } from '../protocol/index.ts'
import type { Strategies } from '../strategies/registry.ts'
import type { Command, OptionSpec, OptionSpecs, Values } from './command.ts'
import { commandsFor } from './commands/index.ts'
import { badInput } from './options.ts'

export interface Parsed {
  command: Command
  values: Values
  args: readonly string[]
}

export function parseCommandLine(argv: readonly string[], strategies: Strategies): Parsed {
  const [name = '', ...rest] = argv
  const command = findCommand(name, strategies)
  const { values, positionals } = parse(command, rest)
  if (values.help !== true) checkCount(command, positionals)
  return { command, values: values as Values, args: positionals }
}

/** With those of the strategies. */
export function allCommands(strategies: Strategies): ReadonlyMap<string, Command> {
  const commands = new Map(commandsFor(strategies))
  for (const name of strategies.keys()) {
    const command = strategyCommand(name, strategies)
    if (command !== undefined && !commands.has(name)) commands.set(name, command)
  }
  return commands
}

export function findCommand(name: string, strategies: Strategies): Command {
  const commands = allCommands(strategies)
  const found = commands.get(name)
  if (found !== undefined) return found
  if (name.startsWith('-'))
    throw badInput(`"${name}" must come after the command: thinkon <command> [options]`)
  if (/\s/.test(name)) throw badInput(`a goal needs a command: thinkon run "${name.slice(0, 60)}"`)
  const meant = nearest(name, commands.keys())
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`
  throw badInput(`there is no command "${name}"${hint} (thinkon help lists the commands)`)
}

/** `run` with the flags of one strategy. */
function strategyCommand(name: string, strategies: Strategies): Command | undefined {
  const strategy = strategies.get(name)
  const run = commandsFor(strategies).get('run')
  if (strategy === undefined || run === undefined) return undefined
  const { strategy: _, ...options } = run.options
  const flags = Object.entries(strategy.flags ?? {}).map(
    ([flag, { type, value, values, help }]): [string, OptionSpec] => [
      flag,
      { type: type === 'switch' ? 'boolean' : 'string', help, ...defined({ value, values }) },
    ],
  )
  return {
    ...run,
    name,
    summary: strategy.summary ?? run.summary,
    options: { ...Object.fromEntries(flags), ...options },
    load: async () => {
      const solve = await run.load()
      return (call) => solve({ ...call, values: { ...call.values, strategy: name } })
    },
  }
}

function parse(command: Command, words: string[]) {
  try {
    return parseArgs({
      args: words,
      options: parserOptions(command.options),
      allowPositionals: true,
      strict: true,
    })
  } catch (thrown) {
    throw badInput(explain(command, thrown as Error & { code?: string }))
  }
}

function parserOptions(specs: OptionSpecs) {
  return Object.fromEntries(
    Object.entries(specs).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short === undefined ? {} : { short }), ...(multiple === undefined ? {} : { multiple }) },
    ]),
  )
}

function explain({ name, options }: Command, error: Error & { code?: string }): string {
  const option = /'(-[^' ]*)/.exec(error.message)?.[1]
  if (option !== undefined && error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const meant = nearest(option.replace(/^-+/, ''), Object.keys(options))
    const hint = meant === undefined ? '' : `; did you mean "--${meant}"?`
    return `thinkon ${name} has no option "${option}"${hint} (thinkon ${name} --help lists the options)`
  }
  const long = /(--[\w-]+)/.exec(error.message)?.[1]
  if (long !== undefined && error.code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
    return options[long.slice(2)]?.type === 'boolean'
      ? `${long} takes no value`
      : `${long} needs a value; write ${long}=-… for one that begins with a dash`
  }
  return error.message
}

function checkCount({ name, usage, takes: [min, max] }: Command, given: readonly string[]): void {
  if (given.length >= min && given.length <= max) return
  const what =
    given.length < min
      ? `thinkon ${name} needs ${usage}`
      : `thinkon ${name} takes ${usage || 'no arguments'}; "${given[max]}" is one too many (quote texts that contain spaces)`
  throw badInput(`${what}; see thinkon ${name} --help`)
}
