/** General help and the help of each command, from the list of commands. */
import type { Command, OptionSpec, OptionSpecs } from './command.ts'
import { BASIC_OPTIONS, LIMIT_OPTIONS } from './options.ts'

const EXIT_CODES =
  'Exit codes: 0 completed · 1 internal or I/O error · 2 usage error · 3 partial · 4 failed, or a replay differs ·\n' +
  '            5 skipped · 6 waiting for the model · 130 stopped or cancelled'

export function generalHelp(
  commands: Iterable<Command>,
  strategies: Iterable<readonly [string, { readonly summary?: string }]>,
): string {
  const rows = [...commands].map(({ name, usage, summary }) => [`  ${name} ${usage}`.trimEnd(), summary])
  rows.push(
    ['  help [command]', 'prints this, or the help of a command'],
    ['  --version', 'prints the version'],
  )
  return [
    'thinkon takes a goal and works it out: it plans, acts, judges and concludes, and records every step.',
    '',
    'Usage: thinkon <command> [options]',
    '',
    ...table(rows),
    '',
    'Strategies. Each is a command (thinkon <strategy> "<goal>") that takes the options of run and its own:',
    ...table([...strategies].map(([name, { summary = '' }]) => [`  ${name}`, summary])),
    '',
    '<run> is a run id, the beginning of one, or "last". <path> names a block: 1 is the root, 1-2 its second child.',
    'The options of a command: thinkon <command> --help',
    '',
    EXIT_CODES,
  ].join('\n')
}

export function commandHelp({ name, usage, summary, details = [], options }: Command): string {
  const groups: [title: string, options: OptionSpecs][] = [
    ['Options:', without(options, { ...BASIC_OPTIONS, ...LIMIT_OPTIONS })],
    ['Limits:', within(options, LIMIT_OPTIONS)],
    ['Common options:', within(options, BASIC_OPTIONS)],
  ]
  const width = Math.max(...Object.entries(options).map((option) => optionText(option).length))
  return [
    `Usage: thinkon ${name} ${usage}`.trimEnd(),
    '',
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.`,
    ...details,
    ...groups.flatMap(([title, group]) => section(title, group, width)),
  ].join('\n')
}

function section(title: string, options: OptionSpecs, width: number): string[] {
  const rows = Object.entries(options).map((option) => [optionText(option), option[1].help])
  return rows.length === 0 ? [] : ['', title, ...table(rows, width)]
}

function optionText([name, { short, value }]: [string, OptionSpec]): string {
  return `  ${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`
}

function table(
  rows: readonly (readonly string[])[],
  width = Math.max(...rows.map(([left = '']) => left.length)),
): string[] {
  return rows.map(([left = '', right = '']) => `${left.padEnd(width)}  ${right}`)
}

function without(options: OptionSpecs, others: OptionSpecs): OptionSpecs {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !(name in others)))
}

function within(options: OptionSpecs, others: OptionSpecs): OptionSpecs {
  return Object.fromEntries(Object.entries(options).filter(([name]) => name in others))
}
