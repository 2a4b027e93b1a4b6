/**
 * How a tool call begins: at once; as a question to a person (a tool that asks); as a wait for the result of a tool that the run's
 * caller executes; with a person's permission; or not at all, as a step that fails with the reason. Whichever it is, it is on record, and what is on record is done when the block is executed
 * again, whatever tools and policy the process then has.
 */

import {
  APPROVE,
  type EventBody,
  errorData,
  type KnownTool,
  type Language,
  type QuestionNames,
  type Reserve,
  type Result,
  toolCallText,
} from '../protocol/index.ts'
import type { Call, Decision } from './approval.ts'
import { READ_RESULT } from './brief/shown-result.ts'
import { NOTHING } from './budget.ts'
import type { BlockFrame, Durable, Op } from './durable.ts'
import { ALLOWED_NOTE, grantedInPlan, type PlanGrant, planAround } from './plan-grants.ts'
import type { KernelServices } from './services.ts'
import { isOwnProgram, type Tool } from './tool.ts'

const ONE_CALL: Reserve = { calls: 1, tokens: 0, costUsd: 0 }

const NOBODY = 'nobody is there to answer: decide yourself, and say what you assumed'

export interface BegunCall {
  readonly op: Op
  /** The operation asks for permission; the call comes after. */
  readonly needsPermission: boolean
  /** The run's caller executes it, and may never give a result. */
  readonly byCaller?: true
}

export class ToolGate {
  private readonly durable: Durable
  private readonly services: KernelServices
  private readonly frame: BlockFrame
  readonly path: string
  readonly language: Language
  /** Calls that a person answered `always` to, in this block. */
  private readonly granted: Call[] = []
  private readonly names: QuestionNames

  /** `language`: of the block's goal, for questions. `names`: of the block's questions. */
  constructor(
    durable: Durable,
    services: KernelServices,
    frame: BlockFrame,
    path: string,
    language: Language,
    names: QuestionNames,
  ) {
    this.durable = durable
    this.services = services
    this.frame = frame
    this.path = path
    this.language = language
    this.names = names
  }

  /** `own`: the strategy calls it for itself, and may call what models are not offered. */
  begin(name: string, input: unknown, own = false): BegunCall {
    const recorded = this.durable.peek()
    if (recorded?.type === 'signal-asked') return this.asAsked(recorded)
    if (recorded !== null) return { op: this.step(name, input), needsPermission: false }
    const callers = this.frame.config.tools?.find(
      (known) => known.name === name && known.caller !== undefined,
    )
    if (callers !== undefined)
      return { op: this.callOut(callers, input), needsPermission: false, byCaller: true }
    const tool = this.services.tools.get(name)
    if (!own && isHidden(name, tool)) return { op: this.missing(name, input), needsPermission: false }
    if (tool?.asks !== undefined) return { op: this.ask(tool, input), needsPermission: false }
    const decision = tool === undefined || isOwnProgram(name) ? undefined : this.decide({ tool, input })
    if (decision?.verdict === 'ask') {
      const signal = this.names.next(APPROVE)
      return { op: this.durable.wait(signal, decision.question), needsPermission: true }
    }
    return {
      op: this.step(name, input, decision?.verdict === 'deny' ? decision.reason : undefined),
      needsPermission: false,
    }
  }

  /** Waits under the recorded name, which no other question of the block may have. */
  private asAsked({ name, question, timeoutMs }: Extract<EventBody, { type: 'signal-asked' }>): BegunCall {
    this.names.take(name)
    const op = this.durable.wait(name, question, timeoutMs)
    if (question?.call !== undefined) return { op, needsPermission: false, byCaller: true }
    return { op, needsPermission: question?.permission !== undefined }
  }

  /** A person has answered whether the tool may be called. */
  answered(name: string, input: unknown, answer: Result): Op {
    const said = this.services.approval?.read(answer.ok ? answer.value : 'no')
    const tool = this.services.tools.get(name)
    const always = tool !== undefined && this.mayBeAlways({ tool, input }) ? said?.always : false
    if (always && tool !== undefined) this.granted.push({ tool, input })
    if (always === 'plan') this.allowInPlan({ within: planAround(this.path), tool: name, input })
    return this.step(name, input, said?.allowed ? undefined : 'a person said no')
  }

  /** Whether the question offers `always`: not for a call that is too long to be shown whole. */
  private mayBeAlways(call: Call): boolean {
    // It was asked; the process may have no caller that answers now.
    const decision = this.decide(call, true)
    return decision?.verdict !== 'ask' || decision.question.choices?.includes('always') === true
  }

  /** What a person has allowed for the plan is looked up only where they would be asked. */
  private decide(call: Call, canAsk?: boolean): Decision | undefined {
    const { services, path, language } = this
    const { approval, workspace } = services
    const { config, run } = this.frame
    const caller = { path, language, workspace, canAsk: canAsk ?? services.canAsk(run) }
    const decision = approval?.decide(config, call, this.granted, caller)
    if (decision === undefined || decision.verdict === 'allow') return decision
    if (decision.verdict === 'deny' && config.approval !== undefined) return decision
    const inPlan = grantedInPlan(services, run, path)
    return inPlan.length === 0
      ? decision
      : approval?.decide(config, call, [...this.granted, ...inPlan], caller)
  }

  private allowInPlan(grant: PlanGrant): void {
    this.services.grants?.add(this.frame.run, grant)
    this.durable.emit({ type: 'note', name: ALLOWED_NOTE, data: grant })
  }

  /** A question that can't be read, or that nobody is there to answer, goes back to the model as the call's failure. */
  private ask(tool: Tool, input: unknown): Op {
    if (this.frame.config.approval?.asks === 'nobody') return this.step(tool.name, input, NOBODY)
    try {
      const question = tool.asks?.(input)
      return this.durable.wait(this.names.next('answer'), question)
    } catch (thrown) {
      return this.step(tool.name, input, errorData(thrown, 'TOOL_ERROR').message)
    }
  }

  /** Each call waits for a signal of its own: results may come in any order, and twice. */
  private callOut({ name, caller }: KnownTool, input: unknown): Op {
    const text = WAITS_FOR_CALLER[this.language](toolCallText(name, input))
    const question = { text, call: { tool: name, input } }
    return this.durable.wait(this.names.next('result'), question, caller?.timeoutMs)
  }

  private missing(name: string, input: unknown): Op {
    return this.durable.step({ kind: 'tool', name, input, access: 'read', hidden: true, reserve: ONE_CALL })
  }

  private step(name: string, input: unknown, denied?: string): Op {
    const recorded = this.durable.peek()
    const tool = this.services.tools.get(name)
    const reserve = isFree(tool, input) ? NOTHING : ONE_CALL
    if (recorded?.type === 'tool-start') {
      const { access, denied: was, hidden } = recorded
      return this.durable.step({ kind: 'tool', name, input, access, denied: was, hidden, reserve })
    }
    const repeatable = denied !== undefined || tool === undefined || tool.access === 'read' || tool.idempotent
    const access = repeatable ? 'read' : 'write'
    return this.durable.step({ kind: 'tool', name, input, access, denied, reserve })
  }
}

const WAITS_FOR_CALLER: Readonly<Record<Language, (call: string) => string>> = {
  en: (call) => `Waits for whoever started the run to give the result of ${call}`,
  zh: (call) => `等待启动方给出 ${call} 的结果`,
}

/** What models don't hear of; `read_result` they are told of where something was left out. */
function isHidden(name: string, tool: Tool | undefined): boolean {
  return isOwnProgram(name) || (tool?.hidden === true && name !== READ_RESULT)
}

/** A tool whose `isFree` throws is paid for. */
function isFree(tool: Tool | undefined, input: unknown): boolean {
  try {
    return tool?.isFree?.(input) === true
  } catch {
    return false
  }
}
