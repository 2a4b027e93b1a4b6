/**
 * The ReAct runtime: observe, orient, decide, act, reflect, until the task is finished, spins, or has used up its iterations.
 * Running out of iterations is not completion: the task ends with what it has, and says so.
 */
import { Conversation } from '../../../kernel/brief/conversation.ts'
import { endingOf, endsEarly } from '../../../kernel/ending.ts'
import type { Answer, Context } from '../../../kernel/strategy.ts'
import { languageOf, oneLine, shorten, ThinkonError } from '../../../protocol/index.ts'
import { loadMemories, type Memory, memorySection, saveMemories, tellMemories } from '../memory.ts'
import { taskSections } from '../prompts/sections.ts'
import type { DualOptions, TaskBrief } from '../schema.ts'
import { type DualContext, fieldsOf, resultOf, toolsOf } from '../scope.ts'
import { act } from './act.ts'
import { compact } from './compact.ts'
import { availableActions, decide } from './decide.ts'
import type { Action, Decision, Loop } from './loop.ts'
import { closeBrief, decideBrief } from './prompts.ts'
import { reflectOn, sameActionSpin } from './reflect.ts'

/** Spins of equal actions: the first two are reflected on, the next one ends the task. */
const MAX_SPINS = 2

/** What a loop is given. */
export interface Means {
  /** All known ones; which of them are available is decided in each iteration. */
  readonly actions: readonly Action[]
  /** A recorded look at how far the plan is; null where that is not known. */
  look(context: DualContext, lang: 'en' | 'zh'): Promise<Loop['progress'] | null>
}

export async function performTask(
  context: Context<DualOptions>,
  brief: TaskBrief,
  means: Means,
): Promise<Answer> {
  const loop = await openLoop(context, brief, means.actions)
  try {
    return await iterate(loop, means)
  } catch (thrown) {
    return await endEarly(loop, thrown)
  }
}

/** What is remembered of earlier runs stands at the beginning of the conversation. */
async function openLoop(
  context: Context<DualOptions>,
  brief: TaskBrief,
  actions: readonly Action[],
): Promise<Loop> {
  const { options } = context
  const remembered = await recall({ context, options, brief, iteration: 1, memories: new Set() })
  const sections = [...taskSections({ context, options }, brief), memorySection(remembered)]
  const loop = {
    context,
    options,
    brief,
    progress: brief,
    tools: toolsOf({ context, options }),
    conversation: new Conversation(sections, `${context.path} results`),
    listed: [],
    history: [],
    records: [],
    plans: 0,
    iteration: 0,
    spins: 0,
    circles: 0,
    memories: new Set(remembered.map(({ id }) => id)),
    background: null,
  }
  return { ...loop, listed: availableActions(actions, loop) }
}

async function iterate(loop: Loop, { actions, look }: Means): Promise<Answer> {
  const { context, options } = loop
  const { maxIterations, sameActionTypeSpinThreshold, sameLogicSpinThreshold } = options
  for (loop.iteration = 1; loop.iteration <= maxIterations; loop.iteration++) {
    if (loop.iteration > 1) await observe(loop, look)
    const available = availableActions(actions, loop)
    await compact(loop, decideBrief(loop, available))
    const decisions = await decide(loop, available)
    const observations = await act(loop, decisions)
    const answer = observations.find((observation) => observation.answer !== undefined)?.answer
    if (answer !== undefined) {
      await remember(loop, decisions, answer)
      return answer
    }
    if (sameActionSpin(loop.records, sameActionTypeSpinThreshold)) loop.spins++
    if (loop.spins <= MAX_SPINS) await reflectOn(loop, observations)
    if (loop.spins > MAX_SPINS || loop.circles >= sameLogicSpinThreshold) throw spinning(context.path)
  }
  const reason = `${context.path}: the limit of iterations (maxIterations, ${maxIterations}) is reached, and the task is not finished`
  throw new ThinkonError('LIMIT', reason, { data: { limit: 'calls', iterations: maxIterations } })
}

/** What is remembered, and how far the plan is by now. Where tasks run one at a time, none ends while this one runs. */
async function observe(loop: Loop, look: Means['look']): Promise<void> {
  const { context, options, brief } = loop
  tellMemories(loop.conversation, await recall(loop))
  if (options.concurrency > 1 && brief.progress !== '')
    loop.progress = (await look(context, languageOf(brief.request))) ?? loop.progress
}

/** What earlier runs remember and the model does not know yet. */
async function recall(
  loop: Pick<Loop, 'context' | 'options' | 'brief' | 'iteration' | 'memories'>,
): Promise<readonly Memory[]> {
  const { context, brief, iteration, memories: known } = loop
  const { items, late } = await loadMemories(loop, { query: memoryQuery(brief), iteration, known })
  if (late) context.emit('dual/memory-late', { iteration })
  for (const { id } of items) known.add(id)
  return items
}

/** The task first: it says more about what is needed here than the words of the whole. */
function memoryQuery({ name, goal, request }: TaskBrief): string {
  return [...new Set([goal.includes(name) ? goal : `${name}: ${goal}`, request])].join('\n')
}

function remember(loop: Loop, decisions: readonly Decision[], answer: Answer): Promise<void> {
  const proposed = decisions.flatMap(({ params }) => (Array.isArray(params.memories) ? params.memories : []))
  return saveMemories(loop, proposed, typeof answer === 'string' ? answer : answer.result)
}

/** At a limit, a spin or the last iteration: ends with a summary of what was done, as a partial outcome. */
async function endEarly(loop: Loop, thrown: unknown): Promise<Answer> {
  if (!endsEarly(thrown)) throw thrown
  const { code, message, data } = thrown
  loop.context.emit('dual/loop-ended', { code, message, iteration: loop.iteration })
  const ending = endingOf(thrown, await closingResult(loop, message))
  if (data.iterations === undefined) return ending
  // Iterations are the loop's own limit, not one of the budget's.
  const { status, result, reason } = ending
  return { status, result, ...(reason !== undefined && { reason }) }
}

async function closingResult(loop: Loop, why: string): Promise<string> {
  const { context, history } = loop
  if (history.length === 0) return context.block.done.join('\n')
  const closing = context.model(closeBrief(loop, why), { closing: true })
  const { result } = fieldsOf(await resultOf(context, closing))
  return typeof result === 'string' && result.trim() !== '' ? result : plainResult(loop)
}

/** Without a model: a line for each action. */
function plainResult({ history }: Loop): string {
  return history
    .map(({ action, params, text, data }) => {
      const what =
        typeof params.tool === 'string' ? `${params.tool} ${JSON.stringify(params.params ?? {})}` : action
      return `${shorten(what, MAX_LINE)}: ${shorten(oneLine(data ?? text), MAX_LINE)}`
    })
    .join('; ')
}

const MAX_LINE = 120

function spinning(path: string): ThinkonError {
  return new ThinkonError('LOOP', `${path}: the task goes round in circles, though it was told`, {
    data: { path },
  })
}
