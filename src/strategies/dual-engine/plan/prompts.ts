/** What the plan engine asks its model: for a plan, and for a blueprint's parameters. Both are conversations. */
import type { Brief } from '../../../kernel/brief/brief.ts'
import type { Conversation } from '../../../kernel/brief/conversation.ts'
import type { Section } from '../../../kernel/brief/section.ts'
import { FENCE_RULE } from '../../../kernel/fence.ts'
import { goalText, type KnownTool, oneLine } from '../../../protocol/index.ts'
import { resultsSection, toolsSection, withheldRule } from '../../sections.ts'
import { personSection, promptOf, requestSections } from '../prompts/sections.ts'
import { REPLY } from '../schema.ts'
import { type Scope, toolsOf } from '../scope.ts'
import type { Plan } from '../tasks/task.ts'

const PLAN_RULES = `You plan. You get what a user wants, and say which tasks it takes. Each task is carried out in a loop of its own, with tools, by somebody who sees the user's words,
all that you have looked at, and the results of the tasks before.
First look at what the plan depends on, with the tools that you have, which only read: list what is there, then read what matters, many things at once. What you read here stands whole before every
task, and nobody reads it again. Then answer with one JSON object, the plan:
{"action":"plan","main_task":"…","main_task_goal":"…","tasks":[{"subtask_name":"…","subtask_goal":"…","depends_on":["…"],"subtasks":[…]}]}
- "main_task" says all of what is wanted; "main_task_goal" how one can see that it is reached.
- "subtask_name" is verb and noun, unique in the plan; "subtask_goal" says what must be there when it is done, complete in itself.
- "depends_on" (optional) names tasks that must have ended before; "subtasks" (optional) are the parts of a task that is itself too large.
- As few tasks as it takes. One, if what is wanted can be made in one go from what is known then: most texts, answers and small changes. Another task must be worth a loop of its own: other sources, a
change that others build on, a decision that comes first. No task only looks at what you can look at now, only checks, only formats, or only sums up.
- What the user is to get is made once: by the last task, which names all others in "depends_on". Its result goes to the user as it is.
A task that turns out larger can be planned again when it is carried out. Write in the language of the user's words.
`

/** Which form is said with the rules, by the kernel. */
function formKnown({ output }: Scope['context']): string {
  return output === null
    ? ''
    : 'The last task is told the form of what is handed over to a program; other tasks are not.\n'
}

const TOOL_RULE = 'To look at something: {"action":"require_tool","tool":"…","params":{…}}'

const PARAMS_RULES = `You fit a blueprint, which was made beforehand for tasks of one kind, to the task at hand. Answer with one JSON object: {"params":{…},"plan":null}
- "params" are the parameters that the task says, as the schema wants them; names of files and folders as the task writes them. Invent nothing: a parameter that the task does not say is left out.
- "plan" is null where the blueprint's plan, with these parameters, does what the task asks for, or where it has none. Where the task asks for something else (another file, less, more, another
order), "plan" is the plan as it has to be, whole, in the same form; what the task does not touch stays word for word, {{name}} for a parameter included.
`

/** What a plan is made for. */
export interface Planning extends Scope {
  /** The user's own words. */
  readonly request: string
}

/** A plan to be changed, and how. */
export interface Revision {
  readonly plan: Plan
  /** How far it has been carried out. */
  readonly progress?: string
  /** What is wanted, with what a person said about it at the end. */
  readonly words: string
  readonly said: string
  /** What is asked for are tasks, as the words say; without it the whole plan. */
  readonly tasksAlone?: true
  /** It may be left as it is. */
  readonly mayKeep?: true
}

/** What the conversation begins with. What was looked at and done before is known when a plan is changed. */
export function planSections(planning: Planning, revise?: Revision): Section[] {
  const { context, request } = planning
  const revision =
    revise === undefined
      ? []
      : [
          {
            about: 'The plan as it stands:',
            text: [JSON.stringify(revise.plan), revise.progress ?? ''].join('\n').trimEnd(),
          },
          {
            about: `It is to be changed${revise.tasksAlone ? '' : '. Answer with the plan as it should be, whole'}:`,
            text: revise.words.trimEnd(),
          },
        ]
  return [
    ...requestSections(planning, request, context.ancestors),
    ...toolSections(planning),
    { ...toolsSection(context), need: 'first', title: 'What was looked at for the plan:' },
    resultsSection(context),
    personSection(context, revise?.said),
    { need: 'whole', items: revision },
  ]
}

/** All tools that tasks have: those to look with, which come with the request, and what the others are for. */
function toolSections(planning: Planning): Section[] {
  const looking = toolsToLookWith(planning)
  const others = planning.options.allowToolCall
    ? toolsOf(planning).filter((tool) => !looking.includes(tool))
    : []
  const names = looking.map(({ name }) => name).join(', ')
  return [
    { need: 'whole', items: names === '' ? [] : [{ text: `You can look with: ${names}. So can tasks.\n` }] },
    {
      need: 'then',
      title: 'What tasks can use besides:',
      items: others.map(({ name, access, description }) => {
        return { text: `- ${name} (${access}): ${oneLine(description)}` }
      }),
    },
  ]
}

/** Who plans changes nothing. */
export function toolsToLookWith(planning: Planning): readonly KnownTool[] {
  if (!planning.options.allowToolCall) return []
  return toolsOf(planning).filter(({ access }) => access === 'read')
}

interface PlanAsk {
  readonly conversation: Conversation
  readonly iteration: number
  readonly tools: readonly KnownTool[]
  readonly revise?: Revision
}

export function planBrief(planning: Planning, { conversation, iteration, tools, revise }: PlanAsk): Brief {
  const { context, options, request } = planning
  const isLast = iteration >= options.maxPlanIterations
  const names = tools.map(({ name }) => name)
  return {
    kind: 'dual/plan',
    version: 3,
    role: 'plan',
    input: {
      goal: goalText(context.block.goal),
      request,
      iteration,
      tools: names,
      ...(revise && { revise }),
    },
    system: [PLAN_RULES, promptOf(planning), withheldRule(context), formKnown(context), FENCE_RULE],
    conversation,
    question: isLast
      ? 'This is the last time that you are asked: the plan, now.'
      : 'What do you look at, or what is the plan?',
    schema: REPLY,
    ...(tools.length > 0 && { tools, toolRule: TOOL_RULE }),
  }
}

/** A blueprint, as far as fitting it needs it. */
export interface Fitted {
  readonly name: string
  readonly description: string
  readonly parameters: unknown
  readonly plan: Plan | null
}

/** What is known of the parameters: those that were given, which stand if a person gave them, and a text that says the others. */
export interface ParamsSource {
  readonly params: Readonly<Record<string, unknown>> | undefined
  readonly by: 'person' | 'model'
  readonly task: string
}

export function paramsSections(
  scope: Scope,
  { name, description, parameters, plan }: Fitted,
  { params, by, task }: ParamsSource,
): Section[] {
  const { context } = scope
  const given = by === 'person' ? 'Given by the person, and not to be changed:' : 'Suggested:'
  return [
    ...requestSections(scope, task, context.ancestors),
    { ...toolsSection(context), need: 'first' },
    personSection(context),
    {
      need: 'whole',
      title: `The blueprint ${name}:`,
      items: [
        { text: description },
        { about: 'Schema of its parameters:', text: JSON.stringify(parameters) },
        ...(Object.keys(params ?? {}).length === 0 ? [] : [{ about: given, text: JSON.stringify(params) }]),
        ...(plan === null ? [] : [{ about: 'Its plan:', text: JSON.stringify(plan) }]),
      ],
    },
  ]
}

export function paramsBrief(
  { context }: Scope,
  { name, parameters }: Fitted,
  task: string,
  conversation: Conversation,
): Brief {
  return {
    kind: 'dual/blueprint-params',
    version: 3,
    role: 'plan',
    input: { goal: goalText(context.block.goal), name, parameters, task },
    system: [PARAMS_RULES, FENCE_RULE],
    conversation,
    question: 'The parameters, and the plan if it has to change?',
    schema: REPLY,
  }
}
