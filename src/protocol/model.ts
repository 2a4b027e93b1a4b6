import type { Usage } from './budget.ts'
import type { ToolAccess } from './tool-access.ts'

export const ROLES = ['plan', 'act', 'judge', 'compact', 'synthesize'] as const
export type Role = (typeof ROLES)[number]

/**
 * One message of a request. A conversation is a list of them that only grows: the model's turns as it wrote them, each tool
 * result as a message of its own that names the call it answers.
 */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  /** The text, or its parts in order. A part that later requests repeat is stored once. */
  readonly content: string | readonly string[]
  /** Of an assistant's turn: the tools it called natively. Their results follow as tool messages. */
  readonly toolCalls?: readonly ToolCall[]
  /** Of an assistant's turn: what its provider wants back unchanged, such as signed reasoning. */
  readonly reasoning?: readonly ReasoningPart[]
  /** Of a tool message: the call that it answers. */
  readonly answers?: Pick<ToolCall, 'id' | 'name'>
}

/** A provider's reasoning, with what it needs to recognize it. Never shown to another provider. */
export interface ReasoningPart {
  readonly text: string
  readonly provider?: Readonly<Record<string, unknown>>
}

export interface ModelSettings {
  readonly temperature?: number
  readonly seed?: number
  readonly maxOutputTokens?: number
}

/**
 * One request. `kind` says what it is (`fractal/think`), `version` which wording of the prompt; `input` is the structured
 * input that the messages were rendered from. Language models get the messages; a program behind the same port may use
 * kind and input.
 */
export interface ModelRequest {
  readonly kind: string
  readonly version: number
  readonly role: Role
  readonly input?: unknown
  readonly messages: readonly Message[]
  /** The tools that the model may call. Models without native tool calls are told of them in words. */
  readonly tools?: readonly ToolSpec[]
  /** How a model without native tool calls asks for a tool in its reply; told only to such a model. */
  readonly toolRule?: string
  /** JSON Schema that the reply must satisfy. */
  readonly schema?: Readonly<Record<string, unknown>>
  readonly settings?: ModelSettings
}

/** A tool as described to a model. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** JSON Schema of its input. */
  readonly schema: Readonly<Record<string, unknown>>
}

/** A tool as a run knows it: recorded when the run starts, so that prompts are the same in every process. */
export interface KnownTool extends ToolSpec {
  readonly access: ToolAccess
  /** Not offered to models: strategies that know it call it by name. */
  readonly hidden?: true
  /** Set if the tool is an executor: what a planner judges by. */
  readonly executor?: ExecutorNote
  /** Whoever started the run executes it: a call waits for its result, at most so long. */
  readonly caller?: { readonly timeoutMs?: number }
}

/** An executor as described to a planner, in the words of executors.yaml. */
export interface ExecutorNote {
  readonly id: string
  readonly description: string
  readonly guarantees: readonly string[]
  readonly limits: readonly string[]
  readonly side_effects: readonly string[]
  /** Inputs of format `path` must be within these, from the workspace; without it, within the workspace. */
  readonly paths?: readonly string[]
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** What the provider wants back with the call, unchanged. */
  readonly provider?: Readonly<Record<string, unknown>>
}

/** A reply. `value` is the parsed reply, `text` the raw one: both are recorded, nothing is parsed twice. */
export interface ModelReply {
  readonly text: string
  readonly value?: unknown
  readonly toolCalls?: readonly ToolCall[]
  readonly reasoning?: readonly ReasoningPart[]
  readonly usage: Omit<Usage, 'calls'>
  /** Which model answered, if there were several to choose from. */
  readonly model?: string
  /** The provider did not report usage: the tokens were counted here. */
  readonly usageEstimated?: true
  /** The reply was cut off at the maximum length. The kernel completes it: a strategy never sees such a reply. */
  readonly cutOff?: true
  /** Where it was cut off, if the model gives less than the request asked for: it would not give more. */
  readonly cutAt?: number
  /** The repairs, by name, that were needed to read `value` from `text`; absent if none. */
  readonly repairs?: readonly string[]
  /** How often the model was asked until the reply was valid; absent if once. */
  readonly asks?: number
}

export function messageText(message: Message): string {
  return typeof message.content === 'string' ? message.content : message.content.join('')
}
