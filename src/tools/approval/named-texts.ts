/**
 * What rules that ask or deny find in a text of which it is not known what it is: a word of a command, or an input of a tool that
 * does not declare its deeds. Such a text may name a path, a command or an address, and the rule holds if it does. It is not
 * complete: a command can reach a file without naming it.
 */
import { fileURLToPath } from 'node:url'
import type { Deed } from '../../kernel/deed.ts'
import type { ToolInfo } from '../../kernel/tool.ts'
import { isRestrictedPath, pathFits } from '../glob.ts'
import { possibleCommands, readCommand } from './command.ts'
import { type Decision, NO_RULE, strictest, winner } from './decision.ts'
import { mayName, namesInCommand, namesOf } from './named-paths.ts'
import { matchText, type Policy, type Rule } from './policy.ts'
import { restricts } from './rule-about.ts'

/** By a rule about a file that the command names, as something to be read; NO_RULE if there is none. */
export function decideNamedPaths(policy: Policy, command: string, folder = '.'): Decision {
  const rules = pathRules(policy, ['read'])
  if (rules.length === 0) return NO_RULE
  const names = namesInCommand(command, policy.workspace, folder)
  if (names === null) return winner(rules, (_, verdict) => verdict !== 'allow')
  return decideNames(rules, names, mayName)
}

/** By a rule about something in the input of a tool that does not say what it does with it; NO_RULE if there is none. */
export function decideUndeclared(policy: Policy, { access }: ToolInfo, input: unknown): Decision {
  const about = (does: Deed['does']) => restrictions(policy, does)
  const [paths, hosts] = [pathRules(policy, ['read', 'write']), about('network')]
  const commands = access === 'execute' ? about('execute') : []
  if (paths.length + hosts.length + commands.length === 0) return NO_RULE
  const decisions = textsIn(input).flatMap((text) => {
    const names = namesOf(pathIn(text), policy.workspace)
    const host = hostIn(text)
    return [
      decideNames(paths, names, isRestrictedPath),
      winner(hosts, (pattern) => host !== null && matchText(pattern.toLowerCase(), host)),
      winner(commands, (pattern) => commandsIn(text).some((command) => matchText(pattern, command))),
    ]
  })
  return decisions.reduce(strictest, NO_RULE)
}

/** Of a text that is no command for sure. */
const MAX_COMMAND_CHARS = 8_000

/** Those that keep paths from being touched, with those that make exceptions of them; none where nothing is kept. */
function pathRules({ rules }: Policy, kinds: readonly ('read' | 'write')[]): readonly Rule[] {
  const kept = rules.filter((rule) => kinds.some((does) => restricts(rule, does)))
  const allowed = rules.filter(
    ({ verdict, pattern, subject }) =>
      verdict === 'allow' && pattern !== null && 'access' in subject && subject.access === 'read',
  )
  return kept.length === 0 ? kept : [...kept, ...allowed]
}

/** The strictest of what is kept; NO_RULE if all of it may be touched, as far as these rules are concerned. */
function decideNames(
  rules: readonly Rule[],
  names: readonly string[],
  isKept: (pattern: string, name: string) => boolean,
): Decision {
  const decisions = names.map((name) =>
    winner(rules, (pattern, verdict) =>
      verdict === 'allow' ? pathFits(pattern, name) : isKept(pattern, name),
    ),
  )
  return decisions.filter(({ verdict }) => verdict !== 'allow').reduce(strictest, NO_RULE)
}

function restrictions({ rules }: Policy, does: Deed['does']): Rule[] {
  return rules.filter((rule) => restricts(rule, does))
}

/** Paths, hosts and commands in the input of a tool that does not declare its deeds, for a person: the list may have too many, never too few. */
export interface NamesInInput {
  readonly paths: ReadonlySet<string>
  readonly hosts: ReadonlySet<string>
  readonly commands: readonly string[]
}

export function namesInInput({ access }: ToolInfo, input: unknown): NamesInInput {
  const [paths, hosts, commands] = [new Set<string>(), new Set<string>(), [] as string[]]
  for (const text of textsIn(input)) {
    if (access === 'execute') commands.push(text)
    if (isOneName(text)) paths.add(text)
    for (const word of text.split(BETWEEN_WORDS)) {
      const host = hostIn(word)
      if (host !== null) hosts.add(host)
      else if (word.includes('/') && /[^/]/.test(word)) paths.add(word)
    }
  }
  return { paths, hosts, commands }
}

/** `notes.txt`, `.env`: also without a slash. */
function isOneName(text: string): boolean {
  return text.length <= MAX_NAME_CHARS && /^[^\s/]*\.[\w-]+$/.test(text)
}

const MAX_NAME_CHARS = 255
const BETWEEN_WORDS = /[\s"'`<>()[\]{},;|&]+/

/** Every text in it, the names of fields left out. */
function textsIn(input: unknown): string[] {
  const texts: string[] = []
  const open: unknown[] = [input]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string') texts.push(next)
    else if (typeof next === 'object' && next !== null) for (const one of Object.values(next)) open.push(one)
  }
  return texts
}

function pathIn(text: string): string {
  try {
    return /^file:/i.test(text) ? fileURLToPath(text) : text.replaceAll('\0', '')
  } catch {
    return text
  }
}

function hostIn(text: string): string | null {
  const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : null
  return url === null ? null : url.hostname.replace(/\.$/, '')
}

function commandsIn(text: string): string[] {
  const beginning = text.slice(0, MAX_COMMAND_CHARS)
  return possibleCommands(beginning, readCommand(beginning))
}
