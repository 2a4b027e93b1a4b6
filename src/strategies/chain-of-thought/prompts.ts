/** The prompt of a thought: rules and problem, which stay the same, come first. Every part is bounded, and so is the whole. */
import { FENCE_RULE } from '../../kernel/fence.ts'
import type { Context } from '../../kernel/strategy.ts'
import { type ModelRequest, oneLine, shorten } from '../../protocol/index.ts'
import { aboveText, doneText, rootText, timelineText, twoMessages } from '../prompt-text.ts'
import { formatPlanForPrompt, gainedResults, type PlacedStep } from './plan.ts'
import type { CotOptions, Plan, Thought } from './schema.ts'

/** An upper bound for any history; reached only where every character is a token, as in Chinese. */
export const MAX_PROMPT_TOKENS = 55_000

/** So many of the last thoughts are in the prompt whole; of the earlier ones only the results that they added to the plan. */
export const WHOLE_THOUGHTS = 3
const MAX_PROBLEM = 6_000
const MAX_THINKING = 4_000
const MAX_PLAN = 6_000
const MAX_OLDER_PLAN = 2_000
const MAX_EARLIER_LINES = 30
const MAX_EARLIER_LINE = 120
const MAX_NOTICES = 2_500
const MAX_REFUSED = 1_500
const MAX_TIMELINE = 1_200

/** What a thought is made from. */
export interface Asked {
  readonly problem: string
  readonly thought_number: number
  readonly isFirst: boolean
  /** How many thoughts there may be, this one included. */
  readonly thoughtsLeft: number
  /** The last ones, whole. */
  readonly thoughts: readonly Thought[]
  /** The plan as it stands now. */
  readonly plan: Plan
  readonly next: PlacedStep | null
  /** The thoughts so far, as text. */
  readonly history: string
  /** What the model must know before it answers: that it repeats itself, why its reply was refused. */
  readonly notices: readonly string[]
  /** The reply that was refused. */
  readonly refused?: string
}

export interface Prompt {
  readonly system: readonly string[]
  readonly user: readonly string[]
}

const RULES = `You solve one problem in a chain of thoughts. You keep a plan; each thought judges the thought before, does the next step of the
plan, and writes the whole plan down again as it then stands. Answer with one YAML document and nothing else:

\`\`\`yaml
evaluation: |
  From the second thought on: is the thought before right? Check its reasoning and its results; name every error.
current_thinking: |
  The work on the step itself, in full.
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
- Steps that need verification come before Pending ones. You are told which step is next: do that one, and no other.
- A step that is too large gets sub_steps. A step is Done only when all its sub_steps are.
- When you find an error, say so and change the plan: set the step back to "Pending" or "Verification Needed", and what rests on it too.
  Add, change and drop steps as you learn.
- Keep the plan short, and the results of Done steps in it.
- next_thought_needed is true or false, without quotes. It is false when every step is Done: current_thinking is then the solution of the
  problem itself, whole, in the problem's language, for a reader who sees nothing else.
- Use | and an indented block for longer texts, and quotes around texts with a colon.
`

export function thinkPrompt(asked: Asked, strategies: readonly string[] = []): Prompt {
  const { problem, history, plan } = asked
  return {
    system: [RULES, strategies.length === 0 ? '' : strategyRule(strategies)],
    user: [
      `Problem: ${shorten(problem, MAX_PROBLEM)}\n`,
      history,
      plan.length === 0 ? '' : `The plan now:\n${formatPlanForPrompt(plan, MAX_PLAN)}`,
      instruction(asked),
      noticeText(asked),
    ],
  }
}

/** As one text, for `callLlm`. */
export function promptText({ system, user }: Prompt): string {
  return [...system, '\n', ...user].join('')
}

export function thinkRequest(context: Context<CotOptions>, asked: Asked): ModelRequest {
  const { options, block } = context
  const { system, user } = thinkPrompt(asked, options.strategies)
  const [problem = '', ...changing] = user
  const { history: _, refused: __, notices, next, ...input } = asked
  return {
    kind: 'cot/think',
    version: 1,
    role: options.role,
    input: { ...input, next: nextOf(next), ...(notices.length === 0 ? {} : { told: notices }) },
    messages: twoMessages(
      [...system, FENCE_RULE],
      [
        rootText(context),
        aboveText(context),
        problem,
        block.done.length === 0 ? '' : `Of the steps that were solved by others. ${doneText(block.done)}`,
        timelineText(context, MAX_TIMELINE),
        ...changing,
      ],
    ),
  }
}

export function historyText(thoughts: readonly Thought[]): string {
  const whole = thoughts.slice(-WHOLE_THOUGHTS)
  return `${earlierText(thoughts)}${whole.map((thought) => wholeText(thought, thought === whole.at(-1))).join('')}`
}

function earlierText(thoughts: readonly Thought[]): string {
  const lines = thoughts.slice(0, -WHOLE_THOUGHTS).flatMap(({ thought_number, planning }, i) =>
    gainedResults(thoughts[i - 1]?.planning ?? [], planning).map(({ description, result }) => {
      const line = `${thought_number}: ${oneLine(description)} → ${oneLine(result)}`
      return `${shorten(line, MAX_EARLIER_LINE)}\n`
    }),
  )
  if (lines.length === 0) return ''
  const left = lines.length - MAX_EARLIER_LINES
  const count = left > 0 ? `(${left} earlier results are not shown)\n` : ''
  return `Results of earlier thoughts:\n${count}${lines.slice(-MAX_EARLIER_LINES).join('')}`
}

function wholeText(
  { thought_number, evaluation, current_thinking, planning }: Thought,
  isLast: boolean,
): string {
  const said = evaluation === undefined ? current_thinking : `${evaluation}\n${current_thinking}`
  const plan = isLast ? '' : `Plan after it:\n${formatPlanForPrompt(planning, MAX_OLDER_PLAN)}`
  return `Thought ${thought_number}:\n${shorten(said, MAX_THINKING)}\n${plan}`
}

function instruction({ thought_number, isFirst, thoughtsLeft, plan, next }: Asked): string {
  const now = `Now thought ${thought_number}. `
  const last =
    thoughtsLeft > 1
      ? ''
      : 'It is the last there is room for: give what there is as the solution, say what is missing, and set next_thought_needed to false.\n'
  if (isFirst)
    return `${now}It is the first: there is nothing to evaluate. Say how you understand the problem, make the plan, and begin.\n${last}`
  const judge = `First evaluate thought ${thought_number - 1}.`
  if (next === null)
    return `${now}${judge} ${plan.length === 0 ? 'There is no plan.' : 'All steps are Done.'} When all of it holds, conclude.\n${last}`
  return `${now}${judge} Then do step ${next.number} (${next.step.status}): ${shorten(oneLine(next.step.description), 300)}\n${last}`
}

function noticeText({ notices, refused }: Asked): string {
  const lines = shorten(notices.map((line) => `- ${line}\n`).join(''), MAX_NOTICES)
  if (refused === undefined) return lines
  return `You answered:\n${shorten(refused, MAX_REFUSED)}\n\nThat was not taken:\n${lines}Answer again, with the whole YAML document.\n`
}

function nextOf(next: PlacedStep | null) {
  return next === null
    ? null
    : { number: next.number, description: next.step.description, status: next.step.status }
}

function strategyRule(strategies: readonly string[]): string {
  return `- A Pending step may have "strategy", one of ${strategies.join(', ')}: it is then solved by others when its turn comes, before your next
  thought, and you find its result, or why there is none. They see the description of the step and not your thoughts.
`
}
