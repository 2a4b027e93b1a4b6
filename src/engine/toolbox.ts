/** The tools of an engine: the caller's, as the kernel takes them, one that reads long results, and the approval of their use. */

import type { Approval } from '../kernel/approval.ts'
import type { Store } from '../kernel/store.ts'
import type { Tool } from '../kernel/tool.ts'
import type { KnownTool } from '../protocol/index.ts'
import { createApproval } from '../tools/approval/approval.ts'
import { readResultTool } from '../tools/builtin/read-result.ts'
import type { EngineOptions } from './api.ts'
import { userTool } from './user-tool.ts'
import { toolWithoutSecrets } from './without-secrets.ts'

export interface Toolbox {
  readonly tools: readonly Tool[]
  /** As recorded in the journal. */
  readonly known: readonly KnownTool[]
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
    known: tools.map(({ name, description, access, input, hidden, executor }) => ({
      name,
      description,
      access,
      schema: input?.json ?? {},
      ...(hidden && { hidden }),
      ...(executor && { executor }),
    })),
    approval: createApproval(),
    close: () => opened.close(),
  }
}

/** Adds `read_result`, which reads long results in parts from the journal, which has them in full. */
function withReadResult(tools: readonly Tool[], store: Store): readonly Tool[] {
  if (tools.length === 0 || tools.some(({ name }) => name === 'read_result')) return tools
  const lookup = (ref: string, run: string): string | undefined => {
    for (const event of store.read(run)) {
      if (event.type !== 'tool-end' || `${event.path}/${event.n}` !== ref) continue
      return event.result.ok ? JSON.stringify(event.result.value) : event.result.error.message
    }
    return undefined
  }
  return [...tools, readResultTool(lookup)]
}
