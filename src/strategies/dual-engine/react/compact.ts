/**
 * Compaction of a loop's conversation by a model's summary, before the kernel has to do it by program. It is cumulative: a
 * summary is never thrown away by a later one; when there are many, the oldest are summed up together. What a person said and
 * the words of errors stay; the originals are in the journal.
 */
import type { Brief } from '../../../kernel/brief/brief.ts'
import { fieldsOf, resultOf } from '../scope.ts'
import type { Loop } from './loop.ts'
import { compactBrief } from './prompts.ts'

const MAX_SUMMARIES = 8

/** Before this request is made. Where the model can't sum up, the kernel's own compaction keeps a line of each turn. */
export async function compact(loop: Loop, brief: Brief): Promise<void> {
  const { context, conversation } = loop
  const room = context.roomFor(brief)
  const oldest = room === null ? null : conversation.oldest(room)
  if (room === null || oldest === null) return
  const summary = await sumUp(loop, oldest.text)
  if (summary === null) conversation.compact(room, Number.POSITIVE_INFINITY)
  else conversation.fold(oldest.turns, summary, room)
  const { summaries } = conversation
  context.emit('dual/history-compacted', { items: oldest.turns, summaries: summaries.length })
  if (summaries.length <= MAX_SUMMARIES) return
  const first = summaries.slice(0, MAX_SUMMARIES / 2)
  conversation.joinSummaries(first.length, await sumUp(loop, first.join('\n')), room)
}

async function sumUp(loop: Loop, text: string): Promise<string | null> {
  const { context } = loop
  const { summary } = fieldsOf(await resultOf(context, context.model(compactBrief(loop, text))))
  return typeof summary === 'string' && summary.trim() !== '' ? summary : null
}
