/** What the plan engine asks its model: for a plan, and for a blueprint's parameters. */
import { FENCE_RULE } from '../../../kernel/fence.ts'
import type { Context } from '../../../kernel/strategy.ts'
import { goalText, type KnownTool, type ModelRequest } from '../../../protocol/index.ts'
import { timelineText, toolLines } from '../../prompt-text.ts'
import {
  clip,
  contextTexts,
  MAX_NOTICES,
  MAX_PROBLEM,
  MAX_PROMPT,
  MAX_TASK,
  promptOf,
  request,
  userWords,
  wholeText,
} from '../prompts/parts.ts'
import type { Scope } from '../scope.ts'
import type { Plan } from '../tasks/task.ts'

const PLAN_RULES = `You plan. You get what a user wants, and break it into tasks that can be carried out one by one. You may look at things first with tools that only read. Answer
with one JSON object: {"action":"require_tool","tool":"…","params":{…}} to look, or the plan:
{"action":"plan","main_task":"…","main_task_goal":"…","tasks":[{"subtask_name":"…","subtask_goal":"…","depends_on":["…"],"subtasks":[…]}]}
- "main_task" says all of what is wanted; "main_task_goal" how one can see that it is reached.
- "subtask_name" is verb and noun, unique in the plan; "subtask_goal" says what must be there when it is done, complete in itself.
- "depends_on" (optional) names tasks that must have ended before; "subtasks" (optional) are the parts of a task that is itself too large.
As few tasks as it takes. A task that turns out larger can be planned again when it is carried out. Write in the language of the user's words.
`

const REVISE_RULES = `The plan below was reviewed: answer with the plan as it should be, whole.`

const PARAMS_RULES = `You fill in the parameters of a blueprint from what a task says. Answer with one JSON object: {"params":{…}} that satisfies the schema. Invent nothing: a parameter that the
task does not say is left out.
`

/** What a plan is made for: the user's own words, and a blueprint's instructions for planning. */
export interface Planning extends Scope {
  readonly asked: { readonly request: string; readonly init: string }
}

/** A plan to be changed, and how. */
export interface Revision {
  readonly plan: Plan
  readonly words: string
}

interface PlanAsk {
  readonly revise?: Revision
  readonly iteration: number
  readonly tools: readonly KnownTool[]
  /** What was looked at so far. */
  readonly seen: string
  readonly problem: string
}

export function planPrompt(planning: Planning, ask: PlanAsk): ModelRequest {
  const { context } = planning
  const { request: words, init } = planning.asked
  const { tools, seen, problem, revise, iteration } = ask
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
    [PLAN_RULES, tools.length === 0 ? '' : `Tools:\n${toolLines(tools)}`, promptOf(planning), FENCE_RULE],
    [
      wholeText(context, words),
      userWords(words),
      contextTexts(planning),
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
