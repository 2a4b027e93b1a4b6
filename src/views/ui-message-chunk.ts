/**
 * The chunks of a UI message stream of the AI SDK, as far as a run has them. They are written down here so that nothing of `ai` is
 * imported; a stream of them is one that `createUIMessageStreamResponse` of `ai` takes.
 */
import type { Status } from '../protocol/index.ts'

export type UIMessageChunk =
  | { type: 'start'; messageId?: string; messageMetadata?: UIMessageMetadata }
  | { type: 'start-step' }
  | { type: 'reset-step' }
  | { type: 'finish-step' }
  | { type: 'text-start'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'text-end'; id: string }
  | { type: 'reasoning-start'; id: string; providerMetadata?: { thinkon: { path: string } } }
  | { type: 'reasoning-delta'; id: string; delta: string }
  | { type: 'reasoning-end'; id: string }
  | {
      type: 'tool-input-available'
      toolCallId: string
      toolName: string
      input: unknown
      dynamic: true
      /** Absent if the run's caller executes it: `run.answer(output, { question })`. */
      providerExecuted?: true
      title?: string
      providerMetadata?: { thinkon: { path: string; question?: number } }
    }
  | { type: 'tool-approval-request'; toolCallId: string; approvalId: string }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean }
  | {
      type: 'tool-output-available'
      toolCallId: string
      output: unknown
      dynamic: true
      providerExecuted?: true
    }
  | {
      type: 'tool-output-error'
      toolCallId: string
      errorText: string
      dynamic: true
      providerExecuted?: true
    }
  | { type: 'tool-output-denied'; toolCallId: string }
  | { type: 'data-thinkon-tree'; id: string; data: ThinkonTree }
  | { type: 'message-metadata'; messageMetadata: UIMessageMetadata }
  | { type: 'finish'; finishReason: 'stop' | 'length' | 'other'; messageMetadata: UIMessageMetadata }
  | { type: 'error'; errorText: string }
  | { type: 'abort'; reason?: string }

/** The metadata of the message; all but `run` when the run has ended. */
export interface UIMessageMetadata {
  run: string
  status?: Status
  reason?: string
  usage?: { calls: number; inputTokens: number; outputTokens: number; costUsd?: number }
}

/** The data of the part `data-thinkon-tree`: the run's blocks in the order of their start. It is given again, whole, as they change. */
export interface ThinkonTree {
  blocks: ThinkonTreeBlock[]
  /** How many blocks that have ended were left out: of a large tree, those that are open and those that ended last are here. */
  omitted: number
}

export interface ThinkonTreeBlock {
  path: string
  parent: string | null
  /** On one line, shortened. */
  goal: string
  strategy: string
  status: 'running' | 'waiting' | Status
  /** What it is doing: a tool's call, or the kind of a model's. */
  doing?: string
}
