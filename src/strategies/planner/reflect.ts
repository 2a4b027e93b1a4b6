/** Reflect: judges whether a block has ended, and alone produces its `plan-return`. */
import type { Checked } from '../../kernel/ask-until-valid.ts'
import { Conversation } from '../../kernel/brief/conversation.ts'
import { endingOf, endsEarly } from '../../kernel/ending.ts'
import { isObject, type ModelReply, oneLine, type ThinkonError } from '../../protocol/index.ts'
import { tryValue } from '../read-value.ts'
import { contextSections } from './context-sections.ts'
import { canWrite, type Ended } from './deliver.ts'
import { PROBE_VERDICTS } from './notes.ts'
import { type Probing, verdictsIn } from './probing.ts'
import { type ReflectParts, reflectBrief } from './prompts.ts'
import { type BrokenRule, broken, checkedBy, noteRefused, type Refusals } from './rules/refusals.ts'
import {
  type GoOn,
  type Judgement,
  type PlannerContext,
  type PlanReturn,
  STATUSES,
  type Status,
} from './schema.ts'
import { completionIn, deliverableIn, sectionProblems, statusOf, wordsFor } from './sections.ts'

/** How the block ends, or why there is more to do. */
export async function reflect(
  context: PlannerContext,
  refusals: Refusals,
  probing: Probing | null,
  goOn: (reason: string) => Promise<Ended>,
): Promise<Ended | { readonly goOn: string }> {
  const results = context.block.done
  const reflecting = {
    conversation: new Conversation(contextSections(context)),
    results,
    parts: partsOf(context, probing),
  }
  const judgement = await ask<Judgement>(context, reflecting, refusals, (judged) => judged)
  probing?.judge(judgement.verdicts)
  if (judgement.type === 'go-on') return { goOn: judgement.reason ?? '' }
  return {
    ...endedWith(context, judgement, results, probing),
    async again(wrong) {
      reflecting.conversation.say(wrong)
      const mayGoOn = canWrite(context)
      const sentBack = { ...reflecting, parts: { ...reflecting.parts, sentBack: { mayGoOn } } }
      const returned = await ask<Judgement>(
        context,
        sentBack,
        refusals,
        mayGoOn ? (judged) => judged : mustReturn,
      )
      if (returned.type === 'go-on') return goOn(returned.reason ?? '')
      return endedWith(context, returned, results, probing)
    },
  }
}

interface Reflecting {
  readonly conversation: Conversation
  readonly results: readonly string[]
  readonly parts: ReflectParts
}

type Judged<T> = Checked<T, BrokenRule>

function ask<T>(
  context: PlannerContext,
  { conversation, results, parts }: Reflecting,
  refusals: Refusals,
  also: (judged: Judged<Judgement>) => Judged<T>,
): Promise<T> {
  return refusals.ask<T>({
    conversation,
    brief: (problems) => reflectBrief(context, { conversation }, parts, problems),
    check: (reply) => also(readJudgement(reply, context, results.length, parts)),
  })
}

function mustReturn(judged: Judged<Judgement>): Judged<PlanReturn> {
  if (!judged.ok) return judged
  const { value } = judged
  return value.type === 'go-on' ? { ok: false, problems: [MUST_RETURN] } : { ok: true, value }
}

const MUST_RETURN = broken('WRONG_TYPE', 'answer with "plan-return"')

/** A limit or a loop ends the block with a summary, any other error with what is done. */
export async function endEarly(
  context: PlannerContext,
  thrown: unknown,
  probing: Probing | null,
): Promise<Ended> {
  const ending = endingOf(thrown, context.block.done.join('\n'))
  const summary = endsEarly(thrown) ? await summarize(context, thrown, probing) : null
  if (summary !== null) probing?.judge(summary.verdicts)
  const result = summary?.result ?? ending.result
  return {
    answer: { ...ending, result: probing?.told(result) ?? result },
    hasReport: summary !== null,
    deliverable: summary === null ? undefined : deliverableOf(summary, context.block.done),
  }
}

/** The block kept a call back for this. Null where nothing is done yet, or the reply can't be used. */
async function summarize(
  context: PlannerContext,
  { code, message }: ThinkonError,
  probing: Probing | null,
): Promise<PlanReturn | null> {
  context.emit('planner/block-closed', { code, message })
  const { done } = context.block
  if (done.length === 0) return null
  const parts = { ...partsOf(context, probing), closing: message }
  const brief = reflectBrief(context, { sections: contextSections(context) }, parts, [])
  const [reply] = await context.all([context.model(brief, { closing: true })])
  if (!reply?.ok) return null
  const judged = readJudgement(reply.value, context, done.length, parts)
  if (judged.ok) return judged.value.type === 'plan-return' ? judged.value : null
  for (const problem of judged.problems) noteRefused(context, [problem])
  return null
}

function partsOf({ options: { start } }: PlannerContext, probing: Probing | null): ReflectParts {
  return {
    ...(start?.success_signal !== undefined && { success_signal: start.success_signal }),
    ...(probing !== null && { hypotheses: probing.hypotheses() }),
  }
}

function readJudgement(
  reply: ModelReply,
  { block }: PlannerContext,
  results: number,
  { hypotheses = [] }: ReflectParts,
): Judged<Judgement> {
  const value = tryValue(reply)
  if (!isObject(value)) return refused('NOT_AN_OBJECT', 'answer with one JSON object')
  const verdicts = hypotheses.length === 0 ? [] : verdictsIn(value.verdicts, hypotheses)
  const problems = verdicts === null ? [verdictUnclear(hypotheses.length)] : []
  if (value.type === 'go-on') {
    const { type, reason } = value
    const judged = { type, verdicts, ...(typeof reason === 'string' && { reason }) }
    return checkedBy(problems, judged as GoOn)
  }
  if (value.type !== 'plan-return') return refused('WRONG_TYPE', '"type" must be "go-on" or "plan-return"')
  if (typeof value.result !== 'string') return refused('RETURN_WITHOUT_RESULT', '"result" must be a text')
  if (!isStatus(value.status)) problems.push(STATUS_UNKNOWN)
  problems.push(...sectionProblems(value.result, wordsFor(block.goal)))
  if (!isDeliverable(value.deliverable, results)) problems.push(deliverableUnclear(results))
  return checkedBy(problems, { ...value, verdicts } as unknown as PlanReturn)
}

/** The document's form has none: then the first section says it. */
function isStatus(value: unknown): boolean {
  return value === undefined || value === null || STATUSES.includes(value as Status)
}

const STATUS_UNKNOWN = broken('RETURN_STATUS_UNKNOWN', `"status" must be one of ${STATUSES.join(', ')}`)

function verdictUnclear(hypotheses: number): BrokenRule {
  return broken(
    'VERDICT_UNCLEAR',
    `"verdicts" must be a list of {"hypothesis":n,"verdict":"…","evidence":"…"}, n from 1 to ${hypotheses}, the verdict one of ${PROBE_VERDICTS.join(', ')}`,
  )
}

function refused(name: string, message: string): Checked<never, BrokenRule> {
  return { ok: false, problems: [broken(name, message)] }
}

function isDeliverable(value: unknown, results: number): value is PlanReturn['deliverable'] {
  if (value === undefined || value === null || typeof value === 'string') return true
  if (!isObject(value) || !Number.isInteger(value.result)) return false
  const number = value.result as number
  return number >= 1 && number <= results
}

function deliverableUnclear(results: number): BrokenRule {
  const last = results === 0 ? '' : `, or {"result":n} with the number of a result from 1 to ${results}`
  return broken('RETURN_DELIVERABLE_UNCLEAR', `"deliverable" must be the text itself${last}; or be left out`)
}

/** A result that Reflect has copied instead of referring to it: judged as it stands, too. */
function isOneOf(results: readonly string[], deliverable: string | undefined): boolean {
  if (deliverable === undefined) return false
  return results.some((text) => oneLine(deliverableIn(text) ?? text) === oneLine(deliverable))
}

/** The deliverable that was returned apart from the report. */
function deliverableOf({ deliverable }: PlanReturn, results: readonly string[]): string | undefined {
  if (typeof deliverable === 'string') return deliverable.trim() === '' ? undefined : deliverable
  if (deliverable === undefined || deliverable === null) return undefined
  const text = results[deliverable.result - 1] ?? ''
  return deliverableIn(text) ?? text
}

/** The status is what the first section says. */
function endedWith(
  context: PlannerContext,
  returned: PlanReturn,
  results: readonly string[],
  probing: Probing | null,
): Ended {
  const words = wordsFor(context.block.goal)
  // sectionProblems has seen to it that it says one.
  const status = statusOf(returned.result, words) ?? 'failed'
  const result = probing?.told(returned.result) ?? returned.result
  const [reason = ''] = completionIn(returned.result, words).split('\n')
  const deliverable = deliverableOf(returned, results)
  return {
    answer: status === 'completed' ? result : { status, result, reason },
    deliverable,
    isJudged: isObject(returned.deliverable) || isOneOf(results, deliverable),
  }
}
