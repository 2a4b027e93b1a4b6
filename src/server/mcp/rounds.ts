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
import {
  goalTitle,
  isObject,
  parseJson,
  type Question,
  type RunState,
  ThinkonError,
} from '../../protocol/index.ts'
import { pickChoice, wholeQuestion } from '../../views/questions.ts'
import { langOf } from '../../views/words.ts'
import type { Caller, Door } from './door.ts'
import { questionsInTurn } from './wait-for-run.ts'

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
  const questions = questionsInTurn(await service.engine.outline(flow.run))
  for (const [key, given] of Object.entries(inputResponses)) {
    const asked = questions.get(key)
    if (asked === undefined) {
      // What a model says steers, as what a person says.
      if (caller.may('steer')) desk?.answer(key, given)
      continue
    }
    const { path, open } = asked
    const response = inputResponse(inputResponses, key)
    const text =
      response.kind === 'elicit' && response.action === 'accept' ? response.content?.answer : undefined
    const value = typeof text === 'string' ? pickChoice(open, text) : undefined
    // Whoever works on the run may be elsewhere, and take the answer a moment later: it is not asked for again.
    declined.add(key)
    if (value !== undefined && caller.may('steer'))
      await service.engine.signal(flow.run, path, open.name, value)
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
    for (const [key, { path, open }] of questionsInTurn(state)) {
      if (open.question !== undefined && !flow.declined.includes(key))
        inputRequests[key] = formOf(state, path, open.question)
    }
  }
  if (caller.canSample) {
    for (const [key, asked] of door.desk?.take(flow.run) ?? [])
      inputRequests[key] = inputRequired.createMessage(asked.params(caller.callsTools))
  }
  if (Object.keys(inputRequests).length === 0) return null
  const requestState = JSON.stringify({ ...flow, round: flow.round + 1 })
  return inputRequired({ inputRequests, requestState })
}

function formOf(state: RunState, path: string, question: Question) {
  const { choices = [], fallback } = question
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
      },
      required: ['answer'],
    },
  })
}
