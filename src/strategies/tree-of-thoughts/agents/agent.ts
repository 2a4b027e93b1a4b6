/**
 * What an agent is: it begins the operations that an answer takes, and reads the answer from what they came to, so that many
 * requests can be under way at once. A model, a caller's function, another strategy's block or plain code: all are agents.
 */
import type { Op } from '../../../kernel/durable.ts'
import type { Context } from '../../../kernel/strategy.ts'
import type { Tool } from '../../../kernel/tool.ts'
import {
  type Result,
  ThinkonError,
  type ThoughtMessage,
  type ThoughtMessageType,
  type ThoughtPayloads,
} from '../../../protocol/index.ts'
import type { TotOptions } from '../schema.ts'

export interface Agent<Q extends ThoughtMessageType = ThoughtMessageType> {
  /** Its operations are model calls. */
  readonly asksModel?: boolean
  /** `again`: it failed before, and the request was made easier. */
  begin(request: ThoughtMessage<Q>, context: Context<TotOptions>, again: boolean): Op[]
  /** The payload of the answer, unchecked; throws what it failed with. */
  end(request: ThoughtMessage<Q>, results: readonly Result[]): unknown
}

/** What each request is answered with, and by whom. */
export const ANSWERS = {
  decompose_task: { type: 'decomposition_result', by: 'decomposer' },
  generate_thoughts: { type: 'generated_thoughts', by: 'generator' },
  evaluate_thoughts: { type: 'evaluation_results', by: 'evaluator' },
  synthesize_solution: { type: 'final_solution', by: 'synthesizer' },
} as const

export type Request = keyof typeof ANSWERS
export type AnswerPayload<Q extends Request> = ThoughtPayloads[(typeof ANSWERS)[Q]['type']]

/** Those that answer requests. The Explorer is code, and the Orchestrator's question is the type of the task. */
export type Agents = {
  readonly [Q in Request as (typeof ANSWERS)[Q]['by']]: Agent<Q>
}

/** A caller's own: from the request message to the answer's payload. It is run as a step, so its value must be JSON. */
export type AgentFunction<Q extends Request> = (
  request: ThoughtMessage<Q>,
  signal: AbortSignal,
) => AnswerPayload<Q> | Promise<AnswerPayload<Q>>

/** A caller's function as an agent, and the program that is its step. */
export function programAgent<Q extends Request>(
  name: string,
  run: AgentFunction<Q>,
): { agent: Agent<Q>; program: Tool } {
  return {
    program: {
      name,
      description: `answers for ${name}`,
      access: 'read',
      run: async (input, io) => run(input as ThoughtMessage<Q>, io.signal),
    },
    agent: {
      begin: (request, context) => [context.tool(name, request)],
      end: (_request, [result]) => took(result),
    },
  }
}

/** An agent that needs no operation. */
export function codeAgent<Q extends Request>(answer: (payload: ThoughtPayloads[Q]) => unknown): Agent<Q> {
  return { begin: () => [], end: (request) => answer(request.payload as ThoughtPayloads[Q]) }
}

/** What an operation came to, or throws what it failed with. */
export function took(result: Result | undefined): unknown {
  if (result?.ok) return result.value
  throw ThinkonError.fromJSON(result?.error ?? { code: 'INTERNAL', message: 'an operation has no result' })
}
