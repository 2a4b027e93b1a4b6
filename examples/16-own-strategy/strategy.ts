/** How a block is solved. It has no state of its own, so it can be killed, resumed, replayed and forked. */
import { type Answer, type Context, type Solver, ThinkonError } from 'thinkon'
import type { ModelReply, Outcome } from 'thinkon/protocol'
import { askUntilValid, endingOf, endsEarly } from 'thinkon/strategies'
import type { OutlineNotes } from './notes.ts'
import { closePrompt, draftPrompt, mergePrompt } from './prompts.ts'
import { checkDraft, checkOptions, type Draft, type OutlineOptions } from './schema.ts'

type OutlineContext = Context<OutlineOptions, OutlineNotes>

export const outline: Solver<OutlineOptions, OutlineNotes> = {
  options: checkOptions,
  async solve(context) {
    try {
      return await solve(context)
    } catch (thrown) {
      return endEarly(context, thrown)
    }
  },
}

async function solve(context: OutlineContext): Promise<Answer> {
  for (;;) {
    const draft = await ask(context)
    if ('text' in draft) return draft.text
    if ('tool' in draft) await context.all([context.tool(draft.tool, draft.input)])
    else return merge(context, draft.parts)
  }
}

async function merge(context: OutlineContext, parts: readonly string[]): Promise<Answer> {
  context.plan(parts)
  context.emit('outline/split', { parts })
  // All at once. Each result, good or bad, is in `context.block.done` before the next line.
  const ends = await context.all(parts.map((part) => context.call(part)))
  // A limit is never reported as success: what it stopped below is not all there (K8).
  for (const end of ends) if (end.ok && end.value.code === 'LIMIT') throw limitOf(end.value)
  const text = draftText(await context.one(context.model(mergePrompt(context))))
  if (text === null) throw new ThinkonError('INVALID_FORMAT', 'the merged text can not be read')
  return text
}

function ask(context: OutlineContext): Promise<Draft> {
  return askUntilValid({
    maxAsks: 3,
    async ask(problems) {
      const { value, toolCalls = [] } = await context.one(context.model(draftPrompt(context, problems)))
      const [native] = toolCalls
      if (native !== undefined) return { ok: true, value: { tool: native.name, input: native.input } }
      return checkDraft(value, context.options.maxParts)
    },
    onRefused: (problems) => context.emit('outline/refused', { problems }),
    giveUp(problems) {
      throw new ThinkonError('INVALID_FORMAT', problems.join(' '))
    },
  })
}

/** At a limit it ends with a summary, for which the block has a reserve. */
async function endEarly(context: OutlineContext, thrown: unknown): Promise<Answer> {
  if (!endsEarly(thrown) || context.block.done.length === 0) throw thrown
  const [reply] = await context.all([context.model(closePrompt(context, thrown.message), { closing: true })])
  const text = reply?.ok ? draftText(reply.value) : null
  if (text === null) throw thrown
  return endingOf(thrown, text)
}

function limitOf({ reason = 'a limit is reached', limit }: Outcome): ThinkonError {
  return new ThinkonError('LIMIT', reason, { data: { limit } })
}

function draftText({ value }: ModelReply): string | null {
  const checked = checkDraft(value, 0)
  return checked.ok && 'text' in checked.value ? checked.value.text : null
}
