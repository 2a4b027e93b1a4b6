/**
 * Chain of thought: the document's node, in a block. `callLlm` is a model step; a step of the plan that names a strategy is a
 * child block. The shared store is rebuilt from the records when the block is executed again.
 */
import { Conversation } from '../../kernel/brief/conversation.ts'
import { degradedEndingOf } from '../../kernel/ending.ts'
import type { Answer, Solver } from '../../kernel/strategy.ts'
import { type ErrorCode, goalText, oneLine, ThinkonError } from '../../protocol/index.ts'
import { checkedResult } from '../closing/checked-result.ts'
import { type BlockShared, type CotContext, delegateNode, reviewNode, THINK } from './delegate.ts'
import { CONTINUE, END, type Graph, runFlow } from './flow.ts'
import { beginHistory, historyOf } from './history.ts'
import { repeatsOf, thinkNode } from './node.ts'
import type { CotNotes } from './notes.ts'
import { openSteps, planLines, reopenedSteps, resultsOf, resultsText } from './plan.ts'
import { openingSections, thinkBrief } from './prompts.ts'
import {
  type CotOptions,
  checkOptions,
  lastPlan,
  newShared,
  OPTIONS_SCHEMA,
  type Shared,
  type Thought,
} from './schema.ts'

export const cot: Solver<CotOptions, CotNotes> = {
  options: checkOptions,
  optionsSchema: OPTIONS_SCHEMA,
  maxRepeats: ({ maxRepeats }) => maxRepeats,
  calls: ({ strategies = [] }) => strategies,
  async solve(context) {
    const problem = goalText(context.block.goal)
    const shared: BlockShared = { ...newShared(problem), solved: new Map() }
    beginHistory(shared, new Conversation(openingSections(context, problem), `${context.path} results`))
    try {
      await runFlow(flowOf(context), shared)
    } catch (thrown) {
      return endEarly(context, shared, thrown)
    }
    return answerOf(context, shared)
  },
}

function flowOf(context: CotContext): Graph<BlockShared> {
  const { maxThoughts, maxRepeats, strategies } = context.options
  const think = thinkNode({
    maxThoughts,
    maxRepeats,
    strategies,
    async ask(asked) {
      const op = context.model(thinkBrief(context, asked))
      const reply = await context.one(op)
      return { ...reply, ref: `${context.path}/${op.n}` }
    },
    onThought: (thought, { thoughts }, repairs) => record(context, thought, thoughts, repairs),
    onRefused: (thought_number, problems) =>
      context.emit('cot/thought-refused', { thought_number, problems }),
  })
  return {
    start: 'think',
    nodes: {
      think: { node: think, on: { [CONTINUE]: 'delegate', [END]: 'review' } },
      delegate: { node: delegateNode(context), on: { [CONTINUE]: 'delegate', [THINK]: 'think' } },
      review: { node: reviewNode(context), on: { [THINK]: 'think' } },
    },
  }
}

function record(
  context: CotContext,
  thought: Thought,
  thoughts: readonly Thought[],
  repairs: readonly string[],
): void {
  const { thought_number, planning } = thought
  if (repairs.length > 0) context.emit('cot/reply-repaired', { thought_number, repairs })
  context.emit('cot/thought', thought)
  const before = lastPlan(thoughts.slice(0, -1))
  const steps = reopenedSteps(before, planning).map(({ number, step: { description, status, mark } }) => ({
    step: number,
    description,
    status,
    ...(mark === undefined ? {} : { mark }),
  }))
  if (steps.length > 0) context.emit('cot/step-reopened', { thought_number, steps })
  // What child blocks and views see of the plan; its statuses and results are in the notes.
  const lines = planLines(planning)
  if (lines.length > 0 && lines.join('\n') !== planLines(before).join('\n')) context.plan(lines)
}

async function answerOf(context: CotContext, shared: BlockShared): Promise<Answer> {
  const { thoughts, solution } = shared
  const { maxThoughts, maxRepeats } = context.options
  if (solution !== null) {
    const open = openSteps(lastPlan(thoughts))
    if (open.length === 0) return heldAgainstGoal(context, shared, solution)
    const steps = open.length === 1 ? 'a step' : `${open.length} steps`
    const reason = `${context.path}: it ended with ${steps} of its plan not Done`
    return { status: 'partial', result: solution, reason }
  }
  if (repeatsOf(thoughts) > maxRepeats) {
    const reason = `${context.path}: the same plan in ${maxRepeats + 1} thoughts, without progress`
    context.emit('cot/loop', { thought_number: shared.current_thought_number, message: reason })
    return { status: 'partial', result: resultSoFar(shared), reason, code: 'LOOP' }
  }
  const reason = `${context.path}: the limit of thoughts (--max-thoughts ${maxThoughts}) is reached`
  context.emit('cot/limit', { limit: 'thoughts', message: reason })
  return { status: 'partial', result: resultSoFar(shared), reason, code: 'LIMIT' }
}

function heldAgainstGoal(context: CotContext, shared: BlockShared, solution: string): Promise<Answer> {
  const results = resultsOf(lastPlan(shared.thoughts))
  const items = results.map(({ description, result }) => ({
    about: `${oneLine(description)}:`,
    text: result,
    data: 'step',
  }))
  return checkedResult(context, solution, {
    parts: shared.thoughts.length - 1 + context.block.done.length,
    material: [{ need: 'first', title: 'The results of the steps that it was made from:', items }],
    async again(wrong) {
      shared.solution = null
      historyOf(shared).conversation.say(wrong, { keep: true })
      await runFlow(flowOf(context), shared)
      const isDone = openSteps(lastPlan(shared.thoughts)).length === 0
      return isDone ? (shared.solution ?? '') : ''
    },
  })
}

/** The results in the plan; without any, what was thought last. */
function resultSoFar({ thoughts }: Shared): string {
  return resultsText(lastPlan(thoughts)) || (thoughts.at(-1)?.current_thinking ?? '')
}

/** A limit, a loop, an unusable reply or a failing model ends the block with the results in its plan, without a further call. */
function endEarly(context: CotContext, shared: Shared, thrown: unknown): Answer {
  if (!ThinkonError.isInstance(thrown)) throw thrown
  const { code, message } = thrown
  context.emit(NOTES[code] ?? 'cot/failed', { code, message })
  return degradedEndingOf(thrown, resultSoFar(shared))
}

const NOTES: Partial<Record<ErrorCode, 'cot/limit' | 'cot/loop' | 'cot/format-error'>> = {
  LIMIT: 'cot/limit',
  LOOP: 'cot/loop',
  INVALID_FORMAT: 'cot/format-error',
}
