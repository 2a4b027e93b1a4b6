/** The Plan engine: a loop of its own, with tools that only read and an action `plan`. A bad plan is asked for again. */
import { askUntilValid, type Checked } from '../../../kernel/ask-until-valid.ts'
import { Conversation } from '../../../kernel/brief/conversation.ts'
import { isObject, type KnownTool, type ModelReply, ThinkonError } from '../../../protocol/index.ts'
import { callTools } from '../../call-tools.ts'
import { tryValue } from '../../read-value.ts'
import { loadMemories, memorySection } from '../memory.ts'
import type { Scope } from '../scope.ts'
import { readPlan, readTasks } from '../tasks/read-plan.ts'
import type { Plan, PlanTask, Task } from '../tasks/task.ts'
import { planOf, type TaskTree, taskNames } from '../tasks/tree.ts'
import { type Planning, planBrief, planSections, type Revision, toolsToLookWith } from './prompts.ts'

/** A bad plan is sent back three times. */
const MAX_ASKS = 4

export function makePlan(planning: Planning, revise?: Revision): Promise<Plan> {
  return ask(planning, revise, (value) => {
    const { plan, problems, dropped } = readPlan(value)
    if (dropped > 0) planning.context.emit('dual/plan-warned', { dropped })
    return plan === null ? { ok: false, problems } : { ok: true, value: plan }
  })
}

/** The parts of one task. */
export function makeParts(
  planning: Planning,
  tree: TaskTree,
  { name, goal }: Task,
  said: string,
): Promise<readonly PlanTask[]> {
  const words = `Break the task "${name}" (${goal}) into sub-tasks; answer with them alone as "tasks". ${said}`
  return makeTasks(planning, { plan: planOf(tree), words, said, tasksAlone: true }, taskNames(tree))
}

/** The tasks that are still to be done. Names of tasks that have not begun may be used again. `progress`: how the plan stands. */
export function makeRest(
  planning: Planning,
  tree: TaskTree,
  said: string,
  progress: string,
): Promise<readonly PlanTask[]> {
  const words = `The rest of the plan is to be changed; ${REST_RULE} ${said}`
  return makeTasks(
    planning,
    { plan: planOf(tree), progress, words, said, tasksAlone: true },
    begunNames(tree),
    true,
  )
}

/** The same after a failure, of which `why` tells; null where the plan is to stay as it is. */
export function makeMend(
  planning: Planning,
  tree: TaskTree,
  { why, said, progress }: { readonly why: string; readonly said: string; readonly progress: string },
): Promise<readonly PlanTask[] | null> {
  const words = `${why} To mend the plan ${REST_RULE} ${KEEP_RULE} ${said}`
  const read = tasksReader(begunNames(tree), true)
  const revise = { plan: planOf(tree), progress, words, said, tasksAlone: true, mayKeep: true } as const
  return ask<readonly PlanTask[] | null>(planning, revise, (value) =>
    isObject(value) && value.action === 'keep' ? { ok: true, value: null } : read(value),
  )
}

const KEEP_RULE =
  'Where no other way is open, answer {"action":"keep"}: the other tasks are then carried out as they are.'

const REST_RULE =
  'answer with the tasks that are still to be done, alone, as "tasks"; with an empty list when nothing is.'

function begunNames(tree: TaskTree): ReadonlySet<string> {
  const begun = [...tree.byId.values()].filter((task) => task.status !== 'created' && task !== tree.root)
  return new Set(begun.map(({ name }) => name))
}

/** `known`: names that are taken and may be depended on. `mayBeNone`: an empty list is an answer, too. */
function makeTasks(
  planning: Planning,
  revise: Revision,
  known: ReadonlySet<string>,
  mayBeNone = false,
): Promise<readonly PlanTask[]> {
  return ask(planning, revise, tasksReader(known, mayBeNone))
}

function tasksReader(known: ReadonlySet<string>, mayBeNone: boolean) {
  return (value: unknown): Checked<readonly PlanTask[]> => {
    const given = isObject(value) ? value.tasks : undefined
    if (mayBeNone && Array.isArray(given) && given.length === 0) return { ok: true, value: [] }
    const { tasks, problems } = readTasks(given, known)
    return tasks === null ? { ok: false, problems } : { ok: true, value: tasks }
  }
}

/** Looks and replies share the iterations, and are one conversation: a plan that is refused stays in view with what is wrong. */
async function ask<T>(
  planning: Planning,
  revise: Revision | undefined,
  read: (value: unknown) => Checked<T>,
): Promise<T> {
  const { context, options } = planning
  const tools = toolsToLookWith(planning)
  const { items: remembered } = await loadMemories(planning, {
    query: planning.request,
    iteration: 1,
    known: new Set(),
  })
  const sections = [...planSections(planning, revise), memorySection(remembered)]
  const conversation = new Conversation(sections, `${context.path} results`)
  let iteration = 0
  return askUntilValid<T>({
    maxAsks: MAX_ASKS,
    async ask(problems) {
      while (++iteration <= options.maxPlanIterations) {
        const asking = { conversation, iteration, tools, ...(revise && { revise }) }
        const reply = await context.one(context.model(planBrief(planning, asking)))
        conversation.reply(reply)
        const looks = looksIn(reply)
        const unknown = unknownTool(looks, tools)
        if (unknown !== null) return { ok: false, problems: [unknown] }
        if (looks.length === 0) return read(tryValue(reply))
        await look(planning, looks, conversation)
      }
      throw noPlan(context.path, problems)
    },
    onRefused(problems) {
      const lines = problems.map((line) => `- ${line}\n`).join('')
      conversation.say(`This can't be used:\n${lines}Answer again.`)
      context.emit('dual/plan-refused', { problems })
    },
    giveUp(problems) {
      throw noPlan(context.path, problems)
    },
  })
}

function noPlan(path: string, problems: readonly string[]): ThinkonError {
  const why = problems.length === 0 ? 'it was never given' : problems.map((line) => `- ${line}`).join(' ')
  return new ThinkonError('INVALID_FORMAT', `${path}: there is no plan that can be used: ${why}`)
}

interface Look {
  readonly id?: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

/** Native tool calls, or the one that a model without them asks for in JSON. */
function looksIn(reply: ModelReply): Look[] {
  if (reply.toolCalls !== undefined && reply.toolCalls.length > 0)
    return reply.toolCalls.map(({ id, name, input }) => ({ id, name, input: isObject(input) ? input : {} }))
  const value = tryValue(reply)
  if (!isObject(value) || value.action !== 'require_tool' || typeof value.tool !== 'string') return []
  return [{ name: value.tool, input: isObject(value.params) ? value.params : {} }]
}

/** Names a tool that does not exist, as a sentence for the model. */
function unknownTool(looks: readonly Look[], tools: readonly KnownTool[]): string | null {
  const unknown = looks.find((look) => !tools.some(({ name }) => name === look.name))
  if (unknown === undefined) return null
  const names = tools.map(({ name }) => name).join(', ') || 'none'
  return `There is no tool ${JSON.stringify(unknown.name)} to look with; there are: ${names}.`
}

async function look({ context }: Scope, looks: readonly Look[], conversation: Conversation): Promise<void> {
  conversation.answer(await callTools(context, looks))
}
