/**
 * What a policy decides about a call. Pure.
 *
 * 1. The most specific matching rule decides: a pattern without wildcards, then one with, then a tool's name, then a class
 *    (or a name with `*`), then `*`. Among equals, deny wins over ask, and ask over allow. No rule at all means ask.
 * 2. A call that does several things (a command of several parts, a patch of several files) gets the strictest decision.
 * 3. A pattern with wildcards allows a command only if the command is plain (see command.ts), and if no wildcard stands for
 *    arguments by which a known program runs another (see handover.ts). One that asks or denies applies wherever the command
 *    might run something that matches.
 * 4. A command that names a path which a rule keeps from being read, and a call of a tool that does not declare its deeds in whose
 *    input such a path, host or command stands, get the decision of that rule (see named-texts.ts).
 * 5. Paths are compared after `.` and `..` are resolved; one that leads out of the workspace is denied. Rules that ask or deny
 *    apply to a folder's whole content, to a bare name in any folder, and regardless of case.
 * 6. Writing what other programs execute or trust (trusted-files.ts) is at least asked for, unless a rule without wildcards
 *    names it, or an answer `always` to this very question.
 * 7. A call of a tool that needs approval is at least asked for, unless a rule names the tool.
 * 8. What a person has answered `always` to is allowed where it would be asked for (grants.ts).
 */
import { isAbsolute } from 'node:path'
import { type Deed, doesNothing, type FileDeed } from '../../kernel/deed.ts'
import type { ToolInfo } from '../../kernel/tool.ts'
import { isRestrictedParts, partsOf, pathFits } from '../glob.ts'
import { trustedBy } from '../trusted-files.ts'
import { possibleCommands, readCommand, trimCommand } from './command.ts'
import { type Decision, type Fits, NO_RULE, strictest, winner } from './decision.ts'
import { declaredDeeds } from './declared-deeds.ts'
import { isGranted } from './grants.ts'
import { decideNamedPaths, decideUndeclared } from './named-texts.ts'
import {
  beginning,
  hasWildcard,
  LEVELS,
  MEMORY_TOOL,
  matchText,
  type Policy,
  type Rule,
  unescapePattern,
} from './policy.ts'
import { isAbout, ratedAs } from './rule-about.ts'
import { nameIn } from './workspace-name.ts'

export function decide(policy: Policy, tool: ToolInfo, input: unknown): Decision {
  const deeds = declaredDeeds(tool, input)
  if (deeds === null) return UNTOLD
  const decideDeed = deedDecider(policy, tool)
  const decisions = deeds.map(decideDeed)
  // What it is declared to do is decided, too, where none of its deeds is that.
  if (!deeds.some((deed) => ratedAs(tool, deed) === tool.access)) decisions.push(decideClass(policy, tool))
  if (tool.needsApproval) decisions.push(decideItself(policy, tool))
  const undeclared = tool.deeds === undefined ? decideUndeclared(policy, tool, input) : NO_RULE
  return (undeclared === NO_RULE ? decisions : [...decisions, undeclared]).reduce(strictest)
}

/** Decides about one deed of a tool after the other: the rules are looked through once for each kind. */
export function deedDecider(policy: Policy, tool: ToolInfo): (deed: Deed) => Decision {
  const known = new Map<Deed['does'], readonly Rule[]>()
  return (deed) => {
    const rules = known.get(deed.does) ?? policy.rules.filter((rule) => isAbout(rule, tool, deed))
    known.set(deed.does, rules)
    return withGrants(policy, tool, deed, byRules(policy, rules, tool, deed))
  }
}

function byRules(policy: Policy, rules: readonly Rule[], tool: ToolInfo, deed: Deed): Decision {
  switch (deed.does) {
    case 'execute':
      return decideCommand(policy, rules, deed)
    case 'network':
      return winner(rules, (pattern) => matchText(pattern.toLowerCase(), deed.host))
    default:
      return decidePath(rules, deed, policy.workspace, tool.name)
  }
}

function withGrants(
  { grants = [], workspace }: Policy,
  tool: ToolInfo,
  deed: Deed | null,
  decision: Decision,
): Decision {
  const asked = { tool, deed, level: decision.level }
  if (decision.verdict !== 'ask' || !grants.some((grant) => isGranted(grant, asked, workspace)))
    return decision
  return { ...decision, verdict: 'allow' }
}

/** Whether some call of the tool may be made without asking; with `asked`, also after somebody was asked. */
export function isEverAllowed(policy: Policy, tool: ToolInfo, asked = false): boolean {
  const isFine = (verdict: Decision['verdict']) => verdict === 'allow' || (asked && verdict === 'ask')
  if (tool.needsApproval && !isFine(decideItself(policy, tool).verdict)) return false
  if (isFixed(tool)) return isFine(decide(policy, tool, {}).verdict)
  // What it does depends on its input, but an executor always runs a command.
  const does = tool.executor === undefined ? tool.access : 'execute'
  const hasDeeds = tool.deeds !== undefined && tool.deeds !== doesNothing
  const some = hasDeeds ? ({ does, path: '', command: '', host: '' } as Deed) : null
  const about = policy.rules.filter((rule) => isAbout(rule, tool, some))
  if (isFine(winner(about, () => false).verdict)) return true
  return hasDeeds && about.some(({ verdict, pattern }) => isFine(verdict) && pattern !== null)
}

/** Whether it is an executor without inputs: its calls are all the same. */
function isFixed({ executor, input }: ToolInfo): boolean {
  return executor !== undefined && Object.keys(Object(input?.json.properties ?? { unknown: 1 })).length === 0
}

function decideClass(policy: Policy, tool: ToolInfo): Decision {
  const rules = policy.rules.filter((rule) => isAbout(rule, tool, null))
  return withGrants(
    policy,
    tool,
    null,
    winner(rules, () => false),
  )
}

/** What the tool demands of itself, unless a rule names it. */
function decideItself(policy: Policy, tool: ToolInfo): Decision {
  const names = policy.rules.filter((rule) => rule.level === LEVELS.tool && isAbout(rule, tool, null))
  const said = winner(names, () => false)
  if (said !== NO_RULE) return said
  const rule = `${tool.name} needs approval`
  return withGrants(policy, tool, null, { verdict: 'ask', rule, level: LEVELS.tool, why: rule })
}

const UNTOLD: Decision = {
  verdict: 'deny',
  rule: 'it does not tell what it would do with this input',
  level: LEVELS.exactPattern,
}
const OUTSIDE: Decision = { verdict: 'deny', rule: 'outside the workspace', level: LEVELS.exactPattern }

function decideCommand(policy: Policy, rules: readonly Rule[], deed: Deed & { does: 'execute' }): Decision {
  const whole = trimCommand(deed.command)
  const withPattern = rules.filter((rule) => rule.pattern !== null)
  // A pattern that is exactly the command needs no parsing.
  const said = winner(withPattern, (pattern) => !hasWildcard(pattern) && unescapePattern(pattern) === whole)
  if (said !== NO_RULE) return said
  const read = readCommand(whole)
  const isRestricted = (texts: readonly string[]): Fits => {
    return (pattern, verdict) => verdict !== 'allow' && texts.some((text) => matchText(pattern, text))
  }
  const overall = winner(withPattern, isRestricted([whole]))
  const named = decideNamedPaths(policy, whole, deed.folder)
  const withOverall = (decision: Decision) =>
    [overall, named].filter((one) => one !== NO_RULE).reduce(strictest, decision)
  if (!read.isPlain || read.parts.length === 0) {
    return withOverall(winner(rules, isRestricted(possibleCommands(whole, read))))
  }
  const parts = read.parts.map((words, i) => {
    const toSpell = read.toSpell[i] ?? 0
    const restricted = isRestricted(possibleCommands('', { parts: [words], isPlain: true }))
    const text = words.join(' ')
    return winner(rules, (pattern, verdict) =>
      verdict === 'allow'
        ? matchText(pattern, text) && (!hasWildcard(pattern) || spellsOut(pattern, words, toSpell))
        : restricted(pattern, verdict),
    )
  })
  return withOverall(parts.reduce(strictest))
}

/** Whether these first words of the command stand in the pattern itself, before its first wildcard. */
export function spellsOut(pattern: string, words: readonly string[], count: number): boolean {
  const spelled = words.slice(0, count)
  if (count === 0) return true
  if (count > words.length || spelled.some((word) => /\s/.test(word))) return false
  return beginning(pattern).startsWith(`${spelled.join(' ')} `)
}

function decidePath(
  rules: readonly Rule[],
  { does, path }: FileDeed,
  workspace: string,
  toolName: string,
): Decision {
  const name = nameIn(workspace, path)
  if (name === '..' || name.startsWith('../') || isAbsolute(name)) return OUTSIDE
  const parts = partsOf(name)
  const fits: Fits = (pattern, verdict) =>
    verdict === 'allow' ? pathFits(pattern, name) : isRestrictedParts(pattern, parts)
  const decision = winner(rules, fits)
  const trusted = does === 'write' && toolName !== MEMORY_TOOL ? trustedBy(name) : null
  if (trusted === null || decision.verdict === 'deny') return decision
  if (winner(rules.filter(namesTrusted), fits).verdict === 'allow') return decision
  const rule = `${name} is executed or trusted by other programs`
  // At this level, `always` is for the file and not for the tool.
  return { verdict: 'ask', rule, level: LEVELS.pattern, why: `${rule} (${trusted})` }
}

/** Not a folder that such a file happens to be in. */
function namesTrusted({ pattern }: Rule): boolean {
  return pattern !== null && !hasWildcard(pattern) && trustedBy(unescapePattern(pattern)) !== null
}
