/**
 * Functions of the program that uses the strategy: a prepared plan, texts for every prompt, and a handler of the result.
 * Each is a step of the coordinator like any other: what it returned is on record, and not asked for again.
 */
import type { Answer } from '../../../kernel/strategy.ts'
import type { Tool } from '../../../kernel/tool.ts'
import { type Outcome, ThinkonError } from '../../../protocol/index.ts'
import type { Action } from '../react/loop.ts'
import type { NamedText } from '../schema.ts'
import { type DualContext, resultOf } from '../scope.ts'
import { readPlan } from '../tasks/read-plan.ts'
import type { Plan, Task } from '../tasks/task.ts'

export interface ContextProvider {
  readonly name: string
  provide(request: string): string | Promise<string>
}

export interface DualResult {
  readonly status: Outcome['status']
  readonly result: string
  /** The root of the tasks as they ended. */
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
      const given = await context.one(context.tool(`${name}/plan-template`, { request }))
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
        context.tool(`${name}/context`, { provider: one.name, request }),
      )
      for (const [i, result] of (await context.all(ops)).entries()) {
        const provider = contextProviders[i]?.name ?? ''
        if (result.ok)
          texts.push({ name: provider, text: String(result.value), ref: `${context.path}/${ops[i]?.n}` })
        else context.emit('dual/context-missing', { provider, problem: result.error.message })
      }
      return texts
    },
    async handleResult(context: DualContext, answer: Answer, tree: Task): Promise<void> {
      if (resultHandler === undefined) return
      const { status, result } = typeof answer === 'string' ? { status: 'completed', result: answer } : answer
      const handled = await resultOf(context, context.tool(`${name}/result`, { status, result, tree }))
      if (!handled.ok) context.emit('dual/result-unhandled', { problem: handled.error.message })
    },
  }
}

function programsOf(
  name: string,
  { planTemplate, resultHandler, contextProviders = [] }: DualHooks,
): readonly Tool[] {
  const programs: Tool[] = []
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
