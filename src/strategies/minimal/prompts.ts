import { FENCE_RULE } from '../../kernel/fence.ts'
import type { Context } from '../../kernel/strategy.ts'
import { goalText, type KnownTool, type ModelRequest, type Result } from '../../protocol/index.ts'
import { toolLines, twoMessages } from '../prompt-text.ts'
import { type MinimalOptions, moveSchema } from './schema.ts'

const RULES = `You work on one goal and say what to do next, as one JSON object:
{"do":"plan","todo":["…"]} writes the plan.
{"do":"call","goals":["…"]} has sub-goals solved, all at once; with "first":true the fastest wins.
{"do":"tool","calls":[{"name":"…","input":{}}]} calls tools.
{"do":"ask","question":{"text":"…","choices":["…"]}} asks the person.
{"do":"return","result":"…"} ends with the result; add "status":"failed" and a "reason" when it can't be reached.
`

const MAX_DONE = 10
const CLOSING_TIMELINE_CHARS = 2_000

function toolText(tools: readonly KnownTool[]): string {
  return tools.length === 0 ? 'There are no tools.\n' : `Tools:\n${toolLines(tools)}`
}

export interface ToolResult {
  name: string
  result: Result
}

/** Tools are described in words and passed on for native calls: a model may use either way. */
export function nextPrompt(context: Context<MinimalOptions>, results: readonly ToolResult[]): ModelRequest {
  const { tools } = context
  const next = request('minimal/next', context, 'What next?', results, context.options.timelineChars)
  return tools.length === 0 ? next : { ...next, tools }
}

/** Has to fit into what was kept back for it: it is short, and without tools. */
export function closePrompt(context: Context<MinimalOptions>, reason: string): ModelRequest {
  const chars = Math.min(context.options.timelineChars, CLOSING_TIMELINE_CHARS)
  return request('minimal/close', context, `${reason}. Return now, with what there is.`, [], chars)
}

/** What stays the same comes first, so that providers can cache it. */
function request(
  kind: string,
  context: Context<MinimalOptions>,
  instruction: string,
  results: readonly ToolResult[],
  timelineChars: number,
): ModelRequest {
  const { block, path, level, ancestors } = context
  const goal = goalText(block.goal)
  const above = ancestors.map((ancestor) => goalText(ancestor.goal))
  const done = block.done.slice(-MAX_DONE)
  const timeline = context.timeline(timelineChars)
  return {
    kind,
    version: 1,
    role: kind === 'minimal/close' ? 'synthesize' : 'plan',
    input: {
      goal,
      path,
      level,
      levelsLeft: context.budget().depth,
      above,
      todo: block.todo,
      done: block.done,
      timeline,
      tools: context.tools.map(({ name }) => name),
      results,
    },
    messages: twoMessages(
      [RULES, toolText(kind === 'minimal/close' ? [] : context.tools), FENCE_RULE],
      [
        above.length > 0 ? `This serves: ${above.join(' ← ')}\n` : '',
        `Goal: ${goal}\n`,
        `Plan: ${typeof block.todo === 'string' ? block.todo || '(none yet)' : block.todo.join('; ')}\n`,
        `Done (${block.done.length}):\n${done.map((text) => `- ${text}\n`).join('')}`,
        timeline === '' ? '' : `What happened:\n${timeline}\n`,
        instruction,
      ],
    ),
    schema: moveSchema.json,
  }
}
