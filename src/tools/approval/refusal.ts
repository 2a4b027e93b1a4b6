/**
 * What is said of a call that the policy does not allow by itself: to the person who is asked, why; to a model that is refused, also
 * what it may do instead. "shell is not allowed" would be read as "no command is".
 */
import type { Deed } from '../../kernel/deed.ts'
import type { ToolInfo } from '../../kernel/tool.ts'
import { type ApprovalRules, shorten } from '../../protocol/index.ts'
import { readCommand, trimCommand } from './command.ts'
import { spellsOut } from './decide.ts'
import type { Decision } from './decision.ts'
import { hasWildcard, matchText, type Policy, type Rule } from './policy.ts'
import { isAbout } from './rule-about.ts'

export function deniedText({ name }: ToolInfo, { rule }: Decision, { deny = [] }: ApprovalRules): string {
  if (!deny.some((one) => one.trim() === rule)) return `this call of ${name} is not allowed: ${rule}`
  return `this call of ${name} is not allowed: the rule ${rule} denies it`
}

export function nobodyText(policy: Policy, tool: ToolInfo, input: unknown, why?: string): string {
  const rules = policy.rules.filter(
    (rule) =>
      rule.pattern !== null && rule.verdict === 'allow' && deedsOf(tool, input).some(about(rule, tool)),
  )
  const more = rules.length > MAX_NAMED ? ` and ${rules.length - MAX_NAMED} more` : ''
  const names = rules.slice(0, MAX_NAMED).map(({ text }) => text)
  return [
    `this call of ${tool.name} needs a person's permission, and nobody is there to ask`,
    ...(why === undefined ? [] : [`: ${why}`]),
    ...(names.length === 0 ? [] : [`. Allowed without asking: ${names.join(', ')}${more}`]),
    '. Only the person can allow more: in the policy, or with --yes',
  ].join('')
}

/** Why it is asked for although there are rules that allow something of the kind; undefined where there are none. */
export function whyAsked(
  policy: Policy,
  tool: ToolInfo,
  input: unknown,
  decided: Decision,
): string | undefined {
  if (decided.why !== undefined) return decided.why
  const asking = policy.rules.find(({ verdict, text }) => verdict === 'ask' && text === decided.rule)
  if (asking !== undefined && asking.pattern !== null) return `the rule ${asking.text} says so`
  const run = deedsOf(tool, input).find((deed) => deed.does === 'execute')
  if (run === undefined) return undefined
  const allowing = policy.rules.filter((rule) => rule.verdict === 'allow' && about(rule, tool)(run))
  return notCovered(
    allowing.flatMap(({ pattern }) => pattern ?? []),
    run.command,
  )
}

const MAX_NAMED = 12
const MAX_COMMANDS = 5
const MAX_CHARS = 100

function notCovered(patterns: readonly string[], command: string): string | undefined {
  if (patterns.length === 0) return undefined
  const { isPlain, parts, toSpell } = readCommand(trimCommand(command))
  if (!isPlain) return NOT_PLAIN
  const isMatched = (words: readonly string[]) => patterns.some((one) => matchText(one, words.join(' ')))
  const unmatched = parts.filter((words) => !isMatched(words))
  // Of one command alone, there is nothing to add.
  if (unmatched.length > 0) return parts.length === 1 ? undefined : `no rule allows ${shown(unmatched)}`
  const handsOver = parts.find((words, i) => {
    const fitting = patterns.filter((pattern) => matchText(pattern, words.join(' ')))
    return !fitting.some((one) => !hasWildcard(one) || spellsOut(one, words, toSpell[i] ?? 0))
  })
  return handsOver === undefined
    ? undefined
    : `${shown([handsOver])} can make ${handsOver[0]} run another program, write a file or reach a host, which no wildcard of a rule covers`
}

function shown(commands: readonly (readonly string[])[]): string {
  const texts = commands.slice(0, MAX_COMMANDS).map((words) => `\`${shorten(words.join(' '), MAX_CHARS)}\``)
  return texts.join(', ')
}

const NOT_PLAIN =
  'rules with wildcards allow plain commands only, without variables, substitutions, redirection to files, assignments and the like'

function about(rule: Rule, tool: ToolInfo): (deed: Deed) => boolean {
  return (deed) => isAbout(rule, tool, deed)
}

/** None if a user's tool can't tell. */
function deedsOf(tool: ToolInfo, input: unknown): readonly Deed[] {
  try {
    return tool.deeds?.(input) ?? []
  } catch {
    return []
  }
}
