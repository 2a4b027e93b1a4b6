/**
 * The approval that the kernel consults: the run's recorded policy, and what a person answered `always` to. Asks a person
 * whether a call may be made, and interprets the answer.
 */
import { normalize } from 'node:path/posix'
import type { Approval, Call } from '../../kernel/approval.ts'
import type { Deed } from '../../kernel/deed.ts'
import type { ToolInfo } from '../../kernel/tool.ts'
import {
  ALWAYS_IN_PLAN,
  type ApprovalConfig,
  isObject,
  type Language,
  parentPath,
  type Question,
  type RunConfig,
  readApproval,
  shortenMiddle,
  showHidden,
  type ToolAccess,
} from '../../protocol/index.ts'
import { readCommand, trimCommand } from './command.ts'
import { decide, deedDecider, isEverAllowed } from './decide.ts'
import { declaredDeeds } from './declared-deeds.ts'
import { grantedText, grantsOf } from './grants.ts'
import { namesInInput } from './named-texts.ts'
import { type Policy, parsePolicy } from './policy.ts'
import { deniedText, nobodyText, whyAsked } from './refusal.ts'

export function createApproval(): Approval {
  /** A run's configuration is one object, whose rules are parsed once. */
  const policies = new WeakMap<ApprovalConfig, Policy>()

  /** By workspace. */
  const defaults = new Map<string, ApprovalConfig>()

  function defaultsOf(config: RunConfig, workspace = process.cwd()): ApprovalConfig {
    const folder = config.workspace ?? workspace
    const known = defaults.get(folder) ?? { workspace: folder, asks: 'person' }
    defaults.set(folder, known)
    return known
  }

  function policyOf(config: ApprovalConfig): Policy {
    const known = policies.get(config)
    if (known !== undefined) return known
    const policy = parsePolicy(config, config.workspace)
    policies.set(config, policy)
    return policy
  }

  return {
    decide(config, { tool, input }, granted, { path, language, canAsk, workspace }) {
      if (config.approval === undefined && !isGuarded(tool)) return { verdict: 'allow' }
      const approval = config.approval ?? defaultsOf(config, workspace)
      const policy = granted.reduce(alwaysAllow, policyOf(approval))
      const decided = decide(policy, tool, input)
      const { verdict, level } = decided
      if (verdict === 'deny') return { verdict, reason: deniedText(tool, decided, approval) }
      if (verdict === 'allow' || approval.asks === 'yes') return { verdict: 'allow' }
      if (config.approval === undefined && !canAsk) return { verdict: 'deny', reason: unattendedText(tool) }
      if (approval.asks === 'person') {
        const why = whyAsked(policy, tool, input, decided, language)
        return {
          verdict: 'ask',
          question: approvalQuestion(tool, input, {
            path,
            language,
            level,
            workspace: approval.workspace,
            ...(why !== undefined && { why }),
          }),
        }
      }
      const why = whyAsked(policy, tool, input, decided)
      return { verdict: 'deny', reason: nobodyText(policy, tool, input, why) }
    },
    permits(config, call, granted, workspace) {
      if (config.approval === undefined && !isGuarded(call.tool)) return () => 'allow'
      const approval = config.approval ?? defaultsOf(config, workspace)
      // The call itself is made because it is allowed, or because a person has said yes to it.
      const policy = granted.reduce(alwaysAllow, policyOf(approval))
      const decided = deedDecider(alwaysAllow(policy, call), call.tool)
      const decidedInside = deedDecider(answered(policy, call), call.tool)
      const folders = declaredDeeds(call.tool, call.input)?.flatMap(pathRead) ?? []
      return (deed) => {
        const isInside = pathRead(deed).some((path) => isIn(folders, path))
        const { verdict } = isInside ? decidedInside(deed) : decided(deed)
        if (verdict !== 'ask' || approval.asks === 'person') return verdict
        return approval.asks === 'yes' ? 'allow' : 'deny'
      }
    },
    read: readApproval,
  }
}

/** Without `approval`, these tools are under the default rules; others may do everything. */
function isGuarded({ needsApproval, needsPolicy }: ToolInfo): boolean {
  return needsApproval === true || needsPolicy === true
}

function unattendedText({ name, access, needsApproval }: ToolInfo): string {
  const what = needsApproval ? `${name} needs a person's approval` : `${name} (${access}) needs permission`
  const how =
    "start it with onQuestion, with approval: { asks: 'person', allow: [...] }, or with approval: 'allow-all'"
  return `${what}, and the run has no "approval" and no caller that answers questions: ${how}`
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

/** The tools of which no call could be made, because a rule denies it or nobody is there to permit it: they are better not offered. */
export function neverPermitted<T extends ToolInfo>(config: ApprovalConfig, tools: readonly T[]): T[] {
  const policy = parsePolicy(config, config.workspace)
  return tools.filter((tool) => !isEverAllowed(policy, tool, config.asks !== 'nobody'))
}

/** A longer call is shortened in the question; `permission.input` has it whole. */
const MAX_SHOWN_CHARS = 64_000
/** What fits at a glance needs no list of its names. */
const GLANCE = { lines: 12, chars: 800 }

/** Who asks, where, and the level of the rule that says so. */
interface Asking {
  readonly path: string
  readonly language?: Language
  readonly level: number
  readonly why?: string
  readonly workspace: string
}

/**
 * Shows what will be done, whole, and how far `always` reaches. A long call begins with the names of all its paths, hosts and programs.
 * `always` is no choice if the call had to be shortened. There is no fallback: silence is not consent.
 */
export function approvalQuestion(tool: ToolInfo, input: unknown, asking: Asking): Question {
  const { path, level, workspace, why, language = 'en' } = asking
  const words = QUESTION_WORDS[language]
  const plan = parentPath(path)
  const what = inLine(grantedText(tool, input, level, workspace, language))
  const whole = visible(details(tool, input, words))
  const isWhole = whole.length <= MAX_SHOWN_CHARS
  const inPlan = plan === null ? [] : [words.inPlan(what, plan)]
  const reach = isWhole ? [words.always(what, path), ...inPlan] : [words.shortened]
  const attention = why === undefined ? '' : `${inLine(why)}\n`
  const names = isGlance(whole) ? [] : namesIn(tool, input, words)
  const shown = prefixed('  ', [...names, clipped(whole)].join('\n')).trimEnd()
  const always = ['always', ...(plan === null ? [] : [ALWAYS_IN_PLAN])]
  return {
    text: `${words.asks(tool)}\n${shown}\n${attention}${words.reach(reach)}`,
    choices: ['yes', 'no', ...(isWhole ? always : [])],
    permission: { tool: tool.name, input },
  }
}

function isGlance(text: string): boolean {
  return text.length <= GLANCE.chars && text.split('\n').length <= GLANCE.lines
}

/** All paths, hosts and programs of the call, a line for each kind. */
function namesIn(tool: ToolInfo, input: unknown, words: QuestionWords): string[] {
  const { paths, hosts, commands } =
    tool.deeds === undefined ? namesInInput(tool, input) : namesInDeeds(declaredDeeds(tool, input) ?? [])
  const kinds = [
    [words.paths, paths],
    [words.hosts, hosts],
    [words.programs, commands.flatMap(programsIn)],
  ] as const
  return kinds.flatMap(([kind, found]) => {
    const names = [...new Set([...found].map(inLine))]
    return names.length === 0 ? [] : [`${kind}: ${names.join(', ')}`]
  })
}

function namesInDeeds(deeds: readonly Deed[]) {
  return {
    paths: deeds.flatMap((deed) => ('path' in deed ? deed.path : [])),
    hosts: deeds.flatMap((deed) => (deed.does === 'network' ? deed.host : [])),
    commands: deeds.flatMap((deed) => (deed.does === 'execute' ? deed.command : [])),
  }
}

/** The first word of each part, and of each part that an expansion or another program may run. */
function programsIn(command: string): string[] {
  const trimmed = trimCommand(command)
  const read = readCommand(trimmed)
  const inner = read.isPlain
    ? []
    : [...trimmed.matchAll(/[|;&`(\n][ \t]*([\w./~-]+)/g)].map(([, name = '']) => name)
  return [...read.parts.map(([name = '']) => name), ...inner].filter((name) => name !== '')
}

interface QuestionWords {
  asks(tool: ToolInfo): string
  always(what: string, path: string): string
  inPlan(what: string, path: string): string
  reach(texts: readonly string[]): string
  inFolder(folder: string): string
  bytes(n: number): string
  everywhere: string
  shortened: string
  paths: string
  hosts: string
  programs: string
}

/** The choices are the same in both: views show them in the language of the run. */
const QUESTION_WORDS: Record<Language, QuestionWords> = {
  en: {
    asks: ({ name, access }) => `${name} (${access}) asks for permission:`,
    always: (what, path) => `always: ${what}, for the rest of block ${path}`,
    inPlan: (what, path) => `${ALWAYS_IN_PLAN}: ${what}, in block ${path} and all below it`,
    reach: (texts) => `(${texts.join('; ')})`,
    inFolder: (folder) => `(in ${folder})`,
    bytes: (n) => `(${n} bytes)`,
    everywhere: ' (every occurrence)',
    shortened:
      'too long to be shown whole, so `always` is no answer: thinkon questions --whole shows all of it',
    paths: 'paths',
    hosts: 'hosts',
    programs: 'programs',
  },
  zh: {
    asks: ({ name, access }) => `${name}（${ACCESS_ZH[access]}）请求许可：`,
    always: (what, path) => `总是：${what}，在块 ${path} 结束前有效`,
    inPlan: (what, path) => `在计划中总是：${what}，在块 ${path} 及其下各块有效`,
    reach: (texts) => `（${texts.join('；')}）`,
    inFolder: (folder) => `（在 ${folder} 中）`,
    bytes: (n) => `（${n} 字节）`,
    everywhere: '（每一处）',
    shortened: '内容过长，无法完整显示，因此不能回答“总是”：thinkon questions --whole 显示完整的调用',
    paths: '路径',
    hosts: '主机',
    programs: '程序',
  },
}

const ACCESS_ZH: Record<ToolAccess, string> = {
  read: '读取',
  write: '写入',
  execute: '执行',
  network: '网络',
}

/** The policy after `always`. */
export function alwaysAllow(policy: Policy, { tool, input }: Call): Policy {
  const { verdict, level } = decide(policy, tool, input)
  if (verdict !== 'ask') return policy
  return { ...policy, grants: [...(policy.grants ?? []), ...grantsOf(tool, input, level, policy.workspace)] }
}

function details(tool: ToolInfo, input: unknown, words: QuestionWords): string {
  const given = isObject(input) ? input : {}
  const of = (key: string) => (typeof given[key] === 'string' ? (given[key] as string) : '')
  const run = declaredDeeds(tool, input)?.find((deed) => deed.does === 'execute')
  if (run !== undefined && (tool.name === 'shell' || tool.executor !== undefined))
    return run.command + (run.folder === undefined ? '' : `\n${words.inFolder(run.folder)}`)
  switch (tool.name) {
    case 'write_file':
      return `${of('path')} ${words.bytes(Buffer.byteLength(of('content')))}\n${of('content')}`
    case 'edit_file':
      return `${of('path')}${given.all === true ? words.everywhere : ''}\n${prefixed('- ', of('old'))}\n${prefixed('+ ', of('new'))}`
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
  return shortenMiddle(text, MAX_SHOWN_CHARS, (leftOut) => `[… ${leftOut} characters not shown …]`)
}

function prefixed(prefix: string, text: string): string {
  return text
    .split('\n')
    .map((row) => prefix + row)
    .join('\n')
}
