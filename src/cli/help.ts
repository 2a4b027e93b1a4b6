/** Help for all commands and for each, from the table of commands. */
import type { Command, OptionSpec, OptionSpecs } from './command.ts'
import { BASIC_OPTIONS, LIMIT_OPTIONS } from './options.ts'

const EXIT_CODES =
  'Exit codes: 0 completed · 1 internal or I/O error · 2 your call was wrong · 3 partial · 4 failed, or a replay differs ·\n' +
  '            5 skipped · 130 stopped or cancelled'

export function generalHelp(
  commands: Iterable<Command>,
  strategies: Iterable<readonly [string, { readonly summary?: string }]>,
): string {
  const rows = [...commands].map(({ name, usage, summary }) => [`  ${name} ${usage}`.trimEnd(), summary])
  rows.push(['  help [command]', 'this, or the help of a command'], ['  --version', 'the version'])
  return [
    'thinkon takes a goal and works it out: it plans, acts, judges and closes, and writes down all it does.',
    '',
    'Usage: thinkon <command> [options]',
    '',
    ...table(rows),
    '',
    'Ways of reasoning, each a command of its own (thinkon <strategy> "<goal>") with the options of run and its own:',
    ...table([...strategies].map(([name, { summary = '' }]) => [`  ${name}`, summary])),
    '',
    '<run> is an id, the beginning of one, or "last". <path> is a block: 1 is the root, 1-2 its second child.',
    'Options of a command: thinkon <command> --help',
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
