/**
 * What the requests carry. A strategy says what belongs in a request, in sections; the kernel fits them into what the model can
 * take, and nothing is cut while it fits. Rules come first, what was said and found next, what is asked now last.
 */
import type { Context } from 'thinkon'
import { goalText } from 'thinkon/protocol'
import {
  aboveSections,
  type Brief,
  type Conversation,
  FENCE_RULE,
  goalSection,
  personSection,
  resultsSection,
  type Section,
  toolsSection,
} from 'thinkon/strategies'
import { DRAFT, type OutlineOptions } from './schema.ts'

type OutlineContext = Context<OutlineOptions>

const RULES = `You write what a goal asks for. Answer with one JSON object:
{"text":"…"} — the text itself, when it is short enough to write at once.
{"parts":["…","…"]} — the parts it has, each a goal that is complete in itself; they are solved separately and merged by you.
`

/** Tools go to the model natively; this is for models that can't call them so. */
const TOOL_RULE = 'To use a tool first: {"tool":"…","input":{…}}'

/** What the conversation of a draft begins with, and never says again. */
export function openingSections(context: OutlineContext): Section[] {
  return [...aboveSections(context), goalSection(context), personSection(context)]
}

/** The next request of the conversation: all of it so far, and what is asked now. */
export function draftBrief(context: OutlineContext, conversation: Conversation): Brief {
  const { tools, options } = context
  const mayGoDeeper = context.budget().depth > 0
  return {
    ...request('outline/draft', context),
    conversation,
    question: mayGoDeeper
      ? `At most ${options.maxParts} parts.`
      : 'There is no room for parts: write the text.',
    ...(tools.length > 0 && { tools, toolRule: TOOL_RULE }),
  }
}

/** A request on its own. */
export function mergeBrief(context: OutlineContext): Brief {
  const question = 'Merge the results into {"text":"…"}.'
  return { ...request('outline/merge', context), sections: mergeSections(context), question }
}

export function closeBrief(context: OutlineContext, reason: string): Brief {
  const question = `It has to end here (${reason}). Merge what there is into {"text":"…"}.`
  return { ...request('outline/close', context), sections: mergeSections(context), question }
}

function mergeSections(context: OutlineContext): Section[] {
  return [...openingSections(context), toolsSection(context), resultsSection(context)]
}

function request(kind: string, context: OutlineContext) {
  const { block } = context
  return {
    kind,
    version: 2,
    role: kind === 'outline/draft' ? 'plan' : 'synthesize',
    // For programs in place of a model: scripts in tests, `embedded:abacus`.
    input: { goal: goalText(block.goal), done: block.done, timeline: context.timeline(8_000) },
    system: [RULES, FENCE_RULE],
    schema: DRAFT,
  } as const
}
