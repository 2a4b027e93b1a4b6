/** The tools of an engine: the caller's, as the kernel takes them, one that reads long results, and the approval of their use. */

import type { Approval } from '../kernel/approval.ts'
import { READ_RESULT } from '../kernel/brief/shown-result.ts'
import type { Store } from '../kernel/store.ts'
import type { Tool } from '../kernel/tool.ts'
import type { ApprovalConfig, KnownTool } from '../protocol/index.ts'
import { createApproval, neverPermitted } from '../tools/approval/approval.ts'
import { readResultTool } from '../tools/builtin/read-result.ts'
import type { EngineOptions } from './api.ts'
import { recordedText } from './recorded-text.ts'
import { userTool } from './user-tool.ts'
import { toolWithoutSecrets } from './without-secrets.ts'

export interface Toolbox {
  readonly tools: readonly Tool[]
  /** As recorded in the journal. */
  readonly known: readonly KnownTool[]
  /** The names of those that are not offered under this approval. */
  withheld(approval: ApprovalConfig): readonly string[]
  readonly approval?: Approval
  close(): Promise<void>
}

export async function openToolbox(
  given: NonNullable<EngineOptions['tools']>,
  store: Store,
): Promise<Toolbox> {
  const opened = typeof given === 'function' ? await given() : { tools: given, close: async () => {} }
  const tools = withReadResult(await Promise.all(opened.tools.map(userTool)), store)
  return {
    tools: tools.map(toolWithoutSecrets),
    known: recordedTools(tools).map(({ name, description, access, input, hidden, executor }) => ({
      name,
      description,
      access,
      schema: input?.json ?? {},
      ...(hidden && { hidden }),
      ...(executor && { executor }),
    })),
    withheld: (approval) => neverPermitted(approval, offeredTools(tools)).map(({ name }) => name),
    approval: createApproval(),
    close: () => opened.close(),
  }
}

/** To models, or as executors; others are called by strategies alone. */
function offeredTools(tools: readonly Tool[]): readonly Tool[] {
  return recordedTools(tools).filter(({ hidden, executor }) => hidden !== true || executor !== undefined)
}

/** A reader that is only offered when it is needed is not one of the run's tools. */
function recordedTools(tools: readonly Tool[]): readonly Tool[] {
  return tools.filter(({ name, hidden }) => name !== READ_RESULT || hidden !== true)
}

/** Adds `read_result`, by which a model reads what was left out of a request. Without other tools it is offered only then. */
function withReadResult(tools: readonly Tool[], store: Store): readonly Tool[] {
  if (tools.some(({ name }) => name === READ_RESULT)) return tools
  const lookup = (ref: string, run: string) => recordedText(store.read(run), ref)
  const reader = readResultTool(lookup)
  return [...tools, tools.length === 0 ? { ...reader, hidden: true } : reader]
}
