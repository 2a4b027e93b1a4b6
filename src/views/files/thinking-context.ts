/** `.thinkon/thinking-context.json`: the exact Context JSON of the last planning call, for whoever looks over its shoulder. */
import { join } from 'node:path'
import type { Event } from '../../protocol/index.ts'
import { type FileView, type RunPlace, replaceFile } from './file-view.ts'

export const THINKING_CONTEXT = '.thinkon/thinking-context.json'

/** The request of a planning call has the Context JSON as a part of its own, the first of the last message. */
export function thinkingContextFile({ workspace }: RunPlace): FileView {
  return (event) => {
    const context = contextOf(event)
    if (context !== null) replaceFile(join(workspace, THINKING_CONTEXT), context)
  }
}

function contextOf(event: Event): string | null {
  if (event.type !== 'model-start' || event.request.kind !== 'planner/plan') return null
  const content = event.request.messages.at(-1)?.content
  return typeof content === 'object' ? (content[0] ?? null) : null
}
