/**
 * The ChainOfThoughtNode: asks for the next thought, takes it into the shared store, and says whether another is needed. It
 * works with any `callLlm`, in any flow:
 *
 *   const shared = newShared('How many …?')
 *   await runFlow(chainOfThoughtNode({ callLlm }), shared)
 *   shared.solution
 */
import { askUntilValid } from '../../kernel/ask-until-valid.ts'
import {
  type Arguments,
  checkArguments,
  type Fields,
  fields,
  func,
  list,
  text,
  whole,
} from '../../protocol/check-arguments.ts'
import { type ModelReply, oneLine, ThinkonError } from '../../protocol/index.ts'
import { checkReply, type ReadThought } from './check-thought.ts'
import { CONTINUE, END, type Node } from './flow.ts'
import { addRefused, addThought, beginThought, historyOf, type Said, tellPlan } from './history.ts'
import { nextStep, openSteps, withEarlierResults } from './plan.ts'
import { type Asked, promptText } from './prompts.ts'
import { lastPlan, MAX_REPEATS, MAX_THOUGHTS, type Plan, type Shared, type Thought } from './schema.ts'

/** Gets the whole prompt as text; `asked` is what the prompt was made from. Replies with YAML, or with its value. */
export type CallLlm = (prompt: string, asked: Asked) => Promise<string | object>

interface ThinkingOptions {
  readonly maxThoughts?: number
  readonly maxRepeats?: number
  /** The strategies that a step may name. */
  readonly strategies?: readonly string[] | undefined
  /** A thought was added; `repairs` are what made its reply readable. */
  onThought?(thought: Thought, shared: Readonly<Shared>, repairs: readonly string[]): void
  onRefused?(thoughtNumber: number, problems: readonly string[]): void
}

export interface NodeOptions extends ThinkingOptions {
  readonly callLlm: CallLlm
}

/** Asks for one thought with the conversation as it stands. */
export interface AskingOptions extends ThinkingOptions {
  ask(asked: Asked): Promise<Reply>
}

export interface Reply extends Said, Pick<ModelReply, 'value'> {}

/** A thought, and the reply it was read from. */
export interface Answered extends ReadThought {
  readonly reply: Reply
}

const MAX_ASKS = 3

const CHAIN_OF_THOUGHT_NODE: Arguments = {
  checks: {
    options: fields(
      {
        callLlm: func(),
        maxThoughts: whole(1),
        maxRepeats: whole(1),
        strategies: list(text, 'names of strategies'),
        onThought: func(),
        onRefused: func(),
      } satisfies Fields<NodeOptions>,
      { needs: { callLlm: 'the function that asks a model' } },
    ),
  },
  needs: { options: 'an object with callLlm' },
}

export function chainOfThoughtNode(given: NodeOptions): Node<Shared, Asked, Answered> {
  checkArguments('chainOfThoughtNode', CHAIN_OF_THOUGHT_NODE, [given])
  const { callLlm, ...options } = given
  return thinkNode({
    ...options,
    async ask(asked) {
      const reply = await callLlm(promptText(asked, options.strategies), asked)
      return typeof reply === 'string' ? { text: reply } : { text: JSON.stringify(reply), value: reply }
    },
  })
}

export function thinkNode(options: AskingOptions): Node<Shared, Asked, Answered> {
  const { maxThoughts = MAX_THOUGHTS, maxRepeats = MAX_REPEATS } = options
  return {
    prep(shared) {
      const { problem, thoughts } = shared
      shared.current_thought_number += 1
      const plan = lastPlan(thoughts)
      const notices = repeatsOf(thoughts) === maxRepeats ? [repeatText(maxRepeats)] : []
      const history = historyOf(shared)
      tellPlan(history, plan)
      for (const notice of notices) history.conversation.say(notice)
      beginThought(history, shared.current_thought_number)
      return {
        problem,
        thought_number: shared.current_thought_number,
        isFirst: thoughts.length === 0,
        thoughtsLeft: maxThoughts - thoughts.length,
        thoughts: [...thoughts],
        plan,
        next: nextStep(plan),
        notices,
        history,
      }
    },

    exec: (asked) => think(asked, options),

    post(shared, { history, plan }, { thought: given, repairs, reply }) {
      const { thoughts } = shared
      const thought = { ...given, planning: withEarlierResults(plan, given.planning) }
      thoughts.push(thought)
      addThought(history, reply, thought)
      if (!thought.next_thought_needed) shared.solution = thought.current_thinking
      options.onThought?.(thought, shared, repairs)
      const isOver = thoughts.length >= maxThoughts || repeatsOf(thoughts) > maxRepeats
      return shared.solution !== null || isOver ? END : CONTINUE
    },
  }
}

/** How many thoughts had the same plan as the last one, in a row or not: none of them made progress. */
export function repeatsOf(thoughts: readonly Thought[]): number {
  const last = planKey(lastPlan(thoughts))
  return thoughts.filter(({ planning }) => planKey(planning) === last).length
}

/** Kept: each plan is compared with all that follow, and none is changed. */
function planKey(plan: Plan): string {
  const known = PLAN_KEYS.get(plan)
  if (known !== undefined) return known
  const key = JSON.stringify(plan)
  PLAN_KEYS.set(plan, key)
  return key
}

const PLAN_KEYS = new WeakMap<Plan, string>()

/** A thought that ends with steps still open is questioned once, which does not count as one of the asks. */
function think(asked: Asked, { ask, strategies, onRefused }: AskingOptions): Promise<Answered> {
  const { thought_number, thoughtsLeft, history } = asked
  let wasQuestioned = false
  let reply: Reply = { text: '' }
  return askUntilValid<Answered>({
    get maxAsks() {
      return wasQuestioned ? MAX_ASKS + 1 : MAX_ASKS
    },
    async ask(problems) {
      reply = await ask({ ...asked, notices: [...asked.notices, ...problems] })
      const checked = checkReply(contentOf(reply), thought_number, strategies)
      if (!checked.ok) return checked
      const { thought } = checked.value
      const leavesOpen = !thought.next_thought_needed && openSteps(thought.planning).length > 0
      // The last thought there is room for ends whatever its plan says.
      if (wasQuestioned || thoughtsLeft <= 1 || !leavesOpen)
        return { ok: true, value: { ...checked.value, reply } }
      wasQuestioned = true
      return { ok: false, problems: [openText(thought)] }
    },
    onRefused(problems) {
      addRefused(history, reply, problems)
      onRefused?.(thought_number, problems)
    },
    giveUp(problems) {
      throw unusable(thought_number, problems)
    },
  })
}

/** A program replies with a value, a language model with text. */
function contentOf({ value, text }: Reply): unknown {
  return typeof value === 'object' && value !== null ? value : text
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
