/**
 * The ChainOfThoughtNode: asks for the next thought, takes it into the shared store, and says whether another is needed. It
 * works with any `callLlm`, in any flow:
 *
 *   const shared = newShared('How many …?')
 *   await runFlow(chainOfThoughtNode({ callLlm }), shared)
 *   shared.solution
 */
import { askUntilValid } from '../../kernel/ask-until-valid.ts'
import { oneLine, ThinkonError } from '../../protocol/index.ts'
import { checkReply, type ReadThought } from './check-thought.ts'
import { CONTINUE, END, type Node } from './flow.ts'
import { nextStep, openSteps } from './plan.ts'
import { type Asked, historyText, promptText, thinkPrompt, WHOLE_THOUGHTS } from './prompts.ts'
import { lastPlan, MAX_REPEATS, MAX_THOUGHTS, type Shared, type Thought } from './schema.ts'

/** Gets the whole prompt as text; `asked` is what the prompt was made from. Replies with YAML, or with its value. */
export type CallLlm = (prompt: string, asked: Asked) => Promise<string | object>

export interface NodeOptions {
  readonly callLlm: CallLlm
  readonly maxThoughts?: number
  readonly maxRepeats?: number
  /** The strategies that a step may name. */
  readonly strategies?: readonly string[] | undefined
  /** A thought was added; `repairs` are what made its reply readable. */
  onThought?(thought: Thought, shared: Readonly<Shared>, repairs: readonly string[]): void
  onRefused?(thoughtNumber: number, problems: readonly string[]): void
}

const MAX_ASKS = 3

export function chainOfThoughtNode(options: NodeOptions): Node<Shared, Asked, ReadThought> {
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
        notices: repeatsOf(thoughts) === maxRepeats ? [repeatText(maxRepeats)] : [],
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

/** How many thoughts had the same plan as the last one, in a row or not: none of them made progress. */
export function repeatsOf(thoughts: readonly Thought[]): number {
  const last = JSON.stringify(lastPlan(thoughts))
  return thoughts.filter(({ planning }) => JSON.stringify(planning) === last).length
}

/** A thought that ends with steps still open is questioned once, which does not count as one of the asks. */
function think(asked: Asked, { callLlm, strategies, onRefused }: NodeOptions): Promise<ReadThought> {
  const { thought_number, thoughtsLeft } = asked
  let wasQuestioned = false
  let refused = ''
  return askUntilValid<ReadThought>({
    get maxAsks() {
      return wasQuestioned ? MAX_ASKS + 1 : MAX_ASKS
    },
    async ask(problems) {
      const now =
        problems.length === 0 ? asked : { ...asked, notices: [...asked.notices, ...problems], refused }
      const reply = await callLlm(promptText(thinkPrompt(now, strategies)), now)
      refused = typeof reply === 'string' ? reply : JSON.stringify(reply)
      const checked = checkReply(reply, thought_number, strategies)
      if (!checked.ok) return checked
      const { thought } = checked.value
      const leavesOpen = !thought.next_thought_needed && openSteps(thought.planning).length > 0
      // The last thought there is room for ends whatever its plan says.
      if (wasQuestioned || thoughtsLeft <= 1 || !leavesOpen) return checked
      wasQuestioned = true
      return { ok: false, problems: [openText(thought)] }
    },
    onRefused: (problems) => onRefused?.(thought_number, problems),
    giveUp(problems) {
      throw unusable(thought_number, problems)
    },
  })
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
  const message = `thought ${thoughtNumber} can't be used: ${problems.join('; ')}`
  return new ThinkonError('INVALID_FORMAT', message, { data: { thought_number: thoughtNumber, problems } })
}
