/**
 * Which rules are about which deeds. A rule is about what is done, not about the tool by which it is done:
 *
 * 1. A class with a pattern is about deeds of that class, by any tool. So is the name of a built-in tool with a pattern where the
 *    rule asks or denies: `deny: read_file(x)` is about reading x. `shell(…)` is about every command that is run.
 * 2. A class without a pattern is about deeds of that class. A command that an executor runs counts as what the executor is declared
 *    to do, and what a tool of class `execute` does as execution; but a class that somebody asks for or denies is both.
 * 3. `ask: shell` and `deny: shell` without a pattern are about every command; `allow: shell` is about those that a model may
 *    choose freely.
 * 4. Any other name is about the calls of the tools that it names.
 */
import type { Deed } from '../../kernel/deed.ts'
import type { ToolAccess, ToolInfo } from '../../kernel/tool.ts'
import { matchText, type Rule } from './policy.ts'

/** `deed`: null for a call that does nothing a pattern could name. */
export function isAbout(rule: Rule, tool: ToolInfo, deed: Deed | null): boolean {
  const { subject } = rule
  return 'access' in subject
    ? isAboutClass(subject.access, rule, tool, deed)
    : matchText(subject.tool, tool.name) || (deed !== null && isAboutDeed(subject.tool, rule, tool, deed))
}

/** Whether the rule asks about or denies such deeds by a pattern, whichever tool does them. */
export function restricts({ subject, pattern, verdict }: Rule, does: Deed['does']): boolean {
  if (pattern === null || verdict === 'allow') return false
  return 'access' in subject ? subject.access === does : isDoneBy(subject.tool, does)
}

/** The class by which a deed of the tool is allowed, and by which the defaults ask. */
export function ratedAs({ access }: ToolInfo, deed: Deed): ToolAccess {
  return deed.does === 'execute' || access === 'execute' ? access : deed.does
}

/** What the built-in tools do. */
const DOES: Readonly<Record<string, Deed['does']>> = {
  read_file: 'read',
  list_files: 'read',
  search_files: 'read',
  write_file: 'write',
  edit_file: 'write',
  apply_patch: 'write',
  shell: 'execute',
  executor__shell: 'execute',
  http_fetch: 'network',
}

/** The tools whose command is whatever a model writes. */
const SHELLS: readonly string[] = ['shell', 'executor__shell']

function isAboutClass(access: ToolAccess, rule: Rule, tool: ToolInfo, deed: Deed | null): boolean {
  if (deed === null) return rule.pattern === null && access === tool.access
  if (rule.pattern !== null) return access === deed.does
  if (access === ratedAs(tool, deed)) return true
  return isRestriction(rule) && (access === deed.does || access === tool.access)
}

function isAboutDeed(name: string, rule: Rule, tool: ToolInfo, { does }: Deed): boolean {
  if (rule.pattern === null)
    return name === 'shell' && does === 'execute' && (isRestriction(rule) || SHELLS.includes(tool.name))
  if (rule.verdict === 'allow') return name === 'shell' && does === 'execute'
  return isDoneBy(name, does)
}

function isDoneBy(name: string, does: Deed['does']): boolean {
  return Object.entries(DOES).some(([named, done]) => done === does && matchText(name, named))
}

/** What somebody has asked for or denied is matched widely. */
function isRestriction({ verdict, isDefault }: Rule): boolean {
  return verdict !== 'allow' && isDefault !== true
}
