/**
 * What the dual engine's model is told. What stays the same comes first: rules, actions, tools, the user's own words, the task
 * and its parents, the plan's progress; what changes comes last. Every part is bounded, so that a prompt is too.
 */
import { FENCE_RULE, nonceOf } from '../../../kernel/fence.ts'
import type { Context } from '../../../kernel/strategy.ts'
import { goalText, type KnownTool, type ModelRequest, type Role } from '../../../protocol/index.ts'
import { timelineText, toolLines, twoMessages } from '../../prompt-text.ts'
import type { Plan } from '../plan/plan-schema.ts'
import type { Action } from '../react/action.ts'
import { closingText, historyText } from '../react/history.ts'
import type { Loop } from '../react/loop.ts'
import type { ReflectionLevel } from '../react/reflection-level.ts'
import type { DualOptions, TaskBrief } from '../schema.ts'
import { clip, clipFence } from './clip.ts'

/** The most tokens that a prompt of a loop has without the list of tools, after any number of iterations, in any language. */
export const MAX_PROMPT_TOKENS = 50_000

// In tokens.
const MAX_REQUEST = 6_000
const MAX_ROOT = 700
const MAX_TASK = 700
const MAX_NAME = 60
const MAX_PARENT = 140
const MAX_PROMPT = 1_500
const MAX_CONTEXTS = 4_000
const MAX_MEMORIES = 1_000
const MAX_PROBLEM = 400
const MAX_BLUEPRINTS = 800
// In characters.
const MAX_NOTICES = 3_000
export const MAX_PROGRESS = 4_000

const REACT_RULES = `You carry out one task of a plan, in a loop: you see where you stand, decide on one action, and see what came of it. Answer with one JSON object:
{"action":"<name>","human_readable_thought":"<why, in one sentence for the person who watches>", …the action's own fields}
Do one thing at a time, and look at what came of it before the next. What failed is not tried again in the same way. When the task is done, finish with its
result, whole, in the language of the user's words; when it can't be done, finish with "status":"failed" or "partial" and the "reason". Claim nothing that you
have not seen.
`

const TASK_RULES = `Work on the task in <|CURRENT_TASK|> and on no other. What stands in <|PARENT_TASK|> tells what it is for: do not carry that out yourself.`

const PROGRESS_RULES = `About the progress:
1. [ ] not started, [-] executing, [~] partly done, [x] finished, [/] skipped, [!] aborted; indentation shows what is part of what.
2. CURRENT_TASK is the only task you may advance.
3. Assume no state that is not shown, and finish nothing beforehand.
4. It is read-only: the runtime updates it by what really happened.`

const PLAN_RULES = `You plan. You get what a user wants, and break it into tasks that can be carried out one by one. You may look at things first with tools that only read. Answer
with one JSON object: {"action":"require_tool","tool":"…","params":{…}} to look, or the plan:
{"action":"plan","main_task":"…","main_task_goal":"…","tasks":[{"subtask_name":"…","subtask_goal":"…","depends_on":["…"],"subtasks":[…]}]}
- "main_task" says all of what is wanted; "main_task_goal" how one can see that it is reached.
- "subtask_name" is verb and noun, unique in the plan; "subtask_goal" says what must be there when it is done, complete in itself.
- "depends_on" (optional) names tasks that must have ended before; "subtasks" (optional) are the parts of a task that is itself too large.
As few tasks as it takes. A task that turns out larger can be planned again when it is carried out. Write in the language of the user's words.
`

const REVISE_RULES = `The plan below was reviewed: answer with the plan as it should be, whole.`

const REFLECT_RULES = `You look back at what a loop has just done on one task. Answer with one JSON object: {"advice":"…","spinning":true|false}
"advice": what to do differently or next, in at most three sentences, for the loop itself. "spinning": true when the last actions, whatever their form, go round in circles: the same
attempt in other words, the same information again, nothing new for the task.
`

const COMPACT_RULES = `You sum up what a loop has done, so that it can go on without the original. Answer with one JSON object: {"summary":"…"}
Keep what was found, decided, said by a person, written or changed (with names and values), what failed and why, what is still open. At most 1,200 characters.
`

const CLOSE_RULES = `A task has to end before it is finished. Answer with one JSON object: {"result":"…"}: what was reached and is worth having, then what is missing. Claim nothing
that is not shown. Write in the language of the user's words.
`

const SUMMARY_RULES = `A plan was carried out. Answer with one JSON object: {"result":"…"}: what the user asked for, whole, made from what the tasks came to; what was skipped or
failed is said plainly. Write in the language of the user's words.
`

const RISK_RULES = `You judge how risky it is to go on without asking a person: irreversible effects, effects outside of the workspace, doubt about what the user wants. Answer with one JSON
object: {"risk":0.0–1.0,"reason":"…"}
`

const PARAMS_RULES = `You fill in the parameters of a blueprint from what a task says. Answer with one JSON object: {"params":{…}} that satisfies the schema. Invent nothing: a parameter that the
task does not say is left out.
`

// --- the loop of a task

export function decidePrompt(loop: Loop, actions: readonly Action[], problem: string): ModelRequest {
  const { context, brief, tools, iteration, reflections, memories, aside } = loop
  const mayCall = actions.some(({ name }) => name === 'require_tool')
  return request(
    'dual/decide',
    'act',
    {
      ...inputOf(brief),
      iteration,
      history: loop.history.items.map(({ action, params, observation }) => ({
        action,
        params,
        ...observation,
      })),
      actions: actions.map(({ name }) => name),
      tools: mayCall ? tools.map(({ name }) => name) : [],
      ...(problem !== '' && { problem }),
    },
    [
      REACT_RULES,
      actionText(actions),
      blueprintText(context, actions),
      mayCall ? `Tools:\n${toolLines(tools)}` : '',
      promptOf(context),
      FENCE_RULE,
    ],
    [
      ...taskTexts(context, brief),
      memories === ''
        ? ''
        : `Remembered from earlier runs:\n${clipFence('memory', memories, MAX_MEMORIES)}\n`,
      historyText(loop.history),
      reflections.length === 0 ? '' : `Looking back:\n${reflections.map((text) => `- ${text}\n`).join('')}`,
      timelineText(context, MAX_NOTICES, ['message', 'notice', 'child']),
      aside === null ? '' : `${aside.action.name} goes on beside; "wait" waits for it.\n`,
      `Iteration ${iteration} of ${context.options.maxIterations}. What next?\n`,
      problem === '' ? '' : `Your last answer can't be used: ${clip(problem, MAX_PROBLEM)} Answer again.\n`,
    ],
    mayCall ? tools : undefined,
  )
}

export function reflectPrompt(
  loop: Loop,
  level: ReflectionLevel,
  spins: number,
  items: string,
): ModelRequest {
  const { brief, context, iteration } = loop
  const why =
    level === 'critical'
      ? 'The last action failed.\n'
      : spins > 0
        ? 'The last three actions were the same, with the same result.\n'
        : ''
  const deep =
    level === 'deep' || level === 'critical' ? 'Question the approach itself, not only the last step.\n' : ''
  return request(
    'dual/reflect',
    'judge',
    { ...inputOf(brief), level, iteration, spins },
    [REFLECT_RULES, FENCE_RULE],
    [...taskTexts(context, brief), `The last actions:\n${items}`, `${why}${deep}Look back (${level}).\n`],
  )
}

export function compactPrompt({ brief }: Loop, text: string): ModelRequest {
  return request(
    'dual/compact',
    'compact',
    { ...inputOf(brief), text },
    [COMPACT_RULES, FENCE_RULE],
    [`Task: ${clip(brief.goal, MAX_TASK)}\n`, `What was done:\n${text}`],
  )
}

/** A closing call is paid from little: what a prompt of one may take of its task and history. */
const MAX_CLOSING = 1_600

export function closePrompt(loop: Loop, reason: string): ModelRequest {
  return request(
    'dual/close',
    'synthesize',
    { ...inputOf(loop.brief), reason },
    [CLOSE_RULES, FENCE_RULE],
    [
      `Task: ${clip(loop.brief.goal, MAX_CLOSING / 4)}\n`,
      `What was done:\n${closingText(loop.history, MAX_CLOSING)}`,
      `It ends because: ${clip(reason, 100)}\n`,
    ],
  )
}

// --- plans

export interface PlanAsk {
  /** The user's own words. */
  readonly request: string
  readonly iteration: number
  readonly tools: readonly KnownTool[]
  /** What was looked at so far. */
  readonly seen: string
  readonly problem: string
  /** A plan to be changed, and how. */
  readonly revise?: { readonly plan: Plan; readonly words: string }
  /** What a blueprint says to whoever plans. */
  readonly init: string
}

export function planPrompt(context: Context<DualOptions>, ask: PlanAsk): ModelRequest {
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
    [PLAN_RULES, tools.length === 0 ? '' : `Tools:\n${toolLines(tools)}`, promptOf(context), FENCE_RULE],
    [
      wholeText(context, words),
      userWords(words),
      contextTexts(context),
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

export interface SummaryParts {
  readonly context: Context<DualOptions>
  /** The user's own. */
  readonly words: string
  readonly progress: string
  /** What each task came to in its last attempt. */
  readonly results: readonly string[]
  /** What a blueprint says to whoever sums up. */
  readonly close: string
}

export function summaryPrompt({ context, words, progress, results, close }: SummaryParts): ModelRequest {
  return request(
    'dual/summarize',
    'synthesize',
    { goal: goalText(context.block.goal), request: words, done: context.block.done, progress, results },
    [SUMMARY_RULES, promptOf(context), FENCE_RULE],
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

export function riskPrompt(context: Context<DualOptions>, what: string, about: string): ModelRequest {
  return request(
    'dual/judge-risk',
    'judge',
    { goal: goalText(context.block.goal), what },
    [RISK_RULES, FENCE_RULE],
    [userWords(goalText(context.block.goal)), `${what}:\n${clip(about, MAX_PROMPT)}\n`],
  )
}

export function paramsPrompt(
  context: Context<DualOptions>,
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

// --- parts

function request(
  kind: string,
  role: Role,
  input: unknown,
  system: readonly string[],
  user: readonly string[],
  tools?: readonly KnownTool[],
): ModelRequest {
  return {
    kind,
    version: 1,
    role,
    input,
    messages: twoMessages(system, user),
    schema: { type: 'object' },
    ...(tools && { tools }),
  }
}

function inputOf({ goal, request: words, name, index, attempt, redo }: TaskBrief) {
  return { goal, request: words, name, index, attempt, ...(redo !== undefined && { redo }) }
}

/** The document's sections: what the task is part of, the task, and how the two are meant. */
function taskTexts(context: Context<DualOptions>, brief: TaskBrief): string[] {
  const { parents, name, goal, redo, progress, current } = brief
  const above = parents
    .map((parent) => `Task: ${clip(parent.name, MAX_NAME)}\nGoal: ${clip(parent.goal, MAX_PARENT)}`)
    .join('\n')
  const nonce = nonceOf('progress', progress + current)
  return [
    wholeText(context, brief.request),
    userWords(brief.request),
    parents.length === 0 ? '' : `<|PARENT_TASK|>\n${above}\n<|PARENT_TASK_END|>\n\n`,
    `<|CURRENT_TASK|>\nTask: ${clip(name, MAX_NAME)}\nGoal: ${clip(goal, MAX_TASK)}\n<|CURRENT_TASK_END|>\n\n`,
    `<|INSTRUCTION|>\n${TASK_RULES}${redo === undefined ? '' : `\nIt was done before, and a person wants it done again: ${clip(redo, MAX_TASK)}`}\n<|INSTRUCTION_END|>\n\n`,
    progress === ''
      ? ''
      : `<|PROGRESS_TASK_${nonce}|>\n${progress}\n\n--- CURRENT_TASK ---\n${current}\n--- CURRENT_TASK_END ---\n<|PROGRESS_TASK_END_${nonce}|>\n${PROGRESS_RULES}\n\n`,
    contextTexts(context),
  ]
}

/** Of a plan within a plan: what the whole run is for, in the words it was asked in. */
function wholeText({ ancestors }: Context<DualOptions>, words: string): string {
  const root = ancestors.at(-1)
  const whole = root === undefined ? '' : goalText(root.goal)
  if (whole === '' || whole === words) return ''
  const shown = clip(whole, MAX_ROOT)
  const nonce = nonceOf('whole', shown)
  return `All of this serves:\n<|WHOLE_REQUEST_${nonce}|>\n${shown}\n<|WHOLE_REQUEST_END_${nonce}|>\n\n`
}

/** The user's own words, in tags that nothing in them can close. */
function userWords(words: string, maxTokens = MAX_REQUEST): string {
  const shown = clip(words, maxTokens)
  const nonce = nonceOf('request', shown)
  return `<|USER_REQUEST_${nonce}|>\n${shown}\n<|USER_REQUEST_END_${nonce}|>\n\n`
}

/** However many there are, they share the same room. */
function contextTexts({ options }: Context<DualOptions>): string {
  const { contexts } = options
  const room = Math.floor(MAX_CONTEXTS / Math.max(1, contexts.length))
  return contexts.map(({ name, text }) => `${clipFence(name, text, room)}\n`).join('')
}

function promptOf({ options }: Context<DualOptions>): string {
  return options.prompt === undefined ? '' : `${clip(options.prompt, MAX_PROMPT)}\n`
}

/** Those that there are, for the action that uses one. */
function blueprintText({ options }: Context<DualOptions>, actions: readonly Action[]): string {
  const { knownBlueprints = [] } = options
  if (knownBlueprints.length === 0 || !actions.some(({ name }) => name === 'require_ai_blueprint')) return ''
  const lines = knownBlueprints.map(({ name, text }) => `- ${name}: ${text}\n`)
  return `Blueprints:\n${clip(lines.join(''), MAX_BLUEPRINTS)}\n`
}

function actionText(actions: readonly Action[]): string {
  const lines = actions.map(({ name, description, params, required, mayGoAside }) => {
    const optional = Object.keys(params).filter((param) => !required.includes(param))
    const fields = [...required, ...optional.map((param) => `${param}?`), ...(mayGoAside ? ['aside?'] : [])]
    return `- ${name} {${fields.join(', ')}}: ${description}\n`
  })
  return `Actions:\n${lines.join('')}`
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
