/** What a thought is asked with: the rules, the conversation so far, and last what changes from thought to thought. */
import type { Brief } from '../../kernel/brief/brief.ts'
import { itemText } from '../../kernel/brief/render.ts'
import type { Section } from '../../kernel/brief/section.ts'
import { FENCE_RULE } from '../../kernel/fence.ts'
import type { Context } from '../../kernel/strategy.ts'
import { type Message, messageText, oneLine } from '../../protocol/index.ts'
import { aboveSections, personSection } from '../sections.ts'
import { type History, problemSection } from './history.ts'
import { markAfter, type PlacedStep } from './plan.ts'
import type { CotOptions, Plan, Thought } from './schema.ts'

/** What a thought is made from. */
export interface Asked {
  readonly problem: string
  readonly thought_number: number
  readonly isFirst: boolean
  /** How many thoughts there may be, this one included. */
  readonly thoughtsLeft: number
  readonly thoughts: readonly Thought[]
  /** The plan as it stands now. */
  readonly plan: Plan
  readonly next: PlacedStep | null
  /** What the model was told since its last thought: that it repeats itself, why its reply was refused. */
  readonly notices: readonly string[]
  readonly history: History
}

const RULES = `You solve one problem in a chain of thoughts. You keep a plan; each thought judges the thought before, does the next step of the
plan, and writes the whole plan down again as it then stands. You yourself have no tools to look at files or pages, run commands or change anything: you have
what stands here and your thoughts. What can't be known from these is not made up: an estimate is marked as one, with its range, and what is missing
is said. Answer with one YAML document in a fence, and nothing else:

\`\`\`yaml
evaluation: |
  Optional in the first thought. Is the thought before right? Check its reasoning and its results, in another way where there is one; name
  every error.
current_thinking: |
  The work on the step itself, in full. In the thought that concludes: the answer.
planning:
  - description: "what is to be done"
    status: "Done"
    result: "what came of it, concisely"
  - description: "what may be wrong"
    status: "Verification Needed"
    mark: "why it may be wrong"
  - description: "a larger step"
    status: "Pending"
    sub_steps:
      - description: "a part of it"
        status: "Pending"
next_thought_needed: true
\`\`\`

- status is "Pending", "Done" or "Verification Needed", exactly so. A Done step has a result, a step that needs verification a mark.
- Take few, large steps: every thought is a call. Most problems need two to five.
- You are told which step is next: do it, and with it those after it that are small. Steps that need verification come before Pending ones.
- A step that is too large gets sub_steps. It is Done when all its sub_steps are, and not before: what is left to do then is a sub-step, too.
- When you find an error, say so and change the plan: set the step back to "Pending" or "Verification Needed", and what rests on it too.
  Add, change and drop steps as you learn.
- Keep the plan short, and the results of Done steps in it, with the figures and decisions that later thoughts need: of old thoughts only these results may be
  left.
- next_thought_needed is true or false, without quotes. It is false in the thought that concludes: every step of its plan is Done, the last of them in this
  very thought if it is done now. There is no need of a thought that only repeats what is there.
- The current_thinking of the thought that concludes goes to the person who asked, and they see nothing else: write the complete answer for them, clean,
  in the problem's language and in the form and length asked for, with all that was asked for and the reasons it rests on. Not "as computed above", nothing about
  thoughts, steps or checks unless the problem asks for them. Checks that are still due go into evaluation. Before you conclude, hold the answer against the problem's own words: nothing
  asked for is missing, and its parts do not contradict each other.
- Use | and an indented block for longer texts, and quotes around texts with a colon.
`

/** What a block's conversation begins with. */
export function openingSections(context: Context<CotOptions>, problem: string): Section[] {
  return [...aboveSections(context), problemSection(problem), personSection(context)]
}

export function thinkBrief({ options }: Context<CotOptions>, asked: Asked): Brief {
  const { history, notices, next, ...input } = asked
  return {
    kind: 'cot/think',
    version: 4,
    role: options.role,
    input: { ...input, next: nextOf(next), ...(notices.length === 0 ? {} : { told: notices }) },
    system: [...rulesFor(options.strategies), FENCE_RULE],
    conversation: history.conversation,
    question: questionText(asked),
  }
}

/** The same as one text, for `callLlm`. */
export function promptText(asked: Asked, strategies: readonly string[] | undefined): string {
  const { opening } = asked.history.conversation
  const about = opening.map(({ title, items }) => `${title}\n${items.map((item) => itemText(item)).join('')}`)
  const turns = asked.history.conversation.messages().map(turnText)
  return [...rulesFor(strategies), ...about, ...turns, questionText(asked).join('')].join('\n')
}

function turnText(message: Message): string {
  return `${message.role === 'assistant' ? 'You answered:\n' : ''}${messageText(message)}\n`
}

function rulesFor(strategies: readonly string[] = []): string[] {
  return strategies.length === 0 ? [RULES] : [RULES, strategyRule(strategies)]
}

function questionText(asked: Asked): string[] {
  const { thought_number, isFirst, thoughtsLeft } = asked
  const room =
    thoughtsLeft > 1
      ? `There is room for ${thoughtsLeft - 1} more after it.\n`
      : 'It is the last there is room for: give what there is as the solution, say what is missing, and set next_thought_needed to false.\n'
  if (isFirst)
    return [
      'It is the first. Say how you understand the problem, make the plan, and begin; if you can solve and check all of it now, conclude.\n',
      room,
    ]
  return [`First evaluate thought ${thought_number - 1}. ${taskText(asked)}\n`, room]
}

function taskText({ plan, next, thoughts }: Asked): string {
  if (next !== null)
    return `Then do step ${next.number} (${next.step.status}): ${oneLine(next.step.description)}${markAfter(next.step)}`
  if (thoughts.at(-1)?.next_thought_needed === false)
    return 'Then put right what came back, and conclude again: current_thinking is the result. If it takes more work, plan it.'
  return `${plan.length === 0 ? 'There is no plan.' : 'All steps are Done.'} When all of it holds, conclude.`
}

function nextOf(next: PlacedStep | null) {
  return next === null
    ? null
    : { number: next.number, description: next.step.description, status: next.step.status }
}

function strategyRule(strategies: readonly string[]): string {
  return `- A Pending step may have "strategy", one of ${strategies.join(', ')}: it is then solved by others when its turn comes, before your next
  thought, and you find its result, or why there is none. They see the problem, the steps of your plan with their results, and the description of their step, but not
  your thoughts: say in it all that they need.
`
}
