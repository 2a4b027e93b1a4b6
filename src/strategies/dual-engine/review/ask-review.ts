/**
 * Reviews: of a plan before it is carried out, of a task when it has ended, of a blueprint's parameters. With `auto` nobody is
 * asked; with `ai` a person is asked where a model sees a risk. A waiting review is a question like any other: it survives a
 * restart.
 */
import { askUntilValid } from '../../../kernel/ask-until-valid.ts'
import type { Op } from '../../../kernel/durable.ts'
import { FENCE_RULE } from '../../../kernel/fence.ts'
import { goalText, type ModelRequest, shorten } from '../../../protocol/index.ts'
import { langOf } from '../../../views/words.ts'
import { clip, MAX_PROMPT, request, userWords } from '../prompts/parts.ts'
import type { PlanReview, ReviewName, TaskReview } from '../schema.ts'
import { fieldsOf, resultOf, type Scope } from '../scope.ts'
import { readParamsReview, readPlanReview, readTaskReview } from './read-review.ts'

const RISK_RULES = `You judge how risky it is to go on without asking a person: irreversible effects, effects outside of the workspace, doubt about what the user wants. Answer with one JSON
object: {"risk":0.0–1.0,"reason":"…"}
`

/** How often parameters are asked about before they count as refused. */
const MAX_ASKS = 3

type Params = Readonly<Record<string, unknown>>

/** `problems`: what was wrong with the last answer. */
export async function reviewPlan(
  scope: Scope,
  progress: string,
  problems: readonly string[] = [],
): Promise<PlanReview> {
  const about = [...problems.map((problem) => `! ${problem}`), progress].join('\n')
  const answer = await askPerson(scope, 'review-plan', about)
  return answer === null ? { choice: 'continue' } : readPlanReview(answer)
}

/** Waits for a person's answer, and may do something else meanwhile. */
type Wait = (op: Op) => Promise<unknown>

/** Null where nobody is asked. */
export async function reviewTask(scope: Scope, about: string, wait: Wait): Promise<TaskReview | null> {
  const answer = await askPerson(scope, 'review-task', about, wait)
  return answer === null ? null : readTaskReview(answer)
}

/** The parameters to use; null where a person refuses. */
export async function reviewParams(scope: Scope, name: string, params: Params): Promise<Params | null> {
  const about = `${name}: ${JSON.stringify(params)}`
  return askUntilValid<Params | null>({
    maxAsks: MAX_ASKS,
    async ask([problem = '']) {
      const answer = await askPerson(scope, 'review-params', `${problem}${about}`)
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
  about: string,
  wait: Wait = (op) => scope.context.one(op),
): Promise<unknown> {
  const { context, options } = scope
  if (options.review === 'auto' || !options.allowUserInteract) return null
  const { what, how } = QUESTIONS[langOf(goalText(context.block.goal))][name]
  if (options.review === 'ai') {
    const { risk, reason } = await judgeRisk(scope, what, about)
    context.emit('dual/risk-judged', { what: name, risk, reason })
    if (risk < options.riskThreshold) return null
  }
  // Free text is an answer, too: the choices stand in the text instead of being the only ones offered.
  const text = `${what}\n${about}\n(${how})`
  return wait(context.ask({ text, fallback: 'continue' }, { name }))
}

/** What can't be judged is a risk. */
async function judgeRisk(scope: Scope, what: string, about: string) {
  const { context } = scope
  const { risk, reason } = fieldsOf(await resultOf(context, context.model(riskPrompt(scope, what, about))))
  const known = typeof risk === 'number' && risk >= 0 && risk <= 1
  return {
    risk: known ? risk : 1,
    reason: typeof reason === 'string' ? shorten(reason, 300) : 'it could not be judged',
  }
}

function riskPrompt({ context }: Scope, what: string, about: string): ModelRequest {
  return request(
    'dual/judge-risk',
    'judge',
    { goal: goalText(context.block.goal), what },
    [RISK_RULES, FENCE_RULE],
    [userWords(goalText(context.block.goal)), `${what}:\n${clip(about, MAX_PROMPT)}\n`],
  )
}

type Questions = Readonly<Record<ReviewName, { readonly what: string; readonly how: string }>>

const QUESTIONS: Readonly<Record<'en' | 'zh', Questions>> = {
  en: {
    'review-plan': {
      what: 'The plan: go on with it?',
      how: 'continue | unclear: … | incomplete: … | subtasks 1-2: … | remove 1-2 | rename 1-2: … | end | or say in your own words what to change',
    },
    'review-task': {
      what: 'A task has ended: go on?',
      how: 'continue | adjust: … | deeper: … | inaccurate: … | end',
    },
    'review-params': {
      what: 'The parameters of a blueprint: go on with them?',
      how: 'continue | {"name": "value"} changes some | end',
    },
  },
  zh: {
    'review-plan': {
      what: '计划：是否继续？',
      how: '继续 | 不清楚：… | 不完整：… | 子任务 1-2：… | 删除 1-2 | 改名 1-2：… | 结束 | 或直接说明要改什么',
    },
    'review-task': {
      what: '一个任务已结束：是否继续？',
      how: '继续 | 调整：… | 深入：… | 不准确：… | 结束',
    },
    'review-params': {
      what: '蓝图参数：是否使用？',
      how: '继续 | {"参数名": "值"} 修改其中一些 | 结束',
    },
  },
}
