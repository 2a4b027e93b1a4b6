/** What Think and Eval are told: rules first, then what stays the same for the block, then what grows; last, what is asked. */
import type { Brief } from '../../kernel/brief/brief.ts'
import type { Conversation } from '../../kernel/brief/conversation.ts'
import type { Section } from '../../kernel/brief/section.ts'
import { FENCE_RULE } from '../../kernel/fence.ts'
import type { Context } from '../../kernel/strategy.ts'
import { goalText, type Result } from '../../protocol/index.ts'
import {
  aboveSections,
  goalSection,
  noticeText,
  ownSections,
  personSection,
  planSection,
  withheldRule,
} from '../sections.ts'
import { decisionSchema, type FractalOptions, thoughtSchema } from './schema.ts'

export interface Observation {
  readonly name: string
  readonly input: unknown
  readonly result: Result
}

const THINK_RULES = `You think about one goal. Answer with one JSON object:
{"type":"RETURN","description":"…"} — the result itself, when you can give it now: what was asked for, whole, in the goal's language, and nothing
about how you worked.
{"type":"TODO","description":"…"} — a plan in plain words, only when the goal is too large to be done well at once: parts that need different work,
more sources than can be read together, or decisions that build on each other. Number the steps. A step may say what to find out first and that the plan is then to be revised.
What you can do well at once, RETURN at once: one careful answer is better than a plan of small ones. Look with your tools before you claim what a file, a command or a
page says, and count or compute with them where exactness is asked for. Before you RETURN, hold the result against the goal's own words, point by point. A file that was asked for is written with your tools; then RETURN what the person needs to know about it. If the goal can't be
reached, RETURN a text that says so plainly and why.
`

const TOOL_RULE = 'To use a tool before you answer: {"type":"TOOL","name":"…","input":{…}}'

const EVAL_RULES = `You direct the work on one goal. You see its plan and the results so far, each under the sub-goal it answers. Answer with one JSON object:
{"type":"CALL","description":"…"} — the next sub-goal: what it is to bring. Who works on it sees the goals and plans above it and the results so far, which it need not repeat, and has the tools, which you have not.
{"type":"RETURN","description":"…"} — the result of this goal: what was asked for, whole, in the goal's language, made from the results and nothing about how it was made.
Before you RETURN, hold what you are about to give against the goal's own words: everything asked for is there, in the form and length asked for, and its parts do
not contradict each other. Where the results contradict each other, decide and say which holds. A fault in one result: call for that part alone, or mend it in what you RETURN.
A file that was asked for is written, and mended, by a sub-goal; then RETURN what the person needs to know about it.
A result marked [failed…], [partial…] or [skipped…] is not there yet: call it again, or first call what it lacks, or do without it and say so. When the plan itself
is wrong, call for a better one with "adopt":"todo": its result becomes the plan. Don't call the same again when it brought nothing new.
`

/** What a Think's conversation begins with. */
export function thinkSections(context: Context<FractalOptions>): Section[] {
  return [...aboveSections(context), goalSection(context), personSection(context)]
}

export function thinkBrief(
  context: Context<FractalOptions>,
  conversation: Conversation,
  seen: readonly Observation[],
  mustReturn: boolean,
  mayCall: boolean,
): Brief {
  const { tools, options } = context
  const stop = mustReturn ? 'There is no room for sub-goals below this one: RETURN now.\n' : ''
  const noTools =
    !mayCall && tools.length > 0 ? 'No more tools can be called: answer with what you have.\n' : ''
  return {
    kind: 'fractal/think',
    version: 3,
    role: options.thinkRole,
    input: { ...inputOf(context), mustReturn, tools: mayCall ? tools.map(({ name }) => name) : [], seen },
    system: [THINK_RULES, withheldRule(context), FENCE_RULE],
    conversation,
    question: [stop, noTools, conversation.isEmpty ? 'Think about the goal.' : 'Go on.'],
    schema: thoughtSchema.json,
    ...(mayCall ? { tools, toolRule: TOOL_RULE } : {}),
  }
}

/** What Eval is told of the strategies it may choose; nothing where there are none. */
function strategyRule(names: readonly string[]): string {
  if (names.length === 0) return ''
  return `A sub-goal may say who solves it with "strategy": ${names.map((name) => `"${name}" ${SUITS[name] ?? ''}`.trim()).join(', ')}. Without it, it is planned like this one.\n`
}

const SUITS: Readonly<Record<string, string>> = {
  cot: '(thought through step by step, no tools)',
  tot: '(a search among alternatives, when one try is not enough)',
  planner: '(commands and evidence)',
  dual: '(tasks with tools, reviewed)',
}

/** A result that was held against the goal and comes back with what is wrong. */
export interface SentBack {
  readonly result: string
  readonly wrong: string
}

export function evalBrief(context: Context<FractalOptions>, back?: SentBack): Brief {
  return evaluation('fractal/eval', context, 'What next?', back)
}

/** `partsFollow`: the results stand in the block's own after what is returned here. */
export function closeBrief(context: Context<FractalOptions>, reason: string, partsFollow: boolean): Brief {
  const what = partsFollow
    ? 'RETURN a short summary: what there is, and what of the goal is still missing. The results themselves follow it, whole: do not repeat them.'
    : 'RETURN what there is.'
  return evaluation('fractal/close', context, `It has to end here (${reason}). ${what}`)
}

function evaluation(
  kind: string,
  context: Context<FractalOptions>,
  question: string,
  back?: SentBack,
): Brief {
  const { options } = context
  return {
    kind,
    version: 5,
    role: kind === 'fractal/close' ? 'synthesize' : options.evalRole,
    input: inputOf(context),
    system: [EVAL_RULES, strategyRule(options.strategies), FENCE_RULE],
    sections: [
      ...aboveSections(context),
      goalSection(context),
      personSection(context),
      planSection(context),
      ...ownSections(context),
      ...(back === undefined ? [] : [earlierSection(back)]),
    ],
    question: [noticeText(context), back?.wrong ?? '', question],
    schema: decisionSchema(options).json,
  }
}

function earlierSection({ result }: SentBack): Section {
  return { need: 'whole', title: 'The result that you returned:', items: [{ text: result, data: 'result' }] }
}

/** What the messages are made from; a program behind the model port reads this instead. */
function inputOf(context: Context<FractalOptions>) {
  const { block, level, options } = context
  const { maxDepth = Number.POSITIVE_INFINITY } = options
  const levelsLeft = Math.min(maxDepth - level, context.budget().depth)
  return { goal: goalText(block.goal), todo: block.todo, done: block.done, level, levelsLeft }
}
