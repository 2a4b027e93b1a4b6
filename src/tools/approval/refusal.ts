/**
 * What is said of a call that the policy does not allow by itself: to the person who is asked, why; to a model that is refused, also
 * what it may do instead. "shell is not allowed" would be read as "no command is".
 */
import type { Deed } from '../../kernel/deed.ts'
import type { ToolInfo } from '../../kernel/tool.ts'
import { type ApprovalRules, type Language, shorten } from '../../protocol/index.ts'
import { readCommand, trimCommand } from './command.ts'
import { spellsOut } from './decide.ts'
import type { Decision } from './decision.ts'
import { declaredDeeds } from './declared-deeds.ts'
import { hasWildcard, matchText, type Policy, type Rule } from './policy.ts'
import { isAbout } from './rule-about.ts'

export function deniedText({ name }: ToolInfo, { rule }: Decision, { deny = [] }: ApprovalRules): string {
  if (!deny.some((one) => one.trim() === rule)) return `this call of ${name} is not allowed: ${rule}`
  return `this call of ${name} is not allowed: the rule ${rule} denies it`
}

export function nobodyText(policy: Policy, tool: ToolInfo, input: unknown, why?: string): string {
  const rules = policy.rules.filter(
    (rule) =>
      rule.pattern !== null &&
      rule.verdict === 'allow' &&
      (declaredDeeds(tool, input) ?? []).some(about(rule, tool)),
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
  language: Language = 'en',
): string | undefined {
  if (decided.why !== undefined) return decided.why
  const asking = policy.rules.find(({ verdict, text }) => verdict === 'ask' && text === decided.rule)
  if (asking !== undefined && asking.pattern !== null) return WHY_WORDS[language].rule(asking.text)
  const run = (declaredDeeds(tool, input) ?? []).find((deed) => deed.does === 'execute')
  if (run === undefined) return undefined
  const allowing = policy.rules.filter((rule) => rule.verdict === 'allow' && about(rule, tool)(run))
  return notCovered(
    allowing.flatMap(({ pattern }) => pattern ?? []),
    run.command,
    WHY_WORDS[language],
  )
}

const MAX_NAMED = 12
const MAX_COMMANDS = 5
const MAX_CHARS = 100

function notCovered(patterns: readonly string[], command: string, why: WhyWords): string | undefined {
  if (patterns.length === 0) return undefined
  const { isPlain, parts, toSpell } = readCommand(trimCommand(command))
  if (!isPlain) return why.notPlain
  const isMatched = (words: readonly string[]) => patterns.some((one) => matchText(one, words.join(' ')))
  const unmatched = parts.filter((words) => !isMatched(words))
  // Of one command alone, there is nothing to add.
  if (unmatched.length > 0) return parts.length === 1 ? undefined : why.notAllowed(shown(unmatched))
  const handsOver = parts.find((words, i) => {
    const fitting = patterns.filter((pattern) => matchText(pattern, words.join(' ')))
    return !fitting.some((one) => !hasWildcard(one) || spellsOut(one, words, toSpell[i] ?? 0))
  })
  return handsOver === undefined ? undefined : why.handsOver(shown([handsOver]), handsOver[0] as string)
}

function shown(commands: readonly (readonly string[])[]): string {
  const texts = commands.slice(0, MAX_COMMANDS).map((words) => `\`${shorten(words.join(' '), MAX_CHARS)}\``)
  return texts.join(', ')
}

interface WhyWords {
  rule(text: string): string
  notPlain: string
  notAllowed(commands: string): string
  handsOver(command: string, program: string): string
}

const WHY_WORDS: Record<Language, WhyWords> = {
  en: {
    rule: (text) => `the rule ${text} says so`,
    notPlain:
      'rules with wildcards allow plain commands only, without variables, substitutions, redirection to files, assignments and the like',
    notAllowed: (commands) => `no rule allows ${commands}`,
    handsOver: (command, program) =>
      `${command} can make ${program} run another program, write a file or reach a host, which no wildcard of a rule covers`,
  },
  zh: {
    rule: (text) => `规则 ${text} 要求询问`,
    notPlain: '带通配符的规则只允许简单的命令，不含变量、替换、重定向到文件、赋值等',
    notAllowed: (commands) => `没有规则允许 ${commands}`,
    handsOver: (command, program) =>
      `${command} 可以让 ${program} 运行别的程序、写文件或访问主机，规则的通配符不涵盖这些`,
  },
}

function about(rule: Rule, tool: ToolInfo): (deed: Deed) => boolean {
  return (deed) => isAbout(rule, tool, deed)
}
