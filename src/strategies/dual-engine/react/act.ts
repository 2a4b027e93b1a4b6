/** Takes the actions that were decided on, and observes their results. */
import { fence } from '../../../kernel/fence.ts'
import { type Result, shorten, ThinkonError } from '../../../protocol/index.ts'
import { batchSize, isRefused } from '../../call-tools.ts'
import type { Observation } from '../prompts/observation.ts'
import { WAIT } from './action-names.ts'
import type { BackgroundAction, Begun, Decision, Loop } from './loop.ts'
import { actionRecord } from './reflect.ts'

const MAX_RECORDS = 100

export async function act(loop: Loop, decisions: readonly Decision[]): Promise<readonly Observation[]> {
  const { context, iteration, background } = loop
  for (const { action, params, thought } of decisions)
    context.emit('dual/action-begun', { iteration, action: action.name, params, thought })
  const [first] = decisions
  if (first?.action.name === WAIT && background !== null) return [await endBackground(loop, background)]
  if (first?.action.mayRunInBackground && first.params.aside === true) return [beginBackground(loop, first)]
  const { begun, results } = await perform(loop, decisions)
  const observations: Observation[] = []
  for (const [i, decision] of decisions.entries()) {
    const one = begun[i] ?? null
    const observation =
      one === null
        ? ((await decision.action.run?.(decision.params, loop)) as Observation)
        : one.read(results.splice(0, one.ops.length))
    observe(loop, decision, observation, iteration)
    observations.push(observation)
  }
  return observations
}

/** Begins as many actions at once as there are calls left. A limit is not an action's failure: it ends the loop. */
async function perform(loop: Loop, decisions: readonly Decision[]) {
  const { context } = loop
  const begun: (Begun | null)[] = []
  const results: Result[] = []
  while (begun.length < decisions.length) {
    const batch = decisions.slice(begun.length, begun.length + batchSize(context))
    const started = batch.map(({ action, params }) => action.begin?.(params, loop) ?? null)
    begun.push(...started)
    const ended = await context.all(started.flatMap((one) => one?.ops ?? []))
    results.push(...ended)
    const refused = ended.find(isRefused)
    const left = decisions.length - begun.length
    if (refused !== undefined && left > 0) context.emit('tool-calls-refused', { refused: left })
    if (refused?.ok === false) throw ThinkonError.fromJSON(refused.error)
  }
  return { begun, results }
}

function beginBackground(loop: Loop, decision: Decision): Observation {
  const { action, params } = decision
  const begun = action.begin?.(params, loop)
  if (begun === undefined)
    throw new ThinkonError('STRATEGY_ERROR', `${action.name} can't run in the background`)
  loop.background = { action, params, begun, iteration: loop.iteration }
  const observation: Observation = { text: 'It goes on meanwhile; its outcome will be told.' }
  observe(loop, decision, observation, loop.iteration)
  return observation
}

export async function endBackground(
  loop: Loop,
  { action, params, begun, iteration }: BackgroundAction,
): Promise<Observation> {
  const observation = begun.read(await loop.context.all(begun.ops))
  loop.background = null
  observe(loop, { action, params, thought: '' }, observation, iteration)
  return observation
}

function observe(loop: Loop, decision: Decision, observation: Observation, iteration: number): void {
  const { params } = decision
  const { text, data, failed } = observation
  const action = decision.action.name
  const { results: _, line: __, ...seen } = observation
  loop.history.push({ action, params, ...seen })
  tell(loop, decision, observation)
  const done = {
    action_type: action,
    action_name: typeof params.tool === 'string' ? `${action} ${params.tool}` : action,
    action_params: params,
    iteration_index: iteration,
  }
  loop.records.push(actionRecord(done, [text, data]))
  if (loop.records.length > MAX_RECORDS) loop.records.splice(0, MAX_RECORDS / 2)
  const about = shorten(text, 300)
  loop.context.emit('dual/action-ended', { iteration, action, ...(failed && { failed }), about })
}

/** In the conversation: results of calls as such, anything else in words. The answer that ends the loop is nobody's news. */
function tell({ conversation }: Loop, { action, callId }: Decision, observation: Observation): void {
  const { text, data, failed, keep, answer, results, line } = observation
  if (answer !== undefined) return
  const options = { ...(keep && { keep }), ...(failed && { failed }), ...(line !== undefined && { line }) }
  if (results !== undefined) {
    const answered = results.map((one) =>
      callId === undefined ? one : { ...one, call: { ...one.call, id: callId } },
    )
    conversation.answer(answered, options)
  } else {
    const fenced = data === undefined ? '' : `\n${fence(action.name, data)}`
    conversation.say(`${failed ? 'FAILED: ' : ''}${text}${fenced}`, options)
  }
}
