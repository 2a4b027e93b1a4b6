/** The prompts: what stays the same comes first, what changes last. */
import type { Context } from 'thinkon'
import { goalText, type ModelRequest } from 'thinkon/protocol'
import { FENCE_RULE } from 'thinkon/strategies'
import { DRAFT, type OutlineOptions } from './schema.ts'

const RULES = `You write what a goal asks for. Answer with one JSON object:
{"text":"…"} — the text itself, when it is short enough to write at once.
{"parts":["…","…"]} — the parts it has, each a goal that is complete in itself; they are solved separately and merged by you.
{"tool":"…","input":{…}} — a tool to use first.
`

export function draftPrompt(context: Context<OutlineOptions>, problems: readonly string[]): ModelRequest {
  const { tools, options } = context
  const mayGoDeeper = context.budget().depth > 0
  const room = mayGoDeeper
    ? `At most ${options.maxParts} parts.`
    : 'There is no room for parts: write the text.'
  const wrong = problems.map((problem) => `Your last answer can't be used: ${problem}`)
  return request('outline/draft', context, [room, ...wrong].join('\n'), tools.length > 0 ? { tools } : {})
}

export function mergePrompt(context: Context<OutlineOptions>): ModelRequest {
  return request('outline/merge', context, 'Merge the results into {"text":"…"}.')
}

export function closePrompt(context: Context<OutlineOptions>, reason: string): ModelRequest {
  return request(
    'outline/close',
    context,
    `It has to end here (${reason}). Merge what there is into {"text":"…"}.`,
  )
}

function request(
  kind: string,
  context: Context<OutlineOptions>,
  instruction: string,
  more: Partial<ModelRequest> = {},
): ModelRequest {
  const { block } = context
  const goal = goalText(block.goal)
  const timeline = context.timeline(8_000)
  const results = block.done.map((text, i) => `${i + 1}. ${text}\n`).join('')
  return {
    kind,
    version: 1,
    role: kind === 'outline/draft' ? 'plan' : 'synthesize',
    input: { goal, done: block.done, timeline },
    messages: [
      { role: 'system', content: [RULES, FENCE_RULE] },
      {
        role: 'user',
        content: [`Goal: ${goal}\n`, `What happened:\n${timeline}\n`, `Results:\n${results}`, instruction],
      },
    ],
    schema: DRAFT,
    ...more,
  }
}
