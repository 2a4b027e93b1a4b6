/**
 * The approval that the kernel consults: the run's recorded policy, and what a person answered `always` to. Asks a person
 * whether a call may be made, and interprets the answer.
 */
import { normalize } from 'node:path/posix'
import type { Approval, Call } from '../../kernel/approval.ts'
import type { Deed } from '../../kernel/deed.ts'
import type { ToolInfo } from '../../kernel/tool.ts'
import {
  type ApprovalConfig,
  isObject,
  parentPath,
  type Question,
  shortenMiddle,
  showHidden,
} from '../../protocol/index.ts'
import { decide, deedDecider, isEverAllowed } from './decide.ts'
import { grantedText, grantsOf } from './grants.ts'
import { type Policy, parsePolicy } from './policy.ts'
import { deniedText, nobodyText, whyAsked } from './refusal.ts'

export function createApproval(): Approval {
  /** A run's configuration is one object, whose rules are parsed once. */
  const policies = new WeakMap<ApprovalConfig, Policy>()

  function policyOf(config: ApprovalConfig): Policy {
    const known = policies.get(config)
    if (known !== undefined) return known
    const policy = parsePolicy(config, config.workspace)
    policies.set(config, policy)
    return policy
  }

  return {
    decide({ approval }, { tool, input }, granted, path) {
      if (approval === undefined) return { verdict: 'allow' }
      const policy = granted.reduce(alwaysAllow, policyOf(approval))
      const decided = decide(policy, tool, input)
      const { verdict, level } = decided
      if (verdict === 'deny') return { verdict, reason: deniedText(tool, decided, approval) }
      if (verdict === 'allow' || approval.asks === 'yes') return { verdict: 'allow' }
      const why = whyAsked(policy, tool, input, decided)
      if (approval.asks === 'person')
        return {
          verdict: 'ask',
          question: approvalQuestion(tool, input, {
            path,
            level,
            workspace: approval.workspace,
            ...(why !== undefined && { why }),
          }),
        }
      return { verdict: 'deny', reason: nobodyText(policy, tool, input, why) }
    },
    permits({ approval }, call, granted) {
      if (approval === undefined) return () => 'allow'
      // The call itself is made because it is allowed, or because a person has said yes to it.
      const policy = granted.reduce(alwaysAllow, policyOf(approval))
      const decided = deedDecider(alwaysAllow(policy, call), call.tool)
      const decidedInside = deedDecider(answered(policy, call), call.tool)
      const folders = call.tool.deeds?.(call.input).flatMap(pathRead) ?? []
      return (deed) => {
        const isInside = pathRead(deed).some((path) => isIn(folders, path))
        const { verdict } = isInside ? decidedInside(deed) : decided(deed)
        if (verdict !== 'ask' || approval.asks === 'person') return verdict
        return approval.asks === 'yes' ? 'allow' : 'deny'
      }
    },
    read: readAnswer,
  }
}

/** For what is in a folder that a person has been asked about, and has said yes to: without the rule that asked. */
function answered(policy: Policy, call: Call): Policy {
  const { verdict, rule } = decide(policy, call.tool, call.input)
  const granted = alwaysAllow(policy, call)
  if (verdict !== 'ask') return granted
  return { ...granted, rules: granted.rules.filter((one) => one.verdict !== 'ask' || one.text !== rule) }
}

function pathRead(deed: Deed): string[] {
  return deed.does === 'read' ? [normalize(deed.path)] : []
}

function isIn(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => path.startsWith(folder === '.' ? '' : `${folder}/`))
}

/** The tools of which no call could be made, because nobody is there to permit it: they are better not offered. */
export function neverPermitted<T extends ToolInfo>(config: ApprovalConfig, tools: readonly T[]): T[] {
  if (config.asks !== 'nobody') return []
  const policy = parsePolicy(config, config.workspace)
  return tools.filter((tool) => !isEverAllowed(policy, tool))
}

const MAX_SHOWN_CHARS = 2_000
const MAX_SHOWN_LINES = 40

/** Who asks, where, and the level of the rule that says so. */
interface Asking {
  readonly path: string
  readonly level: number
  readonly why?: string
  readonly workspace: string
}

/** Short, and shows exactly what will be done, and how far `always` reaches. There is no fallback: silence is not consent. */
export function approvalQuestion(tool: ToolInfo, input: unknown, asking: Asking): Question {
  const { path, level, workspace, why } = asking
  const plan = parentPath(path)
  const what = inLine(grantedText(tool, input, level, workspace))
  const reach = [
    `always: ${what}, for the rest of block ${path}`,
    ...(plan === null ? [] : [`${IN_PLAN}: ${what}, in block ${plan} and all below it`]),
  ]
  const attention = why === undefined ? '' : `${inLine(why)}\n`
  const shown = prefixed('  ', clipped(visible(details(tool, input)))).trimEnd()
  return {
    text: `${tool.name} (${tool.access}) asks for permission:\n${shown}\n${attention}(${reach.join('; ')})`,
    choices: ['yes', 'no', 'always', ...(plan === null ? [] : [IN_PLAN])],
  }
}

const IN_PLAN = 'always in the plan'

/** Anything but a clear yes is a no. */
export function readAnswer(answer: unknown): ReturnType<Approval['read']> {
  const text = typeof answer === 'string' ? answer.trim().toLowerCase() : ''
  const always = text === IN_PLAN ? 'plan' : text === 'always' ? 'block' : false
  return { allowed: always !== false || text === 'yes' || text === 'y', always }
}

/** The policy after `always`. */
export function alwaysAllow(policy: Policy, { tool, input }: Call): Policy {
  const { verdict, level } = decide(policy, tool, input)
  if (verdict !== 'ask') return policy
  return { ...policy, grants: [...(policy.grants ?? []), ...grantsOf(tool, input, level, policy.workspace)] }
}

function details(tool: ToolInfo, input: unknown): string {
  const given = isObject(input) ? input : {}
  const of = (key: string) => (typeof given[key] === 'string' ? (given[key] as string) : '')
  const run = tool.deeds?.(input).find((deed) => deed.does === 'execute')
  if (run !== undefined && (tool.name === 'shell' || tool.executor !== undefined))
    return run.command + (run.folder === undefined ? '' : `\n(in ${run.folder})`)
  switch (tool.name) {
    case 'write_file':
      return `${of('path')} (${Buffer.byteLength(of('content'))} bytes)\n${of('content')}`
    case 'edit_file':
      return `${of('path')}${given.all === true ? ' (every occurrence)' : ''}\n${prefixed('- ', of('old'))}\n${prefixed('+ ', of('new'))}`
    case 'apply_patch':
      return of('patch')
    case 'http_fetch':
      return `${of('method') || 'GET'} ${of('url')}`
    default:
      return JSON.stringify(input, null, 1) ?? ''
  }
}

function visible(text: string): string {
  return showHidden(text, '\n\t')
}

/** No path or command can begin a line of the question that looks like ours. */
function inLine(text: string): string {
  return visible(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}

/** A long text loses its middle, and says so: the end may be the part that matters. */
function clipped(text: string): string {
  const rows = text.split('\n')
  const excess = rows.length - MAX_SHOWN_LINES
  if (excess > 0) rows.splice(MAX_SHOWN_LINES / 2, excess, `[… ${excess} lines not shown …]`)
  return shortenMiddle(rows.join('\n'), MAX_SHOWN_CHARS, (leftOut) => `[… ${leftOut} characters not shown …]`)
}

function prefixed(prefix: string, text: string): string {
  return text
    .split('\n')
    .map((row) => prefix + row)
    .join('\n')
}
