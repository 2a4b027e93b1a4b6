import { LAUNCHERS } from './index.ts'
import type { Launcher } from './launcher.ts'

/** The table of docs/launchers.md. */
export function describedLaunchers(): string {
  const rows = Object.entries(LAUNCHERS)
    .map(([names, launcher]): [string, string] => [names.replaceAll(' ', ', '), described(launcher)])
    .filter(([, what]) => what !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([names, what]) => `| ${names} | ${what} |`)
  return ['| program | what hands over |', '|---|---|', ...rows].join('\n')
}

function described(launcher: Launcher): string {
  const { always, options, switches, globals, when = [], runsAfter, words, isHarmless } = launcher
  const listed = [globals, options, switches, runsAfter].filter((list) => list !== undefined).join(' ')
  const isAll = always === true && words !== undefined
  return [
    ...(isAll ? ['everything'] : []),
    ...(launcher.runs === undefined ? [] : ['the command that it runs']),
    ...(listed === '' ? [] : [code(listed)]),
    ...when.map(([names, value]) => `${code(names)} with ${pattern(value)}`),
    ...(words === undefined || isAll ? [] : [`arguments with ${pattern(words)}`]),
    ...(isHarmless === undefined ? [] : ['a first operand that is not known to be harmless']),
    ...(launcher.maxOperands === undefined ? [] : ['a further operand']),
    ...Object.entries(launcher.subcommands ?? {}).map(
      ([names, sub]) => `**${names.replaceAll(' ', ', ')}**: ${described(sub)}`,
    ),
  ].join('; ')
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}

function pattern({ source }: RegExp): string {
  return code(`/${source}/`)
}
