/** The results of the tasks, as one result, and how the whole plan ended. */
import { FENCE_RULE } from '../../../kernel/fence.ts'
import type { Answer } from '../../../kernel/strategy.ts'
import { goalText, type ModelRequest } from '../../../protocol/index.ts'
import { timelineText } from '../../prompt-text.ts'
import { clip, MAX_CLOSING, MAX_NOTICES, MAX_PROMPT, promptOf, request, userWords } from '../prompts/parts.ts'
import { fieldsOf, resultOf } from '../scope.ts'
import { depthFirst, hasFailed, isLeaf } from '../tasks/task.ts'
import type { TaskTree } from '../tasks/tree.ts'
import { type Execution, takeRedone, takeSignal } from './execution.ts'
import { progressOf } from './session.ts'

const SUMMARY_RULES = `A plan was carried out. Answer with one JSON object: {"result":"…"}: what the user asked for, whole, made from what the tasks came to; what was skipped or
failed is said plainly. Write in the language of the user's words.
`

// In tokens.
const MAX_RESULT = 700
const MIN_RESULT = 50
const ALL_RESULTS = 14_000
const MAX_RESULTS = 200

/** Null when a task was redone meanwhile, or will be. */
export async function summarize(execution: Execution): Promise<string | null> {
  const { session, tree, inbox } = execution
  const { context } = session
  const op = context.model(summaryPrompt(execution, false))
  if ((await context.first([op, inbox])) === 1) {
    await context.cancel(op, 'a person wants something else of a task')
    await takeSignal(execution)
    return null
  }
  let reply = await resultOf(context, op)
  if (!reply.ok && reply.error.code === 'LIMIT')
    reply = await resultOf(context, context.model(summaryPrompt(execution, true), { closing: true }))
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

/** `closing`: a limit is reached, and only as much is said as fits into a closing call. */
function summaryPrompt({ session, tree }: Execution, closing: boolean): ModelRequest {
  const { context, options, asked } = session
  const { goal, done } = context.block
  const { close = '' } = options
  const words = asked.request
  const progress = progressOf(session, tree)
  const results = resultsOf(tree)
  const whole = [
    userWords(words),
    `The plan:\n${progress}\n`,
    resultTexts(results),
    timelineText(context, MAX_NOTICES, ['message', 'notice']),
    close === '' ? '' : `${clip(close, MAX_PROMPT)}\n`,
  ]
  const short = [userWords(words, MAX_CLOSING / 4), `The plan:\n${clip(progress, MAX_CLOSING)}\n`]
  return request(
    'dual/summarize',
    'synthesize',
    { goal: goalText(goal), request: words, done, progress, results, ...(closing && { closing }) },
    closing ? [SUMMARY_RULES, FENCE_RULE] : [SUMMARY_RULES, promptOf(session), FENCE_RULE],
    closing ? short : whole,
  )
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

/** Few results whole, of many the beginning of each. */
function resultTexts(results: readonly string[]): string {
  const shown = results.slice(-MAX_RESULTS)
  const left = results.length - shown.length
  const share = Math.floor(ALL_RESULTS / Math.max(1, shown.length))
  const room = Math.max(MIN_RESULT, Math.min(MAX_RESULT, share))
  return `Results:\n${left > 0 ? `(${left} earlier ones are not shown)\n` : ''}${shown.map((text) => `- ${clip(text, room)}\n`).join('')}`
}
