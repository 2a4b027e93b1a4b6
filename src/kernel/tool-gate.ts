/**
 * How a tool call begins: at once; as a question to a person (a tool that asks); with a person's permission; or not at all, as a
 * step that fails with the reason. Whichever it is, it is on record, and what is on record is done when the block is executed
 * again, whatever tools and policy the process then has.
 */

import { errorData, type Reserve, type Result, type RunConfig } from '../protocol/index.ts'
import { APPROVE_SIGNAL, type Approval, type Call } from './approval.ts'
import type { Durable, Op } from './durable.ts'
import { isOwnProgram, type Tool } from './tool.ts'

const ONE_CALL: Reserve = { calls: 1, tokens: 0, costUsd: 0 }

export interface BegunCall {
  readonly op: Op
  /** The operation asks for permission; the call comes after. */
  readonly needsPermission: boolean
}

export class ToolGate {
  private readonly durable: Durable
  private readonly tools: ReadonlyMap<string, Tool>
  private readonly approval: Approval | null
  private readonly config: RunConfig
  /** Calls that a person answered `always` to, in this block. */
  private readonly granted: Call[] = []

  constructor(
    durable: Durable,
    tools: ReadonlyMap<string, Tool>,
    approval: Approval | null,
    config: RunConfig,
  ) {
    this.durable = durable
    this.tools = tools
    this.approval = approval
    this.config = config
  }

  begin(name: string, input: unknown): BegunCall {
    const recorded = this.durable.peek()
    if (recorded?.type === 'signal-asked') {
      const op = this.durable.wait(recorded.name, recorded.question)
      return { op, needsPermission: recorded.name === APPROVE_SIGNAL }
    }
    if (recorded !== null) return { op: this.step(name, input), needsPermission: false }
    const tool = this.tools.get(name)
    if (tool?.asks !== undefined) return { op: this.ask(tool, input), needsPermission: false }
    const decision =
      tool === undefined || isOwnProgram(name)
        ? undefined
        : this.approval?.decide(this.config, { tool, input }, this.granted)
    if (decision?.verdict === 'ask') {
      return { op: this.durable.wait(APPROVE_SIGNAL, decision.question), needsPermission: true }
    }
    return {
      op: this.step(name, input, decision?.verdict === 'deny' ? decision.reason : undefined),
      needsPermission: false,
    }
  }

  /** A person has answered whether the tool may be called. */
  answered(name: string, input: unknown, answer: Result): Op {
    const said = this.approval?.read(answer.ok ? answer.value : 'no')
    const tool = this.tools.get(name)
    if (said?.always && tool !== undefined) this.granted.push({ tool, input })
    return this.step(name, input, said?.allowed ? undefined : 'a person said no')
  }

  /** A question that can't be read goes back to the model as the call's failure. */
  private ask(tool: Tool, input: unknown): Op {
    try {
      return this.durable.wait('answer', tool.asks?.(input))
    } catch (thrown) {
      return this.step(tool.name, input, errorData(thrown, 'TOOL_ERROR').message)
    }
  }

  private step(name: string, input: unknown, denied?: string): Op {
    const recorded = this.durable.peek()
    if (recorded?.type === 'tool-start') {
      const { access, denied: was } = recorded
      return this.durable.step({ kind: 'tool', name, input, access, denied: was, reserve: ONE_CALL })
    }
    const tool = this.tools.get(name)
    const repeatable = denied !== undefined || tool === undefined || tool.access === 'read' || tool.idempotent
    const access = repeatable ? 'read' : 'write'
    return this.durable.step({ kind: 'tool', name, input, access, denied, reserve: ONE_CALL })
  }
}
