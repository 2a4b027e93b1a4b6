/** What a command is. The table of them is in commands/index.ts; help, parsing and errors all read it. */
import type { Strategies } from '../strategies/registry.ts'
import type { Output } from './output.ts'

export interface OptionSpec {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly multiple?: true
  /** What stands for the value in help: `<n>`. */
  readonly value?: string
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
  /** Loaded when it is used: help and errors must not wait for the engine. */
  load(): Promise<CommandRun>
}

/** Does the command and returns the exit code. Throws what reportError can tell. */
export type CommandRun = (call: CommandCall) => Promise<number>

export interface CommandCall {
  readonly name: string
  readonly values: Values
  readonly args: readonly string[]
  readonly out: Output
  /** Those that ship and those of the configuration. */
  readonly strategies: Strategies
}

/** Option values as parsed: texts, flags, and lists of texts. */
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

export function textOption(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}
