/** The tools of an engine: the caller's, as the kernel takes them, one that reads long results, and the approval of their use. */

import type { Approval } from '../../kernel/approval.ts'
import { READ_RESULT } from '../../kernel/brief/shown-result.ts'
import type { AnyStore } from '../../kernel/store.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { ApprovalConfig, KnownTool } from '../../protocol/index.ts'
import { createApproval, neverPermitted } from '../../tools/approval/approval.ts'
import { readResultTool } from '../../tools/builtin/read-result.ts'
import { toolRegistry } from '../../tools/registry.ts'
import { toolWithoutSecrets } from '../without-secrets.ts'
import { type OpenSources, openSources } from './open-sources.ts'
import { recordedText } from './recorded-text.ts'
import type { ToolSources } from './tool-source.ts'
import { userTool } from './user-tool.ts'

export interface Toolbox {
  readonly tools: readonly Tool[]
  /** The folder that the sources work in, of runs that name none. */
  readonly workspace?: string | undefined
  /** As recorded in the journal. */
  readonly known: readonly KnownTool[]
  /** The names of those that are not offered under this approval. */
  withheld(approval: ApprovalConfig): readonly string[]
  readonly approval?: Approval
  close(): Promise<void>
}

export async function openToolbox(given: ToolSources, store: AnyStore): Promise<Toolbox> {
  const opened = await openSources(given)
  try {
    return await toolboxOf(opened, store)
  } catch (error) {
    // What went wrong first is what the caller must know.
    await opened.close().catch(() => {})
    throw error
  }
}

async function toolboxOf(opened: OpenSources, store: AnyStore): Promise<Toolbox> {
  const made = toolRegistry(await Promise.all(opened.tools.map(userTool)))
  const tools = withReadResult(made, store)
  return {
    tools: tools.map(toolWithoutSecrets),
    workspace: opened.workspace,
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
function withReadResult(tools: readonly Tool[], store: AnyStore): readonly Tool[] {
  if (tools.some(({ name }) => name === READ_RESULT)) return tools
  const lookup = async (ref: string, run: string) => {
    const search = recordedText(ref)
    for await (const event of store.read(run)) search.follow(event)
    return search.text()
  }
  const reader = readResultTool(lookup)
  return [...tools, tools.length === 0 ? { ...reader, hidden: true } : reader]
}
