/**
 * The Coordinator: the five phases from a request to its result. It owns the tree of tasks; a leaf is carried out by a child
 * block, and what a person does to a task (skip, redo) comes in as a signal named `subtask`.
 */
import type { Answer, Context } from '../../../kernel/strategy.ts'
import { goalText, languageOf, type ModelReply, type Result, ThinkonError } from '../../../protocol/index.ts'
import { tryValue } from '../../read-value.ts'
import { listBlueprints, type Prepared, prepareBlueprint } from '../plan/blueprints.ts'
import { makePlan, makeTasks } from '../plan/make-plan.ts'
import { type Plan, readTasks } from '../plan/plan-schema.ts'
import { closingSummaryPrompt, type SummaryParts, summaryPrompt } from '../prompts/index.ts'
import { resultOf as outcomeOfOne } from '../react/loop.ts'
import { type Edit, type PlanReview, reviewPlan } from '../review/review.ts'
import type { DualOptions } from '../schema.ts'
import { addTasks, removeTask, renameTask, reorderTasks } from '../tasks/edit-tasks.ts'
import {
  buildTree,
  depthFirst,
  findTask,
  hasFailed,
  isLeaf,
  planOf,
  type Task,
  type TaskTree,
  taskNames,
} from '../tasks/tree.ts'
import type { DualResult, Hooks } from './hooks.ts'
import { beginExecution, type Execution, runTasks, takeRedone, takeSignal, tellRefused } from './run-tasks.ts'
import { type Phase, planned, progressOf, type Session, withOptions } from './session.ts'

export async function coordinate(given: Context<DualOptions>, hooks: Hooks): Promise<Answer> {
  enter(given, 'plan-request')
  const session = await openSession(given, hooks)
  const { context, asked, options } = session
  enter(context, 'plan-generation')
  const plan =
    options.plan ?? (await hooks.planFor(context, asked.request)) ?? (await makePlan(context, asked))
  const tree = await reviewed(session, plan)
  if (tree === null)
    return { status: 'partial', result: '', reason: `${context.path}: the plan was not accepted` }
  enter(context, 'execution')
  const execution = beginExecution(session, tree)
  for (;;) {
    const ended = await runTasks(execution)
    const result = await summarize(execution)
    // A task was done again meanwhile, or is to be.
    if (result === null) continue
    const answer = answerOf(execution, result, ended)
    if (options.nested !== true) await hooks.handleResult(context, resultOf(answer, tree))
    return answer
  }
}

function enter(context: Context, phase: Phase): void {
  context.emit('dual/phase-begun', { phase })
}

async function openSession(context: Context<DualOptions>, hooks: Hooks): Promise<Session> {
  const { block, options: given } = context
  const request = goalText(block.goal)
  const lang = languageOf(request)
  const marks: string[] = []
  const prepared: Prepared =
    given.blueprint === undefined
      ? { options: {}, init: '' }
      : await prepareBlueprint(
          context,
          given.blueprint,
          { params: given.params, by: 'person', task: request },
          marks,
        )
  // What is below has those of the outermost already.
  const provided = given.nested === true ? [] : await hooks.contextsFor(context, request)
  const known = await listBlueprints(context)
  const options = {
    ...given,
    ...prepared.options,
    contexts: [...given.contexts, ...provided],
    ...(known.length > 0 && { knownBlueprints: known }),
  }
  const init = [...marks, prepared.init].filter((text) => text !== '').join('\n')
  return { context: withOptions(context, options), asked: { request, init }, lang, options }
}

/** The plan as it is accepted, as a tree; null when it is not. */
async function reviewed(session: Session, first: Plan): Promise<TaskTree | null> {
  const { context } = session
  let tree = buildTree(first)
  let problems: string[] = []
  for (;;) {
    planned(session, tree)
    enter(context, 'review')
    const review = await reviewPlan(context, progressOf(session, tree), problems)
    problems = []
    context.emit('dual/plan-reviewed', review)
    if (review.choice === 'end') return null
    enter(context, 'refinement')
    if (review.choice === 'continue') return tree
    try {
      tree = await refined(session, tree, review, problems)
    } catch (thrown) {
      problems.push(tellRefused(context, thrown))
    }
  }
}

/** The plan as the review wants it; `problems` gets what could not be done. */
async function refined(
  { context, asked }: Session,
  tree: TaskTree,
  review: Exclude<PlanReview, { choice: 'continue' | 'end' }>,
  problems: string[],
): Promise<TaskTree> {
  const plan = planOf(tree)
  if (review.choice === 'revise')
    return buildTree(await makePlan(context, asked, { plan, words: review.words }))
  if (review.choice === 'edit')
    for (const edit of review.edits) problems.push(...tryEdit(context, tree, edit))
  else
    for (const ref of review.tasks) {
      const task = named(tree, ref)
      if (task === undefined) throw new ThinkonError('BAD_INPUT', `there is no task ${ref} in this plan`)
      const words = `Break the task "${task.name}" (${task.goal}) into sub-tasks; answer with them alone as "tasks". ${review.words}`
      const tasks = await makeTasks(context, asked, { plan, words }, { names: taskNames(tree) })
      problems.push(...tryEdit(context, tree, { do: 'add', under: task.id, tasks }))
    }
  return tree
}

/** An edit that can't be made is told, and the review goes on: what is wrong with it, if anything. */
function tryEdit(context: Context, tree: TaskTree, edit: Edit): string[] {
  try {
    makeEdit(tree, edit)
    return []
  } catch (thrown) {
    return [tellRefused(context, thrown, edit)]
  }
}

/** It comes from a person as it is: what is missing in it is told like what is wrong. */
function makeEdit(tree: TaskTree, edit: Edit): void {
  const ref = (given: unknown) =>
    given === undefined ? tree.root.id : (named(tree, String(given))?.id ?? String(given))
  switch (edit?.do) {
    case 'rename': {
      const { name, goal } = edit
      if (!name && !goal) throw new ThinkonError('BAD_INPUT', 'a "rename" needs the new name')
      renameTask(tree, ref(edit.task), { ...(name && { name }), ...(goal && { goal }) })
      return
    }
    case 'remove':
      removeTask(tree, ref(edit.task))
      return
    case 'add': {
      const { tasks, problems } = readTasks(edit.tasks, { known: taskNames(tree) })
      if (tasks === null) throw new ThinkonError('BAD_INPUT', problems.join(' '))
      addTasks(tree, ref(edit.under), tasks, edit.at)
      return
    }
    case 'reorder':
      if (!Array.isArray(edit.order)) throw new ThinkonError('BAD_INPUT', '"order" must be a list of tasks')
      reorderTasks(tree, ref(edit.under), edit.order.map(ref))
      return
    default:
      throw new ThinkonError('BAD_INPUT', 'an edit is "rename", "remove", "add" or "reorder"')
  }
}

/** What the tasks came to, as one result; null when a task was done again meanwhile, or is to be. */
async function summarize(execution: Execution): Promise<string | null> {
  const { session, tree, inbox } = execution
  const { context } = session
  const op = context.model(summaryPrompt(summaryParts(execution)))
  if ((await context.first([op, inbox])) === 1) {
    await context.cancel(op, 'a person wants something else of a task')
    await takeSignal(execution)
    return null
  }
  let reply = (await outcomeOfOne(context, op)) as Result<ModelReply>
  if (!reply.ok && reply.error.code === 'LIMIT') {
    const closing = context.model(closingSummaryPrompt(summaryParts(execution)), { closing: true })
    reply = (await outcomeOfOne(context, closing)) as Result<ModelReply>
  }
  if (takeRedone(execution)) return null
  const value = reply.ok ? (tryValue(reply.value) as { result?: unknown } | undefined) : undefined
  if (typeof value?.result === 'string') return value.result
  const why = reply.ok ? 'the reply has no "result"' : reply.error.message
  context.emit('dual/summary-failed', { why })
  return resultsOf(tree).join('\n')
}

function summaryParts({ session, tree }: Execution): SummaryParts {
  const { context, asked, options } = session
  const { close = '' } = options
  const progress = progressOf(session, tree)
  return { context, words: asked.request, progress, results: resultsOf(tree), close }
}

function answerOf({ session, tree, ended: children }: Execution, result: string, ended: boolean): Answer {
  const leaves = depthFirst(tree.root).filter(isLeaf)
  const failed = leaves.filter(hasFailed)
  const open = leaves.filter(({ status }) => status === 'created' || status === 'queueing')
  const skipped = tree.root.status === 'skipped'
  if (failed.length === 0 && open.length === 0 && !ended && !skipped) return result
  const parts = [
    ...(skipped ? ['the whole plan was skipped'] : []),
    ...failed
      .slice(0, 3)
      .map(
        ({ index, name, reason }) =>
          `${index} "${name}" was aborted${reason === undefined ? '' : `: ${reason}`}`,
      ),
    ...(open.length > 0
      ? [open.length === 1 ? '1 task was not begun' : `${open.length} tasks were not begun`]
      : []),
    ...(ended ? ['a person ended it here'] : []),
  ]
  const limited = failed.map(({ id }) => children.get(id)?.outcome).find((one) => one?.limit !== undefined)
  return {
    status: 'partial',
    result,
    reason: `${session.context.path}: ${parts.join('; ')}`,
    ...(limited?.code !== undefined && { code: limited.code }),
    ...(limited?.limit !== undefined && { limit: limited.limit }),
  }
}

function resultOf(answer: Answer, { root }: TaskTree): DualResult {
  if (typeof answer === 'string') return { status: 'completed', result: answer, tree: root }
  return { status: answer.status, result: answer.result, tree: root }
}

/** What each task came to, whole. What an earlier attempt came to is not among it: it was done again because it was wrong. */
function resultsOf(tree: TaskTree): string[] {
  return depthFirst(tree.root)
    .filter(({ long_summary }) => long_summary !== '')
    .map(({ index, name, status, reason, long_summary }) => {
      const how = status === 'aborted' ? `[aborted${reason === undefined ? '' : `: ${reason}`}] ` : ''
      return `${index} ${name}: ${how}${long_summary}`
    })
}

function named(tree: TaskTree, ref: string): Task | undefined {
  return findTask(tree, ref) ?? depthFirst(tree.root).find(({ name }) => name === ref)
}
