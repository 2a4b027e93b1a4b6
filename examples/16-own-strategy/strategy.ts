/** How a block is solved. It has no state of its own, so it can be killed, resumed, replayed and forked. */
import { type Answer, type Context, type Solver, ThinkonError } from 'thinkon'
import type { ModelReply, Outcome, Result } from 'thinkon/protocol'
import { askUntilValid, type Checked, Conversation, endingOf, endsEarly } from 'thinkon/strategies'
import type { OutlineNotes } from './notes.ts'
import { closeBrief, draftBrief, mergeBrief, openingSections } from './prompts.ts'
import { type Call, checkDraft, checkOptions, type Draft, type OutlineOptions } from './schema.ts'

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
  // A loop is a conversation: each request is the one before, and what is new.
  const conversation = new Conversation(openingSections(context), `${context.path} results`)
  for (;;) {
    const draft = await ask(context, conversation)
    if ('text' in draft) return draft.text
    if ('parts' in draft) return merge(context, draft.parts)
    await callTools(context, conversation, draft.calls)
  }
}

async function callTools(context: OutlineContext, conversation: Conversation, calls: readonly Call[]) {
  const ops = calls.map(({ name, input }) => context.tool(name, input))
  const ends = await context.all(ops)
  const answers = calls.map((call, i) => ({
    call,
    result: ends[i] as Result,
    // By which the model can read what there is no room for.
    ref: `${context.path}/${ops[i]?.n}`,
  }))
  conversation.answer(answers)
}

async function merge(context: OutlineContext, parts: readonly string[]): Promise<Answer> {
  context.plan(parts)
  context.emit('outline/split', { parts })
  // All at once. Each result, good or bad, is in `context.block.done` before the next line.
  const ends = await context.all(parts.map((part) => context.call(part)))
  // A limit is never reported as success: what it stopped below is not all there (K8).
  for (const end of ends) if (end.ok && end.value.code === 'LIMIT') throw limitOf(end.value)
  const text = draftText(await context.one(context.model(mergeBrief(context))))
  if (text === null) throw new ThinkonError('INVALID_FORMAT', 'the merged text can not be read')
  return text
}

/** What was refused stays in the conversation, with the reason. */
function ask(context: OutlineContext, conversation: Conversation): Promise<Draft> {
  return askUntilValid({
    maxAsks: 3,
    async ask() {
      const reply = await context.one(context.model(draftBrief(context, conversation)))
      conversation.reply(reply)
      return draftOf(reply, context.options.maxParts)
    },
    onRefused(problems) {
      conversation.say(`That can't be used: ${problems.join(' ')}`)
      context.emit('outline/refused', { problems })
    },
    giveUp(problems) {
      throw new ThinkonError('INVALID_FORMAT', problems.join(' '))
    },
  })
}

function draftOf({ value, toolCalls = [] }: ModelReply, maxParts: number): Checked<Draft> {
  return toolCalls.length > 0 ? { ok: true, value: { calls: toolCalls } } : checkDraft(value, maxParts)
}

/** At a limit it ends with a summary, for which the block has a reserve. */
async function endEarly(context: OutlineContext, thrown: unknown): Promise<Answer> {
  if (!endsEarly(thrown) || context.block.done.length === 0) throw thrown
  const [reply] = await context.all([context.model(closeBrief(context, thrown.message), { closing: true })])
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
