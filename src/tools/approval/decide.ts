/**
 * Which verdict a policy has for a call. Pure.
 *
 * 1. The most specific rule that fits decides: a pattern without wildcards, then one with, then a tool's name, then a class
 *    (or a name with `*`), then `*`. Among equals deny wins over ask, ask over allow. No rule at all means ask.
 * 2. A call that touches several things (a command of several parts, a patch of several files) gets the strictest verdict of
 *    them.
 * 3. A pattern with wildcards allows a command only when the command is plain (see command.ts). One that asks or denies holds
 *    wherever the command might run something that it fits.
 * 4. Paths are compared as they are after `.` and `..`; one that leads out of the workspace is denied.
 */
import { isAbsolute, relative, resolve } from 'node:path'
import type { GuardedInfo } from '../define-tool.ts'
import { globMatcher } from '../glob.ts'
import { possibleCommands, readCommand } from './command.ts'
import { hasWildcard, LEVELS, matchText, parseRule, type Policy, type Rule, unescapePattern, type Verdict } from './policy.ts'

export interface Decision {
  readonly verdict: Verdict
  /** The rule that decided, as it was written; or in words why, when it was none. */
  readonly rule: string
  readonly level: number
}

export function decide(policy: Policy, tool: GuardedInfo, input: unknown): Decision {
  const rules = policy.rules.filter((rule) => isAbout(rule, tool))
  const { commands = [], paths = [], hosts = [] } = tool.subjects?.(input) ?? {}
  const decisions = [
    ...commands.map((command) => decideCommand(rules, command)),
    ...paths.map((path) => decidePath(rules, path, policy.workspace)),
    ...hosts.map((host) => winner(rules, (pattern) => matchText(pattern.toLowerCase(), host))),
  ]
  if (decisions.length === 0) return winner(rules, () => false)
  return decisions.reduce(strictest)
}

/** Where nobody can be asked: `--yes` answers yes, otherwise it is no. */
export function decideAlone(decision: Decision, yes: boolean): 'allow' | 'deny' {
  if (decision.verdict !== 'ask') return decision.verdict
  return yes ? 'allow' : 'deny'
}

const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }
const NO_RULE: Decision = { verdict: 'ask', rule: 'no rule', level: -1 }
const OUTSIDE: Decision = { verdict: 'deny', rule: 'outside the workspace', level: LEVELS.exactPattern }

function isAbout({ subject }: Rule, tool: GuardedInfo): boolean {
  return 'access' in subject ? subject.access === tool.access : matchText(subject.tool, tool.name)
}

type Fits = (pattern: string, verdict: Verdict) => boolean

function winner(rules: readonly Rule[], fits: Fits): Decision {
  let best = NO_RULE
  for (const { verdict, text, level, pattern } of rules) {
    if (pattern !== null && !fits(pattern, verdict)) continue
    const isStricter = STRICTNESS[verdict] > STRICTNESS[best.verdict]
    if (level > best.level || (level === best.level && isStricter)) best = { verdict, rule: text, level }
  }
  return best
}

function decideCommand(rules: readonly Rule[], command: string): Decision {
  const whole = command.trim()
  const read = readCommand(whole)
  // Said to the letter, a command needs no understanding.
  const isSaid: Fits = (pattern) => !hasWildcard(pattern) && unescapePattern(pattern) === whole
  const said = winner(
    rules.filter((rule) => rule.pattern !== null),
    isSaid,
  )
  if (said !== NO_RULE) return said
  const possible = possibleCommands(whole, read)
  const restricts: Fits = (pattern, verdict) =>
    verdict !== 'allow' && (matchText(pattern, whole) || possible.some((text) => matchText(pattern, text)))
  const overall = winner(rules, restricts)
  if (!read.isPlain || read.parts.length === 0) return overall
  const parts = read.parts.map((words) =>
    winner(rules, (pattern, verdict) => verdict === 'allow' && matchText(pattern, words.join(' '))),
  )
  const allowed = parts.reduce(strictest)
  // What restricts by a pattern holds against a pattern that allows, unless that is more specific.
  return overall.level > allowed.level || (overall.level === allowed.level && overall.verdict !== 'allow')
    ? overall
    : allowed
}

function decidePath(rules: readonly Rule[], path: string, workspace: string): Decision {
  const name = relative(workspace, resolve(workspace, path)).replaceAll('\\', '/')
  if (name === '..' || name.startsWith('../') || isAbsolute(name)) return OUTSIDE
  return winner(rules, (pattern, verdict) => pathFits(pattern, name === '' ? '.' : name, verdict))
}

/** A rule for a folder is one for all that is in it. One that restricts looks past upper and lower case. */
function pathFits(pattern: string, name: string, verdict: Verdict): boolean {
  const [wanted, given] = verdict === 'allow' ? [pattern, name] : [pattern.toLowerCase(), name.toLowerCase()]
  const plain = wanted.replace(/^\.\//, '')
  if (plain.endsWith('/')) return pathFits(`${plain}**`, name, verdict)
  return globMatcher(plain.includes('/') || plain.includes('*') ? plain : `./${plain}`)(given)
}

function strictest(a: Decision, b: Decision): Decision {
  return STRICTNESS[b.verdict] > STRICTNESS[a.verdict] ? b : a
}

/** The rules that let this call, and those like it, go unasked from now on. Never lifts a denial. */
export function alwaysAllow(policy: Policy, tool: GuardedInfo, input: unknown, rules: readonly string[]): Policy {
  if (decide(policy, tool, input).verdict === 'deny') return policy
  return { ...policy, rules: [...policy.rules, ...rules.map((text) => parseRule(text, 'allow'))] }
}
