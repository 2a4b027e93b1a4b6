/** Requests and answers between agents: recorded, answers checked where they come in, many at once, in a fixed order. */
import { type ErrorCode, type ErrorData, errorData, type Result } from '../../../protocol/index.ts'
import type { Domain } from '../domains/domain.ts'
import { answerMessage, message } from '../messages.ts'
import type { ThoughtError, ThoughtMessage, ThoughtMessageType, ThoughtPayloads } from '../protocol.ts'
import type { TotContext } from '../schema.ts'
import type { Surroundings } from '../surroundings.ts'
import type { SearchWords } from '../words.ts'
import { type Agent, type Agents, ANSWERS, type AnswerPayload, type Request, unwrap } from './agent.ts'

/** The agents of one search, and what they share. */
export interface Team {
  readonly context: TotContext
  readonly taskId: string
  readonly problem: string
  readonly words: SearchWords
  readonly domain: Domain | null
  readonly agents: Agents
  readonly around: Surroundings | null
  readonly stats: { llmCalls: number; backtracks: number }
}

export type Reply<Q extends Request> =
  | { readonly ok: true; readonly payload: AnswerPayload<Q> }
  /** `cause` is what the operation failed with. */
  | { readonly ok: false; readonly error: ThoughtError; readonly cause: ErrorData }

/** Puts a message into the journal. */
export function send<T extends ThoughtMessageType>(
  team: Team,
  type: T,
  payload: ThoughtPayloads[T],
  error?: ThoughtError,
): void {
  const sent = message(type, team.taskId, payload)
  record(team, error === undefined ? sent : { ...sent, error })
}

function record<T extends ThoughtMessageType>({ context }: Team, sent: ThoughtMessage<T>): void {
  context.emit('tot/message', sent as ThoughtMessage)
}

export interface ExchangeOptions<Q extends Request> {
  /** Who answers instead of the team's own agent. */
  readonly by?: Agent<Q>
  /** It failed before, and the requests were made easier. */
  readonly again?: boolean
  /** Corrects an answer by what is known better than the agent knows it. */
  readonly amend?: (payload: AnswerPayload<Q>) => Promise<AnswerPayload<Q>>
}

/** Asks all at once. An answer that fails or can't be used is an error message; a limit ends the search. */
export async function exchange<Q extends Request>(
  team: Team,
  type: Q,
  payloads: readonly ThoughtPayloads[Q][],
  { again = false, amend, by }: ExchangeOptions<Q> = {},
): Promise<Reply<Q>[]> {
  const { context, taskId } = team
  const agent = by ?? (team.agents[ANSWERS[type].by] as unknown as Agent<Q>)
  const requests = payloads.map((payload) => message(type, taskId, payload))
  const begun = requests.map((request) => {
    record(team, request)
    return { request, ops: agent.begin(request, context, again, team.around) }
  })
  const ops = begun.flatMap((asked) => asked.ops)
  if (agent.asksModel) team.stats.llmCalls += ops.length
  const results = ops.length === 0 ? [] : await context.all(ops)
  const replies: Reply<Q>[] = []
  for (const { request, ops: own } of begun) {
    const ended = results.splice(0, own.length)
    const reply = readReply(team, type, ended, () => agent.end(request, ended))
    const last = reply.ok && amend !== undefined ? { ...reply, payload: await amend(reply.payload) } : reply
    replies.push(last)
    const answer = ANSWERS[type].type
    if (last.ok) send(team, answer, last.payload as never)
    else send(team, answer, NOTHING[answer] as never, last.error)
  }
  return replies
}

function readReply<Q extends Request>(
  { taskId }: Team,
  type: Q,
  results: readonly Result[],
  read: () => unknown,
): Reply<Q> {
  for (const result of results) if (endsSearch(result)) unwrap(result)
  try {
    const { payload } = answerMessage(ANSWERS[type].type, taskId, read())
    return { ok: true, payload: payload as AnswerPayload<Q> }
  } catch (thrown) {
    const cause = errorData(thrown, 'STRATEGY_ERROR')
    // The document has no code for a Decomposer or Synthesizer that fails: what they make is generated, too.
    const failed = type === 'evaluate_thoughts' ? 'EVALUATION_TIMEOUT' : 'GENERATION_FAILED'
    const code = cause.code === 'INVALID_FORMAT' ? 'INVALID_FORMAT' : failed
    return { ok: false, error: { code, message: cause.message, recoverable: true }, cause }
  }
}

/** Nothing that the search could do would help. */
export function endsSearch(result: Result): boolean {
  return !result.ok && ENDING.has(result.error.code)
}

const ENDING: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['LIMIT', 'LOOP', 'NO_MODEL'])

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
