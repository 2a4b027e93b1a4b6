/**
 * The ReAct runtime: observe, orient, decide, act, reflect, until the task is finished, spins, or has used up its iterations.
 * Running out of iterations is not completion: it ends with what there is, and says so.
 */
import type { Answer, Context } from '../../../kernel/strategy.ts'
import {
  type LimitName,
  type ModelReply,
  type Result,
  shorten,
  ThinkonError,
} from '../../../protocol/index.ts'
import { tryValue } from '../../read-value.ts'
import { closePrompt, compactPrompt, decidePrompt } from '../prompts/index.ts'
import type { DualOptions, TaskBrief } from '../schema.ts'
import { type Action, createRegistry, type Decision, type Observation, type Registry } from './action.ts'
import { ACTIONS, WAIT } from './actions.ts'
import { fold, foldSummaries, newHistory, plainSummary, tooLong, tooManySummaries } from './history.ts'
import { type Loop, resultOf, toolsOf } from './loop.ts'
import { loadMemories, saveMemories } from './memory.ts'
import { reflectOn } from './reflect.ts'
import { actionRecord, sameActionSpin } from './spin.ts'

const MAX_ASKS = 3
/** Told, told harder, ended. */
const MAX_SPINS = 2

/** `actions` are those there are: which of them can be taken is decided anew in each iteration. */
export async function performTask(
  context: Context<DualOptions>,
  brief: TaskBrief,
  actions: readonly Action[] = ACTIONS,
): Promise<Answer> {
  const loop = newLoop(context, brief)
  try {
    return await iterate(loop, actions)
  } catch (thrown) {
    return await endEarly(loop, thrown)
  }
}

async function iterate(loop: Loop, actions: readonly Action[]): Promise<Answer> {
  const { context } = loop
  const { maxIterations } = context.options
  for (loop.iteration = 1; loop.iteration <= maxIterations; loop.iteration++) {
    loop.memories = await loadMemories(loop)
    const registry = createRegistry(actions, loop)
    const decisions = await decide(loop, registry)
    const observations = await act(loop, decisions)
    const answer = observations.find((observation) => observation.answer !== undefined)?.answer
    if (answer !== undefined) {
      await saveMemories(loop, decisions, answer)
      return answer
    }
    if (sameActionSpin(loop.records)) loop.spins++
    if (loop.spins <= MAX_SPINS) await reflectOn(loop, observations)
    if (loop.spins > MAX_SPINS) throw spinning(context.path)
    await compact(loop)
  }
  const reason = `${context.path}: the limit of iterations (maxIterations, ${maxIterations}) is reached, and the task is not finished`
  throw new ThinkonError('LIMIT', reason, { data: { limit: 'calls', iterations: maxIterations } })
}

/** What the model wants to do next, verified; what can't be done is told and asked again. */
async function decide(loop: Loop, registry: Registry): Promise<readonly Decision[]> {
  let problem = ''
  for (let asks = 1; ; asks++) {
    const reply = await awaitBeside(loop, decidePrompt(loop, registry.actions, problem))
    const values = wanted(reply)
    const decided = values.map((value) => registry.decide(value, loop))
    const wrong = decided.find((one) => 'problem' in one) as { problem: string } | undefined
    if (wrong === undefined) return decided as Decision[]
    problem = wrong.problem
    loop.context.emit('dual/action-refused', { iteration: loop.iteration, problem })
    if (asks === MAX_ASKS) throw new ThinkonError('INVALID_FORMAT', `the reply can't be used: ${problem}`)
  }
}

/** Native tool calls are actions like any other. */
function wanted(reply: ModelReply): readonly unknown[] {
  if (reply.toolCalls === undefined || reply.toolCalls.length === 0) return [tryValue(reply)]
  return reply.toolCalls.map(({ name, input }) => ({ action: 'require_tool', tool: name, params: input }))
}

/** The model's reply; what goes on beside the loop and ends meanwhile is observed. */
async function awaitBeside(loop: Loop, request: Parameters<Context['model']>[0]): Promise<ModelReply> {
  const { context } = loop
  const op = context.model(request)
  while (loop.aside !== null) {
    const { ops } = loop.aside.begun
    if ((await context.first([op, ...ops])) === 0) break
    await endAside(loop)
  }
  return context.one(op)
}

async function act(loop: Loop, decisions: readonly Decision[]): Promise<readonly Observation[]> {
  const { context, iteration } = loop
  for (const { action, params, thought } of decisions)
    context.emit('dual/action-begun', { iteration, action: action.name, params, thought })
  const [first] = decisions
  if (first?.action.name === WAIT && loop.aside !== null) return [await endAside(loop)]
  if (first?.action.mayGoAside && first.params.aside === true) return [goAside(loop, first)]
  const begun = decisions.map(({ action, params }) => action.begin?.(params, loop) ?? null)
  const results = await context.all(begun.flatMap((one) => one?.ops ?? []))
  refuseLimits(results)
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

function goAside(loop: Loop, { action, params, thought }: Decision): Observation {
  const begun = action.begin?.(params, loop)
  if (begun === undefined) throw new ThinkonError('STRATEGY_ERROR', `${action.name} can't go on beside`)
  loop.aside = { action, params, begun, iteration: loop.iteration }
  const observation: Observation = { text: 'it goes on beside; its outcome will be told' }
  observe(loop, { action, params, thought }, observation, loop.iteration)
  return observation
}

async function endAside(loop: Loop): Promise<Observation> {
  const { aside, context } = loop
  if (aside === null) throw new ThinkonError('STRATEGY_ERROR', 'nothing goes on beside')
  const results = await context.all(aside.begun.ops)
  const observation = aside.begun.read(results)
  loop.aside = null
  observe(loop, { action: aside.action, params: aside.params, thought: '' }, observation, aside.iteration)
  return observation
}

function observe(loop: Loop, decision: Decision, observation: Observation, iteration: number): void {
  const { action, params, thought } = decision
  const { text, failed } = observation
  loop.history.items.push({ iteration, action: action.name, params, thought, observation })
  loop.records.push(
    actionRecord(
      {
        action_type: action.name,
        action_name: nameOf(decision),
        action_params: params,
        iteration_index: iteration,
      },
      [observation.text, observation.data],
    ),
  )
  if (loop.records.length > 100) loop.records.splice(0, 50)
  loop.context.emit('dual/action-ended', {
    iteration,
    action: action.name,
    ...(failed && { failed }),
    about: shorten(text, 300),
  })
}

function nameOf({ action, params }: Decision): string {
  return typeof params.tool === 'string' ? `${action.name} ${params.tool}` : action.name
}

/** A limit is not an action's failure: it ends the loop. */
function refuseLimits(results: readonly Result[]): void {
  const limit = results.find((result) => !result.ok && result.error.code === 'LIMIT')
  if (limit !== undefined && !limit.ok) throw ThinkonError.fromJSON(limit.error)
}

/** Compaction is a step of the block that owns the text. Without the model a line is kept of each item. */
async function compact(loop: Loop): Promise<void> {
  const { history, context } = loop
  for (let long = tooLong(history); long !== null; long = tooLong(history)) {
    const summary = await summed(loop, long.text)
    fold(history, long.count, summary ?? plainSummary(history.items.slice(0, long.count)))
    context.emit('dual/history-compacted', { items: long.count, summaries: history.summaries.length })
    const many = tooManySummaries(history)
    if (many !== null) foldSummaries(history, many.length, await summed(loop, many.join('\n')))
  }
}

async function summed(loop: Loop, text: string): Promise<string | null> {
  const reply = await resultOf(loop.context, loop.context.model(compactPrompt(loop, text)))
  if (!reply.ok) return null
  const value = tryValue(reply.value as ModelReply) as { summary?: unknown } | undefined
  return typeof value?.summary === 'string' && value.summary.trim() !== '' ? value.summary : null
}

/** A limit, a spin or no more iterations: what there is, in a few words, as a partial outcome. */
async function endEarly(loop: Loop, thrown: unknown): Promise<Answer> {
  const { context, history } = loop
  if (!ThinkonError.isInstance(thrown)) throw thrown
  const { code, message } = thrown
  if (code !== 'LIMIT' && code !== 'LOOP') throw thrown
  context.emit('dual/loop-ended', { code, message, iteration: loop.iteration })
  const iterations = thrown.data.iterations !== undefined
  const limit = iterations ? undefined : (thrown.data.limit as LimitName | undefined)
  const ending = {
    status: 'partial',
    reason: message,
    ...(iterations ? {} : { code }),
    ...(limit !== undefined && { limit }),
  } as const
  if (history.items.length === 0) return { ...ending, result: context.block.done.join('\n') }
  const [reply] = await context.all([context.model(closePrompt(loop, message), { closing: true })])
  const value = reply?.ok ? (tryValue(reply.value) as { result?: unknown } | undefined) : undefined
  const result = typeof value?.result === 'string' ? value.result : plainSummary(history.items)
  return { ...ending, result }
}

function spinning(path: string): ThinkonError {
  return new ThinkonError('LOOP', `${path}: the task goes round in circles, though it was told`, {
    data: { path },
  })
}

function newLoop(context: Context<DualOptions>, brief: TaskBrief): Loop {
  return {
    context,
    brief,
    tools: toolsOf(context),
    history: newHistory(),
    records: [],
    reflections: [],
    iteration: 0,
    spins: 0,
    memories: '',
    aside: null,
  }
}
