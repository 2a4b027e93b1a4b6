/**
 * The ChainOfThoughtNode: asks for the next thought, takes it into the shared store, and says whether another is needed. It
 * works with any `callLlm`, in any flow:
 *
 *   const shared = newShared('How many …?')
 *   await runFlow(chainOfThoughtNode({ callLlm }), shared)
 *   shared.solution
 */
import { oneLine, ThinkonError } from '../../protocol/index.ts'
import { checkReply, leavesOpen } from './check-thought.ts'
import { CONTINUE, END, type Node } from './flow.ts'
import { nextStep, openSteps } from './plan.ts'
import { type Asked, historyText, promptText, thinkPrompt, WHOLE_THOUGHTS } from './prompts.ts'
import { MAX_REPEATS, MAX_THOUGHTS } from './schema.ts'
import { lastPlan, type Shared, type Thought } from './thought.ts'

/** Gets the whole prompt as text; `asked` is what it was made from. Replies with YAML as text, or with its value. */
export type CallLlm = (prompt: string, asked: Asked) => Promise<string | object>

export interface NodeOptions {
  readonly callLlm: CallLlm
  readonly maxThoughts?: number
  readonly maxRepeats?: number
  /** The strategies that a step may name. */
  readonly strategies?: readonly string[] | undefined
  /** A thought was taken; `repairs` is what had to be mended before it could be read. */
  onThought?(thought: Thought, shared: Readonly<Shared>, repairs: readonly string[]): void
  onRefused?(thoughtNumber: number, problems: readonly string[]): void
}

/** How often a thought is asked for again because it can't be taken. */
const MAX_REASKS = 2

interface Taken {
  readonly thought: Thought
  readonly repairs: readonly string[]
}

export function chainOfThoughtNode(options: NodeOptions): Node<Shared, Asked, Taken> {
  const { maxThoughts = MAX_THOUGHTS, maxRepeats = MAX_REPEATS } = options
  return {
    prep(shared) {
      const { problem, thoughts } = shared
      shared.current_thought_number += 1
      const plan = lastPlan(thoughts)
      return {
        problem,
        thought_number: shared.current_thought_number,
        isFirst: thoughts.length === 0,
        thoughtsLeft: maxThoughts - thoughts.length,
        thoughts: thoughts.slice(-WHOLE_THOUGHTS),
        plan,
        next: nextStep(plan),
        history: historyText(thoughts),
        told: repeatsOf(thoughts) === maxRepeats ? [repeatText(maxRepeats)] : [],
      }
    },

    exec: (asked) => think(asked, options),

    post(shared, _asked, { thought, repairs }) {
      const { thoughts } = shared
      thoughts.push(thought)
      if (!thought.next_thought_needed) shared.solution = thought.current_thinking
      options.onThought?.(thought, shared, repairs)
      const isOver = thoughts.length >= maxThoughts || repeatsOf(thoughts) > maxRepeats
      return shared.solution !== null || isOver ? END : CONTINUE
    },
  }
}

/** How many thoughts had the plan that the last one has: however it was got round to, nothing came of it. */
export function repeatsOf(thoughts: readonly Thought[]): number {
  const last = JSON.stringify(lastPlan(thoughts))
  return thoughts.filter(({ planning }) => JSON.stringify(planning) === last).length
}

/** Asks until the reply is a thought: again at most twice, and once more for one that ends with steps still open. */
async function think(asked: Asked, { callLlm, strategies, onRefused }: NodeOptions): Promise<Taken> {
  const { thought_number, thoughtsLeft } = asked
  let reasks = MAX_REASKS
  // The last thought is told to end whatever its plan says.
  let mayEndOpen = thoughtsLeft <= 1
  let now = asked
  for (;;) {
    const reply = await callLlm(promptText(thinkPrompt(now, strategies)), now)
    const checked = checkReply(reply, thought_number, { strategies })
    const isThought = 'thought' in checked
    if (isThought && (mayEndOpen || !leavesOpen(checked.thought))) return checked
    const problems = isThought ? [openText(checked.thought)] : checked.problems
    onRefused?.(thought_number, problems)
    if (isThought) mayEndOpen = true
    else if (reasks-- === 0) throw unusable(thought_number, problems)
    const refused = typeof reply === 'string' ? reply : JSON.stringify(reply)
    now = { ...asked, told: [...asked.told, ...problems], refused }
  }
}

function repeatText(times: number): string {
  return `Your plan has been the same in ${times} thoughts: do its next step now, go another way, split the step, or conclude with what there is.`
}

function openText({ planning }: Thought): string {
  const open = openSteps(planning).map(
    ({ number, step }) => `${number} (${step.status}) ${oneLine(step.description)}`,
  )
  return `next_thought_needed is false, and these steps are not Done: ${open.join('; ')}. Go on with them, or bring the plan up to date, or, when it has to end here, answer the same again.`
}

function unusable(thoughtNumber: number, problems: readonly string[]): ThinkonError {
  return new ThinkonError(
    'INVALID_FORMAT',
    `thought ${thoughtNumber} can't be used: ${problems.join('; ')}`,
    {
      data: { thought_number: thoughtNumber, problems },
    },
  )
}
