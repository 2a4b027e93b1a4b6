/**
 * What Think and Eval are told. What stays the same comes first (rules, tools, the root's goal), what changes last. Every
 * part is bounded, so that a prompt is too: see MAX_PROMPT_TOKENS.
 */
import { FENCE_RULE } from '../../kernel/fence.ts'
import type { Context } from '../../kernel/strategy.ts'
import { goalText, type ModelRequest, type Result, shorten } from '../../protocol/index.ts'
import {
  aboveText,
  doneText,
  MAX_GOAL,
  MAX_TODO,
  rootText,
  timelineText,
  todoText,
  toolLines,
  twoMessages,
} from '../prompt-text.ts'
import { decisionSchema, type FractalOptions, thoughtSchema } from './schema.ts'

/** The most tokens that a prompt has without the list of tools, however deep the block and however long its history. */
export const MAX_PROMPT_TOKENS = 30_000

export interface Observation {
  readonly name: string
  readonly input: unknown
  readonly result: Result
}

const MAX_TIMELINE = 1_200
/** While Think uses tools: what they came to stands in the timeline. */
const MAX_TOOL_TIMELINE = 6_000

const THINK_RULES = `You think about one goal, which is a part of a larger one. Answer with one JSON object:
{"type":"RETURN","description":"…"} — the result itself, when you can give it now: what was asked for, whole, in the goal's language.
{"type":"TODO","description":"…"} — a plan in plain words, when it takes several steps. Number the steps. A step may say what to find
out first and that the plan is then to be revised.
If the goal can't be reached, RETURN a text that says so plainly and why.
`

const TOOL_RULE = `You may use tools before you answer: call them natively, or answer {"type":"TOOL","name":"…","input":{…}}.
`

const EVAL_RULES = `You direct the work on one goal. You see its plan and the results so far, in order. Answer with one JSON object:
{"type":"CALL","description":"…"} — the next sub-goal, complete in itself: whoever works on it sees the goals above it, not this list.
{"type":"RETURN","description":"…"} — the result of this goal, whole, in the goal's language, made from the results.
A result marked [failed…], [partial…] or [skipped…] is not there yet: call it again, or first call what it lacks, or do without it and
say so. When the plan itself is wrong, call for a better one with "adopt":"todo": its result becomes the plan.
Don't call the same again when it brought nothing new.
`

export function thinkPrompt(
  context: Context<FractalOptions>,
  seen: readonly Observation[],
  mustReturn: boolean,
  mayCall: boolean,
): ModelRequest {
  const { tools, options } = context
  const stop = mustReturn ? 'There is no room for sub-goals below this one: RETURN now.\n' : ''
  return {
    kind: 'fractal/think',
    version: 1,
    role: options.thinkRole,
    input: { ...inputOf(context), mustReturn, tools: mayCall ? tools.map(({ name }) => name) : [], seen },
    messages: twoMessages(
      [THINK_RULES, mayCall ? `${TOOL_RULE}${toolLines(tools)}` : '', FENCE_RULE],
      [
        rootText(context),
        aboveText(context),
        `Goal: ${shorten(goalText(context.block.goal), MAX_GOAL)}\n`,
        timelineText(context, seen.length > 0 ? MAX_TOOL_TIMELINE : MAX_TIMELINE),
        stop,
      ],
    ),
    schema: thoughtSchema.json,
    ...(mayCall ? { tools } : {}),
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

export function evalPrompt(context: Context<FractalOptions>): ModelRequest {
  return evalRequest('fractal/eval', context, 'What next?')
}

export function closePrompt(context: Context<FractalOptions>, reason: string): ModelRequest {
  return evalRequest(
    'fractal/close',
    context,
    `It has to end here (${shorten(reason, 300)}). RETURN what there is.`,
  )
}

function evalRequest(kind: string, context: Context<FractalOptions>, instruction: string): ModelRequest {
  const { block, options } = context
  return {
    kind,
    version: 2,
    role: kind === 'fractal/close' ? 'synthesize' : options.evalRole,
    input: inputOf(context),
    messages: twoMessages(
      [EVAL_RULES, strategyRule(options.strategies), FENCE_RULE],
      [
        rootText(context),
        aboveText(context),
        `Goal: ${shorten(goalText(block.goal), MAX_GOAL)}\n`,
        `Plan:\n${shorten(todoText(block.todo), MAX_TODO)}\n`,
        doneText(block.done),
        timelineText(context, MAX_TIMELINE),
        instruction,
      ],
    ),
    schema: decisionSchema.json,
  }
}

/** What the messages are made from; a program behind the model port reads this instead. */
function inputOf(context: Context<FractalOptions>) {
  const { block, level, options } = context
  const { maxDepth = Number.POSITIVE_INFINITY } = options
  const levelsLeft = Math.min(maxDepth - level, context.budget().depth)
  return { goal: goalText(block.goal), todo: block.todo, done: block.done, level, levelsLeft }
}
