/**
 * What an agent is: it begins the operations that an answer takes, and reads the answer from their results, so that many
 * requests can be under way at once. A model, a caller's function, another strategy's block or plain code: all are agents.
 */
import type { Op } from '../../../kernel/durable.ts'
import type { Tool } from '../../../kernel/tool.ts'
import { type Result, ThinkonError } from '../../../protocol/index.ts'
import type { ThoughtMessage, ThoughtMessageType, ThoughtPayloads } from '../protocol.ts'
import type { TotContext } from '../schema.ts'
import type { Surroundings } from '../surroundings.ts'

export interface Agent<Q extends ThoughtMessageType = ThoughtMessageType> {
  /** Its operations are model calls. */
  readonly asksModel?: boolean
  /** `again`: it failed before, and the request was made easier. */
  begin(request: ThoughtMessage<Q>, context: TotContext, again: boolean, around: Surroundings | null): Op[]
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

/** A caller's function as a step. */
export function programOf<Input>(name: string, run: (input: Input, signal: AbortSignal) => unknown): Tool {
  return {
    name,
    description: `answers for ${name}`,
    access: 'read',
    run: async (input, io) => run(input as Input, io.signal),
  }
}

/** The agent that has its requests answered by this program. */
export function programAgent<Q extends Request>(program: string): Agent<Q> {
  return {
    begin: (request, context) => [context.ownTool(program, request)],
    end: (_request, [result]) => unwrap(result),
  }
}

/** An agent that needs no operation. */
export function codeAgent<Q extends Request>(answer: (payload: ThoughtPayloads[Q]) => unknown): Agent<Q> {
  return { begin: () => [], end: (request) => answer(request.payload as ThoughtPayloads[Q]) }
}

/** The value of an operation, or throws what it failed with. */
export function unwrap(result: Result | undefined): unknown {
  if (result?.ok) return result.value
  throw ThinkonError.fromJSON(result?.error ?? { code: 'INTERNAL', message: 'an operation has no result' })
}
