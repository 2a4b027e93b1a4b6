/**
 * The Coordinator: the five phases from a request to its result. It owns the tree of tasks; a leaf is carried out by a child
 * block, and what a person does to a task (skip, redo) comes in as a signal named `subtask`.
 */
import type { Op } from '../../hosts/durable.ts'
import type { Answer, Context } from '../../kernel/strategy.ts'
import { goalText, type ModelReply, ThinkonError } from '../../protocol/index.ts'
import { tryValue } from '../read-value.ts'
import { type Prepared, prepareBlueprint } from './blueprints.ts'
import { addTasks, removeTask, renameTask, reorderTasks } from './edit-tasks.ts'
import type { DualResult, Hooks } from './hooks.ts'
import type { DualOptions } from './options.ts'
import { makePlan, makeTasks } from './plan-engine.ts'
import type { Plan } from './plan-schema.ts'
import { summaryPrompt } from './prompts.ts'
import { type Edit, reviewPlan } from './review.ts'
import { runTasks } from './run-tasks.ts'
import { type Phase, planned, progressOf, type Session, withOptions } from './session.ts'
import { buildTree, depthFirst, findTask, planOf, type Task, type TaskTree, taskNames } from './tasks.ts'

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
  let inbox = context.listen('subtask')
  for (;;) {
    const { ended, inbox: open } = await runTasks(session, tree, inbox)
    const result = await summarize(session, tree, open)
    if (result === null) {
      inbox = open
      continue
    }
    const answer = answerOf(context, tree, result, ended)
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
  const lang = /\p{Script=Han}/u.test(request) ? 'zh' : 'en'
  const marks: string[] = []
  const prepared: Prepared =
    given.blueprint === undefined
      ? { options: {}, init: '' }
      : await prepareBlueprint(context, given.blueprint, given.params, request, marks)
  // What is below has those of the outermost already.
  const provided = given.nested === true ? [] : await hooks.contextsFor(context, request)
  const options = { ...given, ...prepared.options, contexts: [...given.contexts, ...provided] }
  const init = [...marks, prepared.init].filter((text) => text !== '').join('\n')
  return { context: withOptions(context, options), asked: { request, init }, lang, options }
}

/** The plan as it is accepted, as a tree; null when it is not. */
async function reviewed(session: Session, first: Plan): Promise<TaskTree | null> {
  const { context, asked } = session
  let tree = buildTree(first)
  for (;;) {
    planned(session, tree)
    enter(context, 'review')
    const review = await reviewPlan(context, progressOf(session, tree))
    context.emit('dual/plan-reviewed', review)
    if (review.choice === 'continue') return tree
    if (review.choice === 'end') return null
    enter(context, 'refinement')
    const plan = planOf(tree)
    if (review.choice === 'revise')
      tree = buildTree(await makePlan(context, asked, { plan, words: review.words }))
    else if (review.choice === 'edit') for (const edit of review.edits) tryEdit(context, tree, edit)
    else
      for (const ref of review.tasks) {
        const task = named(tree, ref)
        if (task === undefined) continue
        const words = `Break the task "${task.name}" (${task.goal}) into sub-tasks; answer with them alone as "tasks". ${review.words}`
        addTasks(tree, task.id, await makeTasks(context, asked, { plan, words }, taskNames(tree)))
      }
  }
}

/** An edit that can't be made is told, and the review goes on. */
function tryEdit(context: Context, tree: TaskTree, edit: Edit): void {
  const ref = (given: string | undefined) =>
    given === undefined ? tree.root.id : (named(tree, given)?.id ?? given)
  try {
    if (edit.do === 'rename')
      renameTask(tree, ref(edit.task), {
        ...(edit.name && { name: edit.name }),
        ...(edit.goal && { goal: edit.goal }),
      })
    else if (edit.do === 'remove') removeTask(tree, ref(edit.task))
    else if (edit.do === 'add') addTasks(tree, ref(edit.under), edit.tasks, edit.at)
    else reorderTasks(tree, ref(edit.under), edit.order.map(ref))
  } catch (thrown) {
    if (!ThinkonError.isInstance(thrown) || thrown.code !== 'BAD_INPUT') throw thrown
    context.emit('dual/edit-refused', { edit, problem: thrown.message })
  }
}

/** What the tasks came to, as one result; null when a person wants a task done again meanwhile. */
async function summarize(session: Session, tree: TaskTree, inbox: Op<unknown>): Promise<string | null> {
  const { context, asked, options } = session
  const { close = '' } = options
  const op = context.model(summaryPrompt(context, asked.request, progressOf(session, tree), close), {
    closing: true,
  })
  if ((await context.first([op, inbox])) === 1) {
    await context.cancel(op, 'a task is done again')
    return null
  }
  const [reply] = await context.all([op])
  const value = reply?.ok
    ? (tryValue(reply.value as ModelReply) as { result?: unknown } | undefined)
    : undefined
  return typeof value?.result === 'string' ? value.result : resultsOf(tree)
}

function answerOf(context: Context, tree: TaskTree, result: string, ended: boolean): Answer {
  const failed = depthFirst(tree.root).filter(
    ({ status, replaced, subtasks }) => subtasks.length === 0 && status === 'aborted' && !replaced,
  )
  const open = depthFirst(tree.root).filter(
    ({ status, subtasks }) => subtasks.length === 0 && (status === 'created' || status === 'queueing'),
  )
  if (failed.length === 0 && open.length === 0 && !ended) return result
  const parts = [
    ...failed
      .slice(0, 3)
      .map(
        ({ index, name, reason }) =>
          `${index} "${name}" was aborted${reason === undefined ? '' : `: ${reason}`}`,
      ),
    ...(open.length > 0 ? [`${open.length} tasks were not begun`] : []),
    ...(ended && failed.length === 0 ? ['a person ended it here'] : []),
  ]
  return { status: 'partial', result, reason: `${context.path}: ${parts.join('; ')}` }
}

function resultOf(answer: Answer, { root }: TaskTree): DualResult {
  if (typeof answer === 'string') return { status: 'completed', result: answer, tree: root }
  return { status: answer.status, result: answer.result, tree: root }
}

/** Without the model: each task's summary. */
function resultsOf(tree: TaskTree): string {
  return depthFirst(tree.root)
    .filter(({ task_summary }) => task_summary !== '')
    .map(({ index, name, task_summary }) => `${index} ${name}: ${task_summary}`)
    .join('\n')
}

function named(tree: TaskTree, ref: string): Task | undefined {
  return findTask(tree, ref) ?? depthFirst(tree.root).find(({ name }) => name === ref)
}
