/**
 * The Coordinator: the five phases from a request to its result. It owns the tree of tasks; a leaf is carried out by a child
 * block, and what a person does to a task (skip, redo) comes in as a signal named `subtask`.
 */
import type { Section } from '../../../kernel/brief/section.ts'
import type { Answer, Context } from '../../../kernel/strategy.ts'
import { goalText, languageOf } from '../../../protocol/index.ts'
import { checkedResult } from '../../closing/checked-result.ts'
import { toolsSection } from '../../sections.ts'
import { makePlan } from '../plan/make-plan.ts'
import { listBlueprints, prepareBlueprint } from '../plan/prepare-blueprint.ts'
import { blueprintSection } from '../prompts/sections.ts'
import type { DualOptions } from '../schema.ts'
import type { Scope } from '../scope.ts'
import { redoTask } from '../tasks/change-tasks.ts'
import { depthFirst, isLeaf, type Task } from '../tasks/task.ts'
import { buildTree, planOf } from '../tasks/tree.ts'
import { acceptPlan } from './accept-plan.ts'
import { beginExecution, type Execution, reportReopened } from './execution.ts'
import type { Hooks } from './hooks.ts'
import { runTasks } from './run-tasks.ts'
import { enter, type Session } from './session.ts'
import { answerOf, lastTask, resultsSection, summarize, summarizeAgain } from './summarize.ts'

export async function coordinate(context: Context<DualOptions>, hooks: Hooks): Promise<Answer> {
  enter(context, 'plan-request')
  const session = await openSession({ context, options: context.options }, hooks)
  const { request, options } = session
  enter(context, 'plan-generation')
  const plan = options.plan ?? (await hooks.planFor(context, request)) ?? (await makePlan(session))
  const index = options.index ?? withoutAttempts(context.path)
  const tree = await acceptPlan(session, buildTree(plan, index), {
    remake: async (drafted, words) =>
      buildTree(await makePlan(session, { plan: planOf(drafted), words, said: words }), index),
  })
  if (tree === null)
    return { status: 'partial', result: '', reason: `${context.path}: the plan was not accepted` }
  enter(context, 'execution')
  const execution = beginExecution(session, tree)
  for (;;) {
    const ended = await runTasks(execution)
    const result = await summarize(execution)
    // A task was redone meanwhile, or will be.
    if (result === null) continue
    const answer = await held(context, execution, answerOf(execution, result, ended))
    if (options.nested !== true) await hooks.handleResult(context, answer, tree.root)
    return answer
  }
}

/** The number of a block that another strategy, or nobody, has called: that of its place. */
function withoutAttempts(path: string): string {
  return path.replace(/#\d+/g, '')
}

/** Held against the goal. What comes back is made again by who made it: the last task, or the summary. */
async function held(context: Context<DualOptions>, execution: Execution, answer: Answer): Promise<Answer> {
  if (typeof answer !== 'string') return answer
  const last = lastTask(execution)
  return checkedResult(context, answer, {
    parts: partsOf(context, execution),
    material: [
      blueprintSection(execution.session.options),
      lookedAt(context),
      resultsSection(execution, last),
    ],
    mendsFiles: last !== null,
    again: (wrong) =>
      last === null ? summarizeAgain(execution, answer, wrong) : redoLast(execution, last, wrong),
  })
}

/** The tasks may have changed it since, which the check does not see: what they saw themselves is in their results. */
function lookedAt(context: Context<DualOptions>): Section {
  return {
    ...toolsSection(context),
    title: 'What was looked at before the work, and may have changed since:',
  }
}

/** What one task did without a tool is the work of one call. */
function partsOf(context: Context, { tree }: Execution): number {
  const leaves = depthFirst(tree.root).filter(isLeaf).length
  return leaves > 1 ? leaves : context.known().filter(({ kind }) => kind === 'tool').length
}

async function redoLast(execution: Execution, { id }: Task, wrong: string): Promise<string> {
  reportReopened(execution, redoTask(execution.tree, id, wrong))
  await runTasks(execution)
  return lastTask(execution)?.long_summary ?? ''
}

/** The request, and the options with what a blueprint and the context providers add. */
async function openSession(scope: Scope, hooks: Hooks): Promise<Session> {
  const { context, options: given } = scope
  const request = goalText(context.block.goal)
  const from = { params: given.params, by: 'person', task: request } as const
  const prepared =
    given.blueprint === undefined ? {} : await prepareBlueprint(scope, given.blueprint, from, [])
  // What is below has those of the outermost already.
  const provided = given.nested === true ? [] : await hooks.contextsFor(context, request)
  const known = await listBlueprints(scope)
  const options = {
    ...given,
    ...prepared,
    contexts: [...given.contexts, ...provided],
    ...(known.length > 0 && { knownBlueprints: known }),
  }
  return { context, request, lang: languageOf(request), options }
}
