/** What the model is told: the rules, the goal and all that was done and said so far, and last what is asked. */
import type { Brief } from '../../kernel/brief/brief.ts'
import type { Conversation } from '../../kernel/brief/conversation.ts'
import type { Section } from '../../kernel/brief/section.ts'
import { FENCE_RULE } from '../../kernel/fence.ts'
import type { Context } from '../../kernel/strategy.ts'
import { goalText, type Result } from '../../protocol/index.ts'
import { aboveSections, goalSection, personSection } from '../sections.ts'
import { type MinimalOptions, moveSchema } from './schema.ts'

const RULES = `You work on one goal and say what to do next, as one JSON object:
{"do":"return","result":"…"} ends with the result: what the goal asks for, whole, in the goal's language, and nothing about how you worked. Add "status":"failed" and a "reason"
when it can't be reached.
{"do":"plan","todo":["…"]} writes the plan, where you need one.
{"do":"call","goals":["…"]} has sub-goals solved, all at once, each complete in itself; with "first":true the fastest wins.
`
/** Where somebody is there. */
const ASK_RULE = `{"do":"ask","question":{"text":"…","choices":["…"]}} asks the person.\n`

const TOOL_RULE = 'To call tools: {"do":"tool","calls":[{"name":"…","input":{…}}]}'

export interface ToolResult {
  name: string
  result: Result
}

/** What the conversation begins with. */
export function openingSections(context: Context<MinimalOptions>): Section[] {
  return [...aboveSections(context), goalSection(context), personSection(context)]
}

export function nextBrief(
  context: Context<MinimalOptions>,
  conversation: Conversation,
  results: readonly ToolResult[],
): Brief {
  const { tools } = context
  const next = brief('minimal/next', context, conversation, results, 'What next?')
  return tools.length === 0 ? next : { ...next, tools, toolRule: TOOL_RULE }
}

export function closeBrief(
  context: Context<MinimalOptions>,
  conversation: Conversation,
  reason: string,
): Brief {
  return brief('minimal/close', context, conversation, [], `${reason}. Return now, with what there is.`)
}

function brief(
  kind: string,
  context: Context<MinimalOptions>,
  conversation: Conversation,
  results: readonly ToolResult[],
  question: string,
): Brief {
  const { block, path, level, ancestors, tools, options } = context
  return {
    kind,
    version: 3,
    role: kind === 'minimal/close' ? 'synthesize' : 'plan',
    input: {
      goal: goalText(block.goal),
      path,
      level,
      levelsLeft: context.budget().depth,
      above: ancestors.map((ancestor) => goalText(ancestor.goal)),
      todo: block.todo,
      done: block.done,
      timeline: context.timeline(options.timelineChars),
      tools: tools.map(({ name }) => name),
      results,
    },
    system: [context.isAttended ? RULES + ASK_RULE : RULES, FENCE_RULE],
    conversation,
    question,
    schema: moveSchema.json,
  }
}
