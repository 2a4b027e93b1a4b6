/** Requests and answers between agents: checked and recorded where they cross, many at once, in a fixed order. */
import type { Op } from '../../../kernel/durable.ts'
import type { Context } from '../../../kernel/strategy.ts'
import {
  type ErrorCode,
  type ErrorData,
  errorData,
  type Result,
  THOUGHT_MESSAGE,
  type ThoughtError,
  type ThoughtMessageType,
  type ThoughtPayloads,
} from '../../../protocol/index.ts'
import { message } from '../messages.ts'
import type { TotOptions } from '../schema.ts'
import { type Agent, type Agents, ANSWERS, type AnswerPayload, type Request, took } from './agent.ts'

/** What the agents of one search have in common. */
export interface Desk {
  readonly context: Context<TotOptions>
  readonly taskId: string
  readonly agents: Agents
  readonly stats: { llmCalls: number; backtracks: number }
}

export type Reply<Q extends Request> =
  | { readonly ok: true; readonly payload: AnswerPayload<Q> }
  /** `cause` is what the operation failed with. */
  | { readonly ok: false; readonly error: ThoughtError; readonly cause: ErrorData }

/** Puts a message into the journal. */
export function say<T extends ThoughtMessageType>(
  desk: Pick<Desk, 'context' | 'taskId'>,
  type: T,
  payload: ThoughtPayloads[T],
  error?: ThoughtError,
): void {
  const said = message(type, desk.taskId, payload)
  desk.context.emit(THOUGHT_MESSAGE, error === undefined ? said : { ...said, error })
}

export interface Asking<Q extends Request> {
  /** It failed before, and the requests were made easier. */
  readonly again?: boolean
  /** What is known better than the agent knows it. */
  readonly amend?: (payload: AnswerPayload<Q>) => Promise<AnswerPayload<Q>>
}

/** Asks all at once. An answer that fails or can't be used is an error message; a limit ends the search. */
export async function exchange<Q extends Request>(
  desk: Desk,
  type: Q,
  payloads: readonly ThoughtPayloads[Q][],
  { again = false, amend }: Asking<Q> = {},
): Promise<Reply<Q>[]> {
  const { context, taskId } = desk
  const agent = desk.agents[ANSWERS[type].by] as unknown as Agent<Q>
  const requests = payloads.map((payload) => message(type, taskId, payload))
  const begun = requests.map((request) => {
    context.emit(THOUGHT_MESSAGE, request)
    return agent.begin(request, context, again)
  })
  const ops: Op[] = begun.flat()
  if (agent.asksModel) desk.stats.llmCalls += ops.length
  const results = ops.length === 0 ? [] : await context.all(ops)
  const replies: Reply<Q>[] = []
  let at = 0
  for (const [i, request] of requests.entries()) {
    const own = results.slice(at, at + (begun[i] as Op[]).length)
    at += own.length
    const reply = answered(desk, type, own, () => agent.end(request, own))
    const last = reply.ok && amend !== undefined ? { ...reply, payload: await amend(reply.payload) } : reply
    replies.push(last)
    if (last.ok) say(desk, ANSWERS[type].type, last.payload as never)
    else say(desk, ANSWERS[type].type, NOTHING[ANSWERS[type].type] as never, last.error)
  }
  return replies
}

function answered<Q extends Request>(
  desk: Desk,
  type: Q,
  results: readonly Result[],
  read: () => unknown,
): Reply<Q> {
  for (const result of results) if (endsSearch(result)) took(result)
  try {
    const { payload } = message(ANSWERS[type].type, desk.taskId, read())
    return { ok: true, payload: payload as AnswerPayload<Q> }
  } catch (thrown) {
    const cause = errorData(thrown, 'STRATEGY_ERROR')
    const code = cause.code === 'INVALID_FORMAT' ? 'INVALID_FORMAT' : FAILURES[type]
    return { ok: false, error: { code, message: cause.message, recoverable: true }, cause }
  }
}

/** There is nothing that the search could do about it. */
export function endsSearch(result: Result): boolean {
  return !result.ok && ENDING.has(result.error.code)
}

const ENDING: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['LIMIT', 'LOOP', 'NO_MODEL'])

/** The document has no code for a Decomposer or Synthesizer that fails: what they make is generated, too. */
const FAILURES: Readonly<Record<Request, ThoughtError['code']>> = {
  decompose_task: 'GENERATION_FAILED',
  generate_thoughts: 'GENERATION_FAILED',
  evaluate_thoughts: 'EVALUATION_TIMEOUT',
  synthesize_solution: 'GENERATION_FAILED',
}

/** What stands in the message of an agent that failed. */
const NOTHING: Readonly<{ [Q in Request as (typeof ANSWERS)[Q]['type']]: AnswerPayload<Q> }> = {
  decomposition_result: {
    thought_granularity: '',
    intermediate_steps: [],
    depth_estimate: 0,
    constraints: [],
    success_criteria: '',
  },
  generated_thoughts: { candidates: [] },
  evaluation_results: { evaluations: [], ranking: [], pruning_suggestions: [] },
  final_solution: { answer: '', reasoning_trace: [], confidence: 0, verification: { is_valid: false } },
}
