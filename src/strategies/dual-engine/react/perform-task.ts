/**
 * The ReAct runtime: observe, orient, decide, act, reflect, until the task is finished, spins, or has used up its iterations.
 * Running out of iterations is not completion: the task ends with what it has, and says so.
 */
import { endingOf, endsEarly } from '../../../kernel/ending.ts'
import type { Answer, Context } from '../../../kernel/strategy.ts'
import { ThinkonError } from '../../../protocol/index.ts'
import { compactHistory, newHistory, plainSummary } from '../prompts/history.ts'
import type { DualOptions, TaskBrief } from '../schema.ts'
import { fieldsOf, resultOf, toolsOf } from '../scope.ts'
import { act } from './act.ts'
import { decide } from './decide.ts'
import type { Action, Loop } from './loop.ts'
import { loadMemories, saveMemories } from './memory.ts'
import { closePrompt, compactPrompt } from './prompts.ts'
import { reflectOn, sameActionSpin } from './reflect.ts'

/** The first two are reflected on, the next one ends the task. */
const MAX_SPINS = 2

/** `actions`: all known ones; which of them are available is decided in each iteration. */
export async function performTask(
  context: Context<DualOptions>,
  brief: TaskBrief,
  actions: readonly Action[],
): Promise<Answer> {
  const { options } = context
  const loop: Loop = {
    context,
    options,
    brief,
    tools: toolsOf({ context, options }),
    history: newHistory(),
    records: [],
    reflections: [],
    iteration: 0,
    spins: 0,
    memories: '',
    background: null,
  }
  try {
    return await iterate(loop, actions)
  } catch (thrown) {
    return await endEarly(loop, thrown)
  }
}

async function iterate(loop: Loop, actions: readonly Action[]): Promise<Answer> {
  const { context, options } = loop
  const { maxIterations } = options
  for (loop.iteration = 1; loop.iteration <= maxIterations; loop.iteration++) {
    loop.memories = await loadMemories(loop)
    const decisions = await decide(loop, actions)
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

/** Compaction is a step of the block that owns the text. Where the model can't sum up, a line is kept of each item. */
async function compact(loop: Loop): Promise<void> {
  const { context, history } = loop
  await compactHistory(history, {
    async sumUp(text) {
      const { summary } = fieldsOf(await resultOf(context, context.model(compactPrompt(loop, text))))
      return typeof summary === 'string' && summary.trim() !== '' ? summary : null
    },
    folded: (items) => context.emit('dual/history-compacted', { items, summaries: history.summaries.length }),
  })
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
  if (history.items.length === 0) return context.block.done.join('\n')
  const closing = context.model(closePrompt(loop, why), { closing: true })
  const { result } = fieldsOf(await resultOf(context, closing))
  return typeof result === 'string' ? result : plainSummary(history.items)
}

function spinning(path: string): ThinkonError {
  return new ThinkonError('LOOP', `${path}: the task goes round in circles, though it was told`, {
    data: { path },
  })
}
