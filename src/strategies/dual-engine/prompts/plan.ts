/** What the coordinator and its plan engine ask their model: for a plan, a summary, a risk, a blueprint's parameters. */
import { FENCE_RULE } from '../../../kernel/fence.ts'
import type { Context } from '../../../kernel/strategy.ts'
import { goalText, type KnownTool, type ModelRequest } from '../../../protocol/index.ts'
import { timelineText, toolLines } from '../../prompt-text.ts'
import type { Scope } from '../scope.ts'
import type { Plan } from '../tasks/plan-schema.ts'
import {
  clip,
  contextTexts,
  MAX_CLOSING,
  MAX_NOTICES,
  MAX_PROBLEM,
  MAX_PROMPT,
  MAX_TASK,
  promptOf,
  request,
  userWords,
  wholeText,
} from './parts.ts'

const PLAN_RULES = `You plan. You get what a user wants, and break it into tasks that can be carried out one by one. You may look at things first with tools that only read. Answer
with one JSON object: {"action":"require_tool","tool":"…","params":{…}} to look, or the plan:
{"action":"plan","main_task":"…","main_task_goal":"…","tasks":[{"subtask_name":"…","subtask_goal":"…","depends_on":["…"],"subtasks":[…]}]}
- "main_task" says all of what is wanted; "main_task_goal" how one can see that it is reached.
- "subtask_name" is verb and noun, unique in the plan; "subtask_goal" says what must be there when it is done, complete in itself.
- "depends_on" (optional) names tasks that must have ended before; "subtasks" (optional) are the parts of a task that is itself too large.
As few tasks as it takes. A task that turns out larger can be planned again when it is carried out. Write in the language of the user's words.
`

const REVISE_RULES = `The plan below was reviewed: answer with the plan as it should be, whole.`

const SUMMARY_RULES = `A plan was carried out. Answer with one JSON object: {"result":"…"}: what the user asked for, whole, made from what the tasks came to; what was skipped or
failed is said plainly. Write in the language of the user's words.
`

const RISK_RULES = `You judge how risky it is to go on without asking a person: irreversible effects, effects outside of the workspace, doubt about what the user wants. Answer with one JSON
object: {"risk":0.0–1.0,"reason":"…"}
`

const PARAMS_RULES = `You fill in the parameters of a blueprint from what a task says. Answer with one JSON object: {"params":{…}} that satisfies the schema. Invent nothing: a parameter that the
task does not say is left out.
`

export interface PlanRequest {
  /** The user's own words. */
  readonly request: string
  /** A blueprint's instructions for planning. */
  readonly init: string
}

/** A plan to be changed, and how. */
export interface Revision {
  readonly plan: Plan
  readonly words: string
}

interface PlanAsk extends PlanRequest {
  readonly revise?: Revision
  readonly iteration: number
  readonly tools: readonly KnownTool[]
  /** What was looked at so far. */
  readonly seen: string
  readonly problem: string
}

export function planPrompt(scope: Scope, ask: PlanAsk): ModelRequest {
  const { context } = scope
  const { request: words, tools, seen, problem, revise, init, iteration } = ask
  return request(
    'dual/plan',
    'plan',
    {
      goal: goalText(context.block.goal),
      request: words,
      iteration,
      tools: tools.map(({ name }) => name),
      ...(revise && { revise }),
    },
    [PLAN_RULES, tools.length === 0 ? '' : `Tools:\n${toolLines(tools)}`, promptOf(scope), FENCE_RULE],
    [
      wholeText(context, words),
      userWords(words),
      contextTexts(scope),
      init === '' ? '' : `${clip(init, MAX_PROMPT)}\n`,
      seen,
      timelineText(context, MAX_NOTICES, ['message', 'notice', 'child']),
      revise === undefined
        ? ''
        : `${REVISE_RULES}\n${JSON.stringify(revise.plan)}\nThe person said: ${clip(revise.words, MAX_TASK)}\n`,
      problem === '' ? 'The plan?\n' : `Your last answer can't be used:\n${problem}\nAnswer again.\n`,
    ],
    tools.length === 0 ? undefined : tools,
  )
}

export interface SummaryParts extends Scope {
  /** The user's own words. */
  readonly words: string
  readonly progress: string
  /** Each task's result, of its last attempt. */
  readonly results: readonly string[]
}

export function summaryPrompt(parts: SummaryParts): ModelRequest {
  const { context, options, words, progress, results } = parts
  const { close = '' } = options
  return request(
    'dual/summarize',
    'synthesize',
    { goal: goalText(context.block.goal), request: words, done: context.block.done, progress, results },
    [SUMMARY_RULES, promptOf(parts), FENCE_RULE],
    [
      userWords(words),
      `The plan:\n${progress}\n`,
      resultTexts(results),
      timelineText(context, MAX_NOTICES, ['message', 'notice']),
      close === '' ? '' : `${clip(close, MAX_PROMPT)}\n`,
    ],
  )
}

/** When a limit is reached: as much as fits into a closing call. */
export function closingSummaryPrompt({ context, words, progress, results }: SummaryParts): ModelRequest {
  const { goal, done } = context.block
  return request(
    'dual/summarize',
    'synthesize',
    { goal: goalText(goal), request: words, done, progress, results, closing: true },
    [SUMMARY_RULES, FENCE_RULE],
    [userWords(words, MAX_CLOSING / 4), `The plan:\n${clip(progress, MAX_CLOSING)}\n`],
  )
}

export function riskPrompt(context: Context, what: string, about: string): ModelRequest {
  return request(
    'dual/judge-risk',
    'judge',
    { goal: goalText(context.block.goal), what },
    [RISK_RULES, FENCE_RULE],
    [userWords(goalText(context.block.goal)), `${what}:\n${clip(about, MAX_PROMPT)}\n`],
  )
}

export function paramsPrompt(
  context: Context,
  { name, description, parameters }: { name: string; description: string; parameters: unknown },
  task: string,
  problem: string,
): ModelRequest {
  return request(
    'dual/blueprint-params',
    'plan',
    { goal: goalText(context.block.goal), name, parameters, task },
    [PARAMS_RULES, FENCE_RULE],
    [
      `Blueprint ${name}: ${clip(description, 300)}\nSchema of its parameters: ${JSON.stringify(parameters)}\n`,
      userWords(task),
      problem === '' ? '' : `The last parameters can't be used: ${clip(problem, MAX_PROBLEM)}\n`,
    ],
  )
}

// In tokens.
const MAX_RESULT = 700
const MIN_RESULT = 50
const ALL_RESULTS = 14_000
const MAX_RESULTS = 200

/** Few results whole, of many the beginning of each. */
function resultTexts(results: readonly string[]): string {
  const shown = results.slice(-MAX_RESULTS)
  const left = results.length - shown.length
  const share = Math.floor(ALL_RESULTS / Math.max(1, shown.length))
  const room = Math.max(MIN_RESULT, Math.min(MAX_RESULT, share))
  return `Results:\n${left > 0 ? `(${left} earlier ones are not shown)\n` : ''}${shown.map((text) => `- ${clip(text, room)}\n`).join('')}`
}
