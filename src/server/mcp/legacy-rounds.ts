/**
 * Clients from before 2026-07-28 are asked while their call is open, and the call goes on with what they answer. Whatever goes wrong with a
 * question, a client that refuses, breaks off or answers nonsense, the call still ends with the handle of its run.
 */
import type {
  CallToolResult,
  CreateMessageRequestParams,
  ElicitRequestFormParams,
  InputRequiredResult,
} from '@modelcontextprotocol/server'
import { errorText } from '../../protocol/index.ts'
import type { Caller } from './door.ts'

type Result = CallToolResult | InputRequiredResult

/** A person has as long as a model. */
const ANSWER_MS = 600_000

export async function inRounds(
  caller: Caller,
  call: (caller: Caller) => Promise<Result>,
): Promise<CallToolResult> {
  const { mcpReq } = caller.context
  let result = await call(caller)
  while (isAsking(result)) {
    const { inputRequests = {}, requestState } = result
    const answers = Object.entries(inputRequests).map(async ([key, request]) => [
      key,
      await answerTo(caller, request as Asked),
    ])
    const inputResponses = Object.fromEntries(await Promise.all(answers))
    mcpReq.signal.throwIfAborted()
    const next = { ...mcpReq, inputResponses, requestState: () => requestState }
    result = await call({ ...caller, context: { ...caller.context, mcpReq: next as typeof mcpReq } })
  }
  return result
}

function isAsking(result: Result): result is InputRequiredResult {
  return result.resultType === 'input_required'
}

type Asked =
  | { method: 'elicitation/create'; params: ElicitRequestFormParams }
  | { method: 'sampling/createMessage'; params: CreateMessageRequestParams }

async function answerTo({ context: { mcpReq } }: Caller, asked: Asked): Promise<unknown> {
  const options = { timeout: ANSWER_MS, signal: mcpReq.signal }
  try {
    return asked.method === 'elicitation/create'
      ? await mcpReq.elicitInput(asked.params, options)
      : await mcpReq.requestSampling(asked.params, options)
  } catch (thrown) {
    return asked.method === 'elicitation/create' ? { action: 'decline' } : { refused: errorText(thrown) }
  }
}
