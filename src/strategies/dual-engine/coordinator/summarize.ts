/** The results of the tasks, as one result, and how the whole plan ended. */
import type { Answer } from '../../../kernel/strategy.ts'
import { closingSummaryPrompt, type SummaryParts, summaryPrompt } from '../prompts/plan.ts'
import { fieldsOf, resultOf } from '../scope.ts'
import { depthFirst, hasFailed, isLeaf } from '../tasks/task.ts'
import type { TaskTree } from '../tasks/tree.ts'
import { type Execution, takeRedone, takeSignal } from './execution.ts'
import { progressOf } from './session.ts'

/** Null when a task was redone meanwhile, or will be. */
export async function summarize(execution: Execution): Promise<string | null> {
  const { session, tree, inbox } = execution
  const { context } = session
  const op = context.model(summaryPrompt(summaryParts(execution)))
  if ((await context.first([op, inbox])) === 1) {
    await context.cancel(op, 'a person wants something else of a task')
    await takeSignal(execution)
    return null
  }
  let reply = await resultOf(context, op)
  if (!reply.ok && reply.error.code === 'LIMIT') {
    const closing = context.model(closingSummaryPrompt(summaryParts(execution)), { closing: true })
    reply = await resultOf(context, closing)
  }
  if (takeRedone(execution)) return null
  const { result } = fieldsOf(reply)
  if (typeof result === 'string') return result
  const why = reply.ok ? 'the reply has no "result"' : reply.error.message
  context.emit('dual/summary-failed', { why })
  return resultsOf(tree).join('\n')
}

/** `ended`: a person ended it. */
export function answerOf(execution: Execution, result: string, ended: boolean): Answer {
  const { session, tree, ended: children } = execution
  const leaves = depthFirst(tree.root).filter(isLeaf)
  const failed = leaves.filter(hasFailed)
  const open = leaves.filter(({ status }) => status === 'created' || status === 'queueing')
  const parts = [
    ...(tree.root.status === 'skipped' ? ['the whole plan was skipped'] : []),
    ...failed
      .slice(0, 3)
      .map(({ index, name, reason }) => `${index} "${name}" was aborted${because(reason)}`),
    ...(open.length === 1 ? ['1 task was not begun'] : []),
    ...(open.length > 1 ? [`${open.length} tasks were not begun`] : []),
    ...(ended ? ['a person ended it here'] : []),
  ]
  if (parts.length === 0) return result
  const limited = failed.map(({ id }) => children.get(id)?.outcome).find((one) => one?.limit !== undefined)
  return {
    status: 'partial',
    result,
    reason: `${session.context.path}: ${parts.join('; ')}`,
    ...(limited?.code !== undefined && { code: limited.code }),
    ...(limited?.limit !== undefined && { limit: limited.limit }),
  }
}

function summaryParts({ session, tree }: Execution): SummaryParts {
  const { context, options, asked } = session
  const progress = progressOf(session, tree)
  return { context, options, words: asked.request, progress, results: resultsOf(tree) }
}

/** Each task's result, whole. That of an earlier attempt is not among them: it was done again because it was wrong. */
function resultsOf(tree: TaskTree): string[] {
  return depthFirst(tree.root)
    .filter(({ long_summary }) => long_summary !== '')
    .map(({ index, name, status, reason, long_summary }) => {
      const how = status === 'aborted' ? `[aborted${because(reason)}] ` : ''
      return `${index} ${name}: ${how}${long_summary}`
    })
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`
}
