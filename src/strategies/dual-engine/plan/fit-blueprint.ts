/** A blueprint for the task at hand: its parameters, and where these do not reach, its plan, by what the task says. */
import { askUntilValid, type Checked } from '../../../kernel/ask-until-valid.ts'
import { Conversation } from '../../../kernel/brief/conversation.ts'
import { type ErrorData, isObject, type Result, ThinkonError } from '../../../protocol/index.ts'
import { demandsOf } from '../../closing/demands-of.ts'
import { asObject, tryValue } from '../../read-value.ts'
import { reviewParams } from '../review/ask-review.ts'
import { resultOf, type Scope } from '../scope.ts'
import { readPlan } from '../tasks/read-plan.ts'
import type { Plan } from '../tasks/task.ts'
import { type Fitted, type ParamsSource, paramsBrief, paramsSections } from './prompts.ts'

const MAX_ASKS = 3

type Params = Readonly<Record<string, unknown>>

/** As it stands in its file. */
export interface Blueprint extends Fitted {
  readonly verbose_name: string
  readonly parameters: Params
  readonly review: boolean
}

export interface FilledBlueprint {
  readonly prompts: Readonly<Record<'init_prompt' | 'persistent_prompt' | 'result_prompt', string>>
  readonly plan: Plan | null
  readonly tools: readonly string[] | null
}

interface Fitting {
  /** What a person has confirmed. */
  readonly confirmed: Params
  /** The error that the blueprint is given up with. */
  failed(message: string): ThinkonError
}

/** `isChanged`: its plan is not the blueprint's own. */
export async function fitBlueprint(
  scope: Scope,
  blueprint: Blueprint,
  from: ParamsSource,
  { confirmed, failed }: Fitting,
): Promise<{ readonly filled: FilledBlueprint; readonly isChanged: boolean }> {
  const { name, review } = blueprint
  const known = { ...from, params: { ...from.params, ...confirmed } }
  const conversation = new Conversation(paramsSections(scope, blueprint, known))
  return askUntilValid({
    maxAsks: MAX_ASKS,
    async ask([problem = ''], asks) {
      const fit = await fitTo(scope, blueprint, known, { conversation, problem })
      const isLast = asks === MAX_ASKS
      const given = { ...fit.params, ...confirmed }
      const missing = asks === 1 ? missingFiles([given, fit.plan, blueprint], from.task) : []
      const problems = [...fit.problems, ...missing]
      if (problems.length > 0 && !isLast) return { ok: false, problems: [problems.join(' ')] }
      const params = review ? await reviewParams(scope, name, given) : given
      if (params === null) throw failed(`a person does not want "${name}"`)
      const filled = await fill(scope, name, params, fit.plan)
      // A plan that can't be used is no reason to give the blueprint up: it has one of its own.
      if (!filled.ok && fit.plan !== null && isLast)
        return checked(await fill(scope, name, params, null), false)
      return checked(filled, fit.plan !== null)
    },
    giveUp([problem = '']) {
      throw failed(problem)
    },
  })
}

function fill({ context }: Scope, name: string, params: Params, plan: Plan | null): Promise<Result> {
  const input = { name, params, ...(plan !== null && { plan }) }
  return resultOf(context, context.ownTool('blueprint__fill', input))
}

function checked(
  filled: Result,
  isChanged: boolean,
): Checked<{ filled: FilledBlueprint; isChanged: boolean }> {
  if (!filled.ok) return { ok: false, problems: [filled.error.message] }
  return { ok: true, value: { filled: filled.value as FilledBlueprint, isChanged } }
}

/** A file that the task asks for counts, whatever the blueprint calls its own: it is asked about once. */
function missingFiles(fitted: unknown, task: string): string[] {
  const all = JSON.stringify(fitted)
  return demandsOf(task).flatMap((demand) =>
    demand.type === 'file' && !all.includes(demand.path)
      ? [`The task asks for the file "${demand.path}", which neither the parameters nor the plan name.`]
      : [],
  )
}

interface Fit {
  readonly params: Params
  /** In the place of the blueprint's own. */
  readonly plan: Plan | null
  /** What is wrong with that plan. */
  readonly problems: readonly string[]
}

/** The parameters and the plan for the task. What a person gave stands; what a model suggested gives way to better. */
async function fitTo(
  scope: Scope,
  blueprint: Blueprint,
  { params, by, task }: ParamsSource & { params: Params },
  { conversation, problem }: { conversation: Conversation; problem: string },
): Promise<Fit> {
  if (problem === '' && !isOpen(blueprint, params)) return { params, plan: null, problems: [] }
  const { context } = scope
  if (problem !== '') {
    const used = conversation.isEmpty ? ` ${JSON.stringify(params)}` : ''
    conversation.say(`This can't be used:${used} ${problem} Answer again.`)
  }
  const asked = await resultOf(context, context.model(paramsBrief(scope, blueprint, task, conversation)))
  if (!asked.ok) return unfitted(blueprint, params, asked.error)
  const reply = asked.value
  conversation.reply(reply)
  const { params: read, plan: changed } = asObject(tryValue(reply) ?? {})
  const extracted = isObject(read) ? read : {}
  const { plan, problems } = changed == null ? NO_PLAN : readPlan(changed)
  return {
    params: by === 'person' ? { ...extracted, ...params } : { ...params, ...extracted },
    plan,
    problems,
  }
}

/** Nobody could fit it: it is used as it is, if nothing is missing that it needs. */
function unfitted({ parameters }: Blueprint, params: Params, error: ErrorData): Fit {
  const needed = Array.isArray(parameters.required) ? parameters.required : []
  if (error.code === 'LIMIT' || needed.some((name) => !(name in params))) throw ThinkonError.fromJSON(error)
  return { params, ...NO_PLAN }
}

const NO_PLAN = { plan: null, problems: [] }

/** Whether a task can say anything about it that is not known. */
function isOpen({ parameters, plan }: Blueprint, given: Params): boolean {
  return plan !== null || Object.keys(parameters.properties ?? {}).some((name) => !(name in given))
}
