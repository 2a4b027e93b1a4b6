/**
 * What may be done without asking. A policy is three lists of rules:
 *
 *     { "allow": ["read", "shell(npm test *)", "write(src/**)"], "ask": ["write"], "deny": ["shell(rm *)"] }
 *
 * A rule is a subject and, in parentheses, a pattern. The subject is an access class (read, write, network, execute), a tool's
 * name (`tool:read` for one that is named like a class), a name with `*` in it, or `*` for every tool. The pattern is matched
 * against the command, the path (as a glob, relative to the workspace) or the host of each deed that the rule is about
 * (rule-about.ts).
 */
import type { Deed, Verdict } from '../../kernel/deed.ts'
import type { ToolAccess, ToolInfo } from '../../kernel/tool.ts'
import { type ApprovalRules, ThinkonError, TOOL_ACCESS } from '../../protocol/index.ts'
import { ANY_NUMBER, matchSequence } from '../glob.ts'

export interface Policy {
  readonly rules: readonly Rule[]
  /** Absolute paths are matched relative to it. */
  readonly workspace: string
  /** What a person has answered `always` to. */
  readonly grants?: readonly Grant[]
}

/** What `always` covers (grants.ts). */
export interface Grant {
  readonly tool: string
  readonly covers:
    | Deed
    | { readonly does: 'read' | 'write'; readonly folder: string; readonly isDeep: boolean }
    /** Everything, or what the tool is declared to do beside its deeds. */
    | 'tool'
    | 'class'
}

export interface Rule {
  readonly verdict: Verdict
  /** As it was written. */
  readonly text: string
  readonly level: Level
  readonly subject: { readonly access: ToolAccess } | { readonly tool: string }
  readonly pattern: string | null
  /** Nobody has written it: it is one of the defaults. */
  readonly isDefault?: true
}

/** How specific a rule is; the highest level that matches decides. */
export type Level = (typeof LEVELS)[keyof typeof LEVELS]
export const LEVELS = {
  exactPattern: 4,
  pattern: 3,
  tool: 2,
  group: 1,
  any: 0,
} as const

export const DEFAULT_POLICY: Required<ApprovalRules> = {
  allow: ['read'],
  ask: ['write', 'network', 'execute'],
  deny: [],
}

/** It writes nothing but Thinkon's own memory: nobody is asked about each item, unless a rule says so. */
export const MEMORY_TOOL = 'memory__save'

/**
 * The default rules and those given. A rule for a class replaces the class's default, a rule for `*` all of them. Throws
 * BAD_INPUT.
 */
export function parsePolicy(config: ApprovalRules, workspace: string): Policy {
  const given = rulesOf(config).map((rule) => insideOf(workspace, rule))
  const remembering = given.some(isAboutMemory) ? [] : [MEMORY_RULE]
  const replaced = new Set(given.filter((rule) => rule.pattern === null).map((rule) => rule.text))
  const defaults = replaced.has('*') ? [] : rulesOf(DEFAULT_POLICY).filter((rule) => !replaced.has(rule.text))
  const marked = [...defaults, ...remembering].map((rule) => ({ ...rule, isDefault: true as const }))
  return { rules: [...marked, ...given], workspace }
}

/** Rules that match no existing tool: most likely their names are misspelled. */
export function idleRules({ rules }: Policy, tools: readonly ToolInfo[]): string[] {
  const isIdle = ({ subject, isDefault }: Rule) =>
    isDefault !== true && 'tool' in subject && !tools.some(({ name }) => matchText(subject.tool, name))
  return rules.filter(isIdle).map((rule) => rule.text)
}

export function parseRule(text: string, verdict: Verdict): Rule {
  const match = /^\s*((?:tool:)?[\w*-]+)\s*(?:\(([\s\S]*)\))?\s*$/.exec(text)
  if (match === null) {
    const message = `"${text}" is not a rule: write a class or tool, and a pattern in parentheses`
    throw new ThinkonError('BAD_INPUT', message)
  }
  const [, name = '', inner] = match
  const pattern = inner?.trim() ?? null
  if (pattern === '') throw new ThinkonError('BAD_INPUT', `"${text}": the pattern is empty`)
  const subject = CLASSES.includes(name)
    ? { access: name as ToolAccess }
    : { tool: name.replace(/^tool:/, '') }
  return { verdict, text: text.trim(), level: levelOf(subject, pattern), subject, pattern }
}

/** `*` is any text, including none; `\` escapes the next character; ` *` at the end also matches nothing at all. */
export function matchText(pattern: string, text: string): boolean {
  // Most don't fit from the start.
  if (!text.startsWith(beginning(pattern).trimEnd())) return false
  if (pattern.endsWith(' *') && !pattern.endsWith('\\ *') && matchText(pattern.slice(0, -2), text))
    return true
  return matchSequence(compileText(pattern), [...text], (one: string, char) => one === char)
}

export function hasWildcard(pattern: string): boolean {
  return /[*?[{]/.test(pattern.replace(/\\./gs, ''))
}

export function unescapePattern(pattern: string): string {
  return pattern.replace(/\\(.)/gs, '$1')
}

/** Of a pattern for a text, what stands before its first wildcard. */
export function beginning(pattern: string): string {
  const compiled = compileText(pattern)
  const end = compiled.indexOf(ANY_NUMBER)
  return compiled.slice(0, end === -1 ? undefined : end).join('')
}

const CLASSES: readonly string[] = TOOL_ACCESS

function rulesOf(config: ApprovalRules): Rule[] {
  const verdicts: readonly Verdict[] = ['allow', 'ask', 'deny']
  return verdicts.flatMap((verdict) => (config[verdict] ?? []).map((text) => parseRule(text, verdict)))
}

/** A pattern that begins with the workspace is meant relative to it, like any other. */
function insideOf(workspace: string, rule: Rule): Rule {
  const root = workspace.endsWith('/') ? workspace : `${workspace}/`
  const { pattern } = rule
  if (pattern === null || !pattern.startsWith(root) || isAboutCommands(rule)) return rule
  return { ...rule, pattern: pattern.slice(root.length) || '**' }
}

function isAboutCommands({ subject }: Rule): boolean {
  return 'access' in subject ? subject.access === 'execute' : subject.tool === 'shell'
}

/** As specific as the tool's name. The path keeps a foreign tool of that name, of a server called `memory`, from being meant. */
const MEMORY_RULE: Rule = {
  ...parseRule(`${MEMORY_TOOL}(.thinkon/memory.db)`, 'allow'),
  text: MEMORY_TOOL,
  level: LEVELS.tool,
}

/** Whether the rule takes the place of the default: it names the memory, or denies all writing or everything. */
function isAboutMemory({ subject, pattern, verdict }: Rule): boolean {
  if (pattern !== null) return false
  const isWide = 'access' in subject ? subject.access === 'write' : subject.tool === '*'
  if (isWide) return verdict === 'deny'
  return 'tool' in subject && matchText(subject.tool, MEMORY_TOOL)
}

function levelOf(subject: Rule['subject'], pattern: string | null): Level {
  if (pattern !== null) return hasWildcard(pattern) ? LEVELS.pattern : LEVELS.exactPattern
  if ('access' in subject) return LEVELS.group
  if (subject.tool === '*') return LEVELS.any
  return subject.tool.includes('*') ? LEVELS.group : LEVELS.tool
}

function compileText(pattern: string): (string | typeof ANY_NUMBER)[] {
  const compiled: (string | typeof ANY_NUMBER)[] = []
  const chars = [...pattern]
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] as string
    if (char === '*') compiled.push(ANY_NUMBER)
    else compiled.push(char === '\\' && i + 1 < chars.length ? (chars[++i] as string) : char)
  }
  return compiled
}
