/**
 * What a run needs of its client while a call waits for it: a person's answers, by elicitation, and its model's, by sampling. Both come with
 * the result of the call, which the client then makes again with its answers (clients from before 2026-07-28 are asked in between,
 * in the same words: legacy-rounds.ts). In between nothing is kept here but the open questions themselves, so the call may be made again anywhere, also after a restart.
 */
import {
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server'
import type { Engine } from '../../engine/api.ts'
import {
  goalTitle,
  isObject,
  type PendingQuestion,
  parseJson,
  type RunState,
  ThinkonError,
} from '../../protocol/index.ts'
import { wholeQuestion } from '../../views/questions.ts'
import { langOf } from '../../views/words.ts'
import type { Caller, Door } from './door.ts'
import { questionsByKey } from './wait-for-run.ts'

/** What comes back with the answers. It is the client's to change: it says no more than the arguments of `wait` could. */
export interface Flow {
  readonly run: string
  /** How often the client has been asked. */
  readonly round: number
  /** The questions, by key, that the person has answered, or does not want to answer here. */
  readonly declined: readonly string[]
}

/** Clients of 2026-07-28 give up after ten rounds, by default: before that, the call returns the run's handle. */
const MAX_ROUNDS = 8

export function flowOf({ context }: Caller): Flow | null {
  const given = context.mcpReq.requestState()
  if (given === undefined) return null
  const flow = parseJson(String(given))
  const { run, round, declined } = isObject(flow) ? flow : {}
  if (typeof run !== 'string' || typeof round !== 'number' || !Array.isArray(declined))
    throw new ThinkonError('BAD_INPUT', 'the requestState is not one of this server: call again without it')
  return { run, round, declined: declined.map(String) }
}

/** Passes on what the client has answered; returns the flow with what was declined. */
export async function takeAnswers(door: Door, caller: Caller, flow: Flow): Promise<Flow> {
  const { service, desk } = door
  const { inputResponses = {} } = caller.context.mcpReq
  const declined = new Set(flow.declined)
  const questions = questionsByKey(await service.engine.outline(flow.run))
  for (const [key, given] of Object.entries(inputResponses)) {
    const asked = questions.get(key)
    if (asked === undefined) {
      // What a model says steers, as what a person says.
      if (caller.may('answer')) desk?.answer(key, given)
      continue
    }
    const response = inputResponse(inputResponses, key)
    const { answer, other } =
      (response.kind === 'elicit' && response.action === 'accept' && response.content) || {}
    const text = typeof other === 'string' && other !== '' ? other : answer
    const isTaken =
      caller.may('answer') && text !== undefined && (await isAccepted(service.engine, asked, text))
    if (!isTaken) declined.add(key)
  }
  return { ...flow, declined: [...declined] }
}

/** What the client is asked; null if there is nothing, or it has been asked often enough in this call. */
export function nextRound(
  door: Door,
  caller: Caller,
  flow: Flow,
  state: RunState,
): InputRequiredResult | null {
  if (caller.isModern && flow.round >= MAX_ROUNDS) return null
  const inputRequests: InputRequests = {}
  if (caller.canElicit) {
    for (const [key, question] of questionsByKey(state))
      if (!flow.declined.includes(key)) inputRequests[key] = formOf(state, question)
  }
  if (caller.canSample) {
    for (const [key, asked] of door.desk?.take(flow.run) ?? [])
      inputRequests[key] = inputRequired.createMessage(asked.params(caller.callsTools))
  }
  if (Object.keys(inputRequests).length === 0) return null
  const requestState = JSON.stringify({ ...flow, round: flow.round + 1 })
  return inputRequired({ inputRequests, requestState })
}

/** False if the question is not open any more, or the answer is none. */
async function isAccepted(engine: Engine, { run, id }: PendingQuestion, answer: unknown): Promise<boolean> {
  try {
    await engine.answer(run, answer, { question: id })
    return true
  } catch (thrown) {
    if (!ThinkonError.isInstance(thrown) || !REFUSED.has(thrown.code)) throw thrown
    return false
  }
}

const REFUSED: ReadonlySet<string> = new Set(['QUESTION_NOT_OPEN', 'INVALID_ANSWER'])

function formOf(state: RunState, question: PendingQuestion) {
  const { path, choices = [], other, fallback } = question
  const block = state.blocks.get(path)
  const about = block === undefined ? '' : `${path} ${goalTitle(block.goal, 80)}\n\n`
  const isChoice = choices.length > 0
  return inputRequired.elicit({
    message: `${about}${wholeQuestion(question, langOf(state.goal))}`,
    requestedSchema: {
      type: 'object',
      properties: {
        answer: {
          type: 'string',
          title: 'Answer',
          ...(isChoice && { enum: [...choices] }),
          ...(fallback !== undefined && (!isChoice || choices.includes(fallback)) && { default: fallback }),
        },
        ...(other &&
          isChoice && { other: { type: 'string', title: 'Other', description: 'Instead of a choice' } }),
      },
      required: other ? [] : ['answer'],
    },
  })
}
