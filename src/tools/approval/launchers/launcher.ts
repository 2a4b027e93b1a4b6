/**
 * What a known program hands over with: arguments by which it runs another program or code, writes a file that was not
 * redirected to, reads a file as code or configuration, or talks to a host that is not configured. `git *` allows git, not
 * everything that git can be told to run. The tables of this folder are data; ../handover.ts reads commands by them, and
 * docs/launchers.md lists them.
 *
 * Lists are separated by spaces. A short option is also found in a group (`-xI`) and with its value attached, a long one also
 * abbreviated and with `=`.
 */
export interface Launcher {
  /** Every call hands over. */
  readonly always?: true
  /** Options that hand over, wherever they stand. */
  readonly options?: string
  /** The same, of options without a value. */
  readonly switches?: string
  /** Those that hand over only before the subcommand; `values` and `flags` then count only there, too. */
  readonly globals?: string
  /** Options that hand over if their value is like this. */
  readonly when?: readonly (readonly [options: string, value: RegExp])[]
  /** Options that are followed by a command. */
  readonly runsAfter?: string
  /** Arguments that hand over. */
  readonly words?: RegExp
  /** Whether a first operand hands over to nothing: a script without such commands, the name of a remote. */
  readonly isHarmless?: (operand: string) => boolean
  /** Options whose value is the script; the first operand then is not. */
  readonly script?: string
  /** An operand after so many is a file that is written, or another address. */
  readonly maxOperands?: number
  /** After so many operands of its own, the rest is a command. */
  readonly runs?: number
  /** The command it runs gets more arguments, which nobody sees here. */
  readonly appends?: true
  /** What follows the first operand, a script, is not read by the program itself. */
  readonly endsAtOperand?: true
  readonly subcommands?: Readonly<Record<string, Launcher>>
  /** Other options that take a value, which then is neither option nor operand. */
  readonly values?: string
  /** Other options without a value. After one that is not known, an operand may be its value. */
  readonly flags?: string
  /** Long options have one dash (`-exec`), and short ones are not grouped. */
  readonly oneDash?: true
  /** The first argument is a group of options even without a dash: `tar xzf`. */
  readonly bareGroup?: true
}

/** By names, separated by spaces: without folder, version and case. `python` is also `/usr/bin/python3.12`. */
export type Launchers = Readonly<Record<string, Launcher>>

/** Its arguments are a command. */
export const RUN: Launcher = { runs: 0 }
/** Nothing of it may be left to a wildcard. */
export const ALL: Launcher = { always: true, words: /^/ }
