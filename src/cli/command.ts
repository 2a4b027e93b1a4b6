/** The shape of a command. The commands are listed in commands/index.ts; help, parsing and errors all read that list. */
import type { Strategies } from '../strategies/registry.ts'
import type { Output } from './output.ts'

export interface OptionSpec {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly multiple?: true
  /** The placeholder for the value in help: `<n>`. */
  readonly value?: string
  /** The values there are, where the placeholder does not list them. */
  readonly values?: readonly string[]
  readonly help: string
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>

export interface Command {
  readonly name: string
  /** What follows the name: `<run> <path>`. */
  readonly usage: string
  /** How many positional arguments it takes. */
  readonly takes: readonly [min: number, max: number]
  readonly summary: string
  /** More lines of help. */
  readonly details?: readonly string[]
  readonly options: OptionSpecs
  /** It only looks: where the configuration is not trusted, it uses the defaults instead of asking. */
  readonly untrusted?: 'defaults'
  /** Loads the command when it is used: help and errors must not wait for the engine. */
  load(): Promise<CommandRun>
}

/** Runs the command and returns its exit code. What it throws is printed by `reportError`. */
export type CommandRun = (call: CommandCall) => Promise<number>

export interface CommandCall {
  readonly name: string
  readonly values: Values
  readonly args: readonly string[]
  readonly out: Output
  /** The built-in strategies and those of the configuration. */
  readonly strategies: Strategies
  /** All commands, with those of the strategies. */
  commands(): ReadonlyMap<string, Command>
}

/** Option values as parsed: strings, booleans, and lists of strings. */
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

export function textOption(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}
