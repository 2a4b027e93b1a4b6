/** The results of the tasks, as one result, and how the whole plan ended. */
import type { Brief } from '../../../kernel/brief/brief.ts'
import type { Item, Section } from '../../../kernel/brief/section.ts'
import { FENCE_RULE } from '../../../kernel/fence.ts'
import type { Answer } from '../../../kernel/strategy.ts'
import { goalText } from '../../../protocol/index.ts'
import { toolsSection } from '../../sections.ts'
import { personSection, promptOf, requestSections } from '../prompts/sections.ts'
import { REPLY } from '../schema.ts'
import { fieldsOf, resultOf } from '../scope.ts'
import { isLastLeaf } from '../tasks/needs.ts'
import { depthFirst, hasFailed, isLeaf, type Task } from '../tasks/task.ts'
import type { TaskTree } from '../tasks/tree.ts'
import type { Execution } from './execution.ts'
import { takeRedone } from './redo-tasks.ts'
import { marksOf } from './session.ts'
import { takeSignal } from './take-signal.ts'

const SUMMARY_RULES = `A plan was carried out; you see the results of its tasks. Answer with one JSON object: {"result":"…"}: what the user asked for, whole, in the form that was asked
for, made from these results. It goes to the user as it is: no report on tasks or on how it was made. Where results contradict each other, decide, and be consistent. Leave out nothing that
the user needs; what was skipped or failed is said plainly. Of a file that was made, say in two or three sentences what is in it. Write in the language of the user's words.
`

/** The task whose result is that of the plan, as it was told; null where there is none, or not all went well. */
export function lastTask({ tree, last }: Execution): Task | null {
  const leaves = depthFirst(tree.root).filter((task) => isLeaf(task) && task.replaced !== true)
  if (leaves.some(({ status }) => status !== 'completed')) return null
  return leaves.find((leaf) => last.has(leaf.id) && isLastLeaf(tree, leaf)) ?? null
}

/** Null when a task was redone meanwhile, or will be. */
export async function summarize(execution: Execution): Promise<string | null> {
  const { session, tree, inbox } = execution
  const { context } = session
  const whole = lastTask(execution)
  if (whole !== null) return whole.long_summary
  const op = context.model(summaryBrief(execution, { closing: false }))
  if ((await context.first([op, inbox])) === 1) {
    await context.cancel(op, 'a person wants something else of a task')
    await takeSignal(execution)
    return null
  }
  let reply = await resultOf(context, op)
  if (!reply.ok && reply.error.code === 'LIMIT') {
    const closing = context.model(summaryBrief(execution, { closing: true }), { closing: true })
    reply = await resultOf(context, closing)
  }
  if (await takeRedone(execution)) return null
  const { result } = fieldsOf(reply)
  if (typeof result === 'string' && result.trim() !== '') return result
  const why = reply.ok ? 'the reply has no "result"' : reply.error.message
  context.emit('dual/summary-failed', { why })
  return resultsOf(tree).join('\n')
}

/** Once more, with the earlier result and what is wrong with it in view. */
export async function summarizeAgain(execution: Execution, result: string, wrong: string): Promise<string> {
  const { context } = execution.session
  const brief = summaryBrief(execution, { closing: false, sentBack: { result, wrong } })
  const { result: second } = fieldsOf(await resultOf(context, context.model(brief)))
  return typeof second === 'string' ? second : ''
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

interface SummaryAsk {
  readonly closing: boolean
  readonly sentBack?: { readonly result: string; readonly wrong: string }
}

function summaryBrief(execution: Execution, { closing, sentBack }: SummaryAsk): Brief {
  const { session, tree } = execution
  const { context, options, request: words } = session
  const { goal, done } = context.block
  const { close = '' } = options
  const progress = marksOf(session, tree.root)
  const results = resultsOf(tree)
  return {
    kind: 'dual/summarize',
    version: 4,
    role: 'synthesize',
    input: { goal: goalText(goal), request: words, done, progress, results, ...(closing && { closing }) },
    system: [SUMMARY_RULES, promptOf(session), FENCE_RULE],
    sections: [
      ...requestSections(session, words, context.ancestors),
      personSection(context),
      { need: 'whole', items: close === '' ? [] : [{ text: close }] },
      { ...toolsSection(context), title: 'What was looked at for the plan:' },
      resultsSection(execution),
      { need: 'first', items: sentBack === undefined ? [] : [sentBackItem(sentBack.result)] },
    ],
    question: [
      `The plan as it stands:\n${progress}\n`,
      sentBack === undefined ? '' : sentBack.wrong,
      'The result?',
    ],
    schema: REPLY,
  }
}

/**
 * Each task's result, under its task; without that of one task, where given. That of an earlier attempt is not among them: it was
 * done again because it was wrong.
 */
export function resultsSection({ session, tree, blocks }: Execution, without: Task | null = null): Section {
  const tasks = withResult(tree).filter((task) => task !== without)
  const items = tasks.map((task): Item => {
    const ref = blocks.get(task.id)
    const { index, name, goal, status, reason, long_summary: text } = task
    const what = goal === name ? name : `${name}: ${goal}`
    return {
      about: `Result of the task ${index} ${what} [${status}${because(reason)}]`,
      text,
      data: 'result',
      ...(ref !== undefined && { ref }),
    }
  })
  return { need: 'first', title: 'The results:', items, ref: `${session.context.path} results` }
}

function sentBackItem(result: string): Item {
  return { about: 'The result as it was given:', text: result, data: 'result' }
}

function resultsOf(tree: TaskTree): string[] {
  return withResult(tree).map(({ index, name, status, reason, long_summary }) => {
    const how = status === 'aborted' ? `[aborted${because(reason)}] ` : ''
    return `${index} ${name}: ${how}${long_summary}`
  })
}

function withResult(tree: TaskTree): Task[] {
  return depthFirst(tree.root).filter(({ long_summary }) => long_summary !== '')
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`
}
