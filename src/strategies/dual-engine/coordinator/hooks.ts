/**
 * Functions of the program that uses the strategy: a prepared plan, texts for every prompt, and a handler of the result.
 * Each is a step of the coordinator like any other: what it returned is on record, and not asked for again.
 */
import type { Answer } from '../../../kernel/strategy.ts'
import type { Tool } from '../../../kernel/tool.ts'
import { type Outcome, parentPath, ThinkonError } from '../../../protocol/index.ts'
import type { Action } from '../react/loop.ts'
import type { NamedText } from '../schema.ts'
import { type DualContext, resultOf } from '../scope.ts'
import { readPlan } from '../tasks/read-plan.ts'
import { isLeaf, type Plan, type Task } from '../tasks/task.ts'
import { summariesOf } from './execution.ts'
import { type LookInput, lookProgram, type Progress, type Seen } from './look-program.ts'

export interface ContextProvider {
  readonly name: string
  provide(request: string): string | Promise<string>
}

export interface DualResult {
  readonly status: Outcome['status']
  readonly result: string
  /** The root of the tasks as they ended, each with its summaries, what it did last, and where the results of its tool calls are. */
  readonly tree: Task
}

export interface DualHooks {
  /** The plan for a request; null where the model is to make it. */
  planTemplate?(request: string): Plan | null | Promise<Plan | null>
  /** Called once, when the outermost coordinator ends; what it throws changes nothing. */
  resultHandler?(result: DualResult): void | Promise<void>
  readonly contextProviders?: readonly ContextProvider[]
  /** Further actions for the loops. They are code of the strategy: they can reach nothing but the loop's context. */
  readonly actions?: readonly Action[]
}

export type Hooks = ReturnType<typeof hooksOf>

/** The hooks as a coordinator calls them. */
export function hooksOf(name: string, hooks: DualHooks) {
  const { planTemplate, resultHandler, contextProviders = [] } = hooks
  return {
    programs: programsOf(name, hooks),
    async planFor(context: DualContext, request: string): Promise<Plan | null> {
      if (planTemplate === undefined) return null
      const given = await context.one(context.ownTool(`${name}/plan-template`, { request }))
      if (given === null) return null
      const { plan, problems } = readPlan(given)
      const why = `${name}/plan-template gave no usable plan: ${problems.join(' ')}`
      if (plan === null) throw new ThinkonError('BAD_INPUT', why)
      context.emit('dual/template-used', { main_task: plan.main_task })
      return plan
    },
    async contextsFor(context: DualContext, request: string): Promise<readonly NamedText[]> {
      const texts: NamedText[] = []
      const ops = contextProviders.map((one) =>
        context.ownTool(`${name}/context`, { provider: one.name, request }),
      )
      for (const [i, result] of (await context.all(ops)).entries()) {
        const provider = contextProviders[i]?.name ?? ''
        if (result.ok)
          texts.push({ name: provider, text: String(result.value), ref: `${context.path}/${ops[i]?.n}` })
        else context.emit('dual/context-missing', { provider, problem: result.error.message })
      }
      return texts
    },
    /** How far the plan is that this block carries out a task of; null where that is not known. */
    async look(context: DualContext, lang: LookInput['lang']): Promise<Progress | null> {
      const input: LookInput = { plan: parentPath(context.path) ?? '', block: context.path, lang }
      const looked = await resultOf(context, context.ownTool(`${name}/look`, input))
      return looked.ok ? (looked.value as Progress | null) : null
    },
    async handleResult(context: DualContext, answer: Answer, root: Task): Promise<void> {
      if (resultHandler === undefined) return
      const { status, result } = typeof answer === 'string' ? { status: 'completed', result: answer } : answer
      const input: LookInput = { plan: context.path, lang: 'en' }
      const looked = await resultOf(context, context.ownTool(`${name}/look`, input))
      const tree = toldTree(root, result, (looked.ok ? looked.value : {}) as Seen)
      const handled = await resultOf(context, context.ownTool(`${name}/result`, { status, result, tree }))
      if (!handled.ok) context.emit('dual/result-unhandled', { problem: handled.error.message })
    },
  }
}

/** The tasks as they ended, with what only the journal knows of them; what holds others, with what they came to. */
function toldTree(root: Task, result: string, seen: Seen): Task {
  const told = (task: Task): Task => {
    const subtasks = task.subtasks.map(told)
    const parts = subtasks.map(({ index, name, short_summary }) => `${index} ${name}: ${short_summary}`)
    const own = task === root ? summariesOf(result) : isLeaf(task) ? {} : summariesOf(parts.join('\n'))
    return { ...task, ...seen[task.id], ...own, subtasks }
  }
  return told(root)
}

function programsOf(
  name: string,
  { planTemplate, resultHandler, contextProviders = [] }: DualHooks,
): readonly Tool[] {
  const programs: Tool[] = [lookProgram(`${name}/look`)]
  if (planTemplate !== undefined)
    programs.push({
      name: `${name}/plan-template`,
      description: 'A plan made beforehand, for a request.',
      access: 'read',
      run: async (input) => (await planTemplate((input as { request: string }).request)) ?? null,
    })
  if (contextProviders.length > 0)
    programs.push({
      name: `${name}/context`,
      description: 'A text for every prompt.',
      access: 'read',
      run: async (input) => {
        const { provider, request } = input as { provider: string; request: string }
        return contextProviders.find((one) => one.name === provider)?.provide(request) ?? ''
      },
    })
  if (resultHandler !== undefined)
    programs.push({
      name: `${name}/result`,
      description: 'Is told how it ended.',
      // Not repeated after a crash in the middle: it is called at most once.
      access: 'write',
      run: async (input) => {
        await resultHandler(input as DualResult)
        return null
      },
    })
  return programs
}
