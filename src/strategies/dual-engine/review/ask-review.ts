/**
 * Reviews: of a plan before it is carried out, of a task when it has ended, of a blueprint's parameters. With `auto` nobody is
 * asked; with `ai` a person is asked where a model sees a risk. A waiting review is a question like any other: it survives a
 * restart.
 */
import { askUntilValid } from '../../../kernel/ask-until-valid.ts'
import type { Brief } from '../../../kernel/brief/brief.ts'
import type { Op } from '../../../kernel/durable.ts'
import { FENCE_RULE } from '../../../kernel/fence.ts'
import { goalText, shorten } from '../../../protocol/index.ts'
import { langOf } from '../../../views/words.ts'
import { QUESTIONS, reviewText, saidInReview } from '../answers/questions.ts'
import { readParamsReview, readPlanReview, readTaskReview } from '../answers/read-review.ts'
import { personSection, requestSections } from '../prompts/sections.ts'
import { type PlanReview, REPLY, type ReviewName, type TaskReview } from '../schema.ts'
import { fieldsOf, resultOf, type Scope } from '../scope.ts'

const RISK_RULES = `You judge how risky it is to go on without asking a person: irreversible effects, effects outside of the workspace, doubt about what the user wants. Answer with one JSON
object: {"risk":0.0–1.0,"reason":"…"}
`

/** How often parameters are asked about before they count as refused. */
const MAX_ASKS = 3

type Params = Readonly<Record<string, unknown>>

/** Waits for a person's answer, and may do something else meanwhile. */
export type Wait = (op: Op) => Promise<unknown>

/** `problems`: what was wrong with the last answer. */
export async function reviewPlan(
  scope: Scope,
  progress: string,
  problems: readonly string[] = [],
  wait?: Wait,
): Promise<PlanReview> {
  const about = [...problems.map((problem) => `! ${problem}`), progress].join('\n')
  const answer = await askPerson(scope, 'review-plan', { shown: about, whole: about }, wait)
  return answer === null ? { choice: 'continue' } : readPlanReview(answer)
}

/** What is to be judged: as a person reads it on a screen, and whole, as a model does. */
export interface Reviewed {
  readonly shown: string
  readonly whole: string
  /** The task that it is about, for those who are told of the answer later. */
  readonly task?: string
}

/** Null where nobody is asked. */
export async function reviewTask(scope: Scope, about: Reviewed, wait: Wait): Promise<TaskReview | null> {
  const answer = await askPerson(scope, 'review-task', about, wait)
  return answer === null ? null : readTaskReview(answer)
}

/** The parameters to use; null where a person refuses. */
export async function reviewParams(scope: Scope, name: string, params: Params): Promise<Params | null> {
  const about = `${name}: ${JSON.stringify(params)}`
  return askUntilValid<Params | null>({
    maxAsks: MAX_ASKS,
    async ask([problem = '']) {
      const shown = `${problem}${about}`
      const answer = await askPerson(scope, 'review-params', { shown, whole: shown })
      const review = answer === null ? ({ choice: 'continue' } as const) : readParamsReview(answer)
      if (review.choice === 'edit') return { ok: true, value: { ...params, ...review.params } }
      if (review.choice === 'continue') return { ok: true, value: params }
      if (review.choice === 'end') return { ok: true, value: null }
      // "no", "the wrong folder": whatever it means, it is not a yes.
      return { ok: false, problems: [`! ${shorten(String(answer), 200)} ?\n`] }
    },
    giveUp: () => null,
  })
}

/** The person's answer; null where nobody is asked. */
async function askPerson(
  scope: Scope,
  name: ReviewName,
  { shown, whole, task }: Reviewed,
  wait: Wait = (op) => scope.context.one(op),
): Promise<unknown> {
  const { context, options } = scope
  if (options.review === 'auto' || !options.allowUserInteract) return null
  const question = QUESTIONS[langOf(goalText(context.block.goal))][name]
  if (options.review === 'ai') {
    const { risk, reason } = await judgeRisk(scope, question.what, whole)
    context.emit('dual/risk-judged', { what: name, risk, reason })
    if (risk < options.riskThreshold) return null
  }
  const says = (answer: unknown) => saidInReview(question, answer, task)
  return wait(context.ask({ text: reviewText(question, shown), fallback: 'continue' }, { name, says }))
}

/** What can't be judged is a risk. */
async function judgeRisk(scope: Scope, what: string, about: string) {
  const { context } = scope
  const { risk, reason } = fieldsOf(await resultOf(context, context.model(riskBrief(scope, what, about))))
  const known = typeof risk === 'number' && risk >= 0 && risk <= 1
  return {
    risk: known ? risk : 1,
    reason: typeof reason === 'string' ? shorten(reason, 300) : 'it could not be judged',
  }
}

function riskBrief(scope: Scope, what: string, about: string): Brief {
  const { context } = scope
  const goal = goalText(context.block.goal)
  return {
    kind: 'dual/judge-risk',
    version: 3,
    role: 'judge',
    input: { goal, what },
    system: [RISK_RULES, FENCE_RULE],
    sections: [
      ...requestSections(scope, goal, context.ancestors),
      personSection(context),
      { need: 'first', items: [{ about: what, text: about, data: 'reviewed' }] },
    ],
    question: 'How risky is it to go on without asking a person?',
    schema: REPLY,
  }
}
