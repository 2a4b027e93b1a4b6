/** Reflect: judges whether a block has ended, and alone produces its `plan-return`. */
import type { Checked } from '../../kernel/ask-until-valid.ts'
import { Conversation } from '../../kernel/brief/conversation.ts'
import { endingOf, endsEarly } from '../../kernel/ending.ts'
import { doneText, isObject, type ModelReply, NO_USAGE, type ThinkonError } from '../../protocol/index.ts'
import { tryValue } from '../read-value.ts'
import { contextSections } from './context-sections.ts'
import type { Ended } from './deliver.ts'
import type { Executed } from './execute.ts'
import { PROBE_VERDICTS, type ProbeVerdict } from './notes.ts'
import { type ReflectParts, reflectBrief } from './prompts.ts'
import { type BrokenRule, broken, checkedBy, noteRefused, type Refusals } from './rules/refusals.ts'
import type { Judgement, PlannerContext, PlanReturn } from './schema.ts'
import { completionIn, deliverableIn, sectionProblems, statusOf, wordsFor } from './sections.ts'

/** How the block ends, or why there is more to do. */
export async function reflect(
  context: PlannerContext,
  refusals: Refusals,
): Promise<Ended | { readonly goOn: string }> {
  const results = context.block.done
  const reflecting = {
    conversation: new Conversation(contextSections(context)),
    results,
    parts: partsOf(context),
  }
  const judgement = await ask<Judgement>(context, reflecting, refusals, (judged) => judged)
  if (judgement.type === 'go-on') return { goOn: judgement.reason ?? '' }
  return {
    ...endedWith(context, judgement, results),
    async again(wrong) {
      reflecting.conversation.say(wrong)
      const sentBack = { ...reflecting, parts: { ...reflecting.parts, sentBack: true } }
      const returned = await ask(context, sentBack, refusals, mustReturn)
      return deliverableOf(returned, results) ?? deliverableIn(returned.result) ?? ''
    },
  }
}

/** Where there is no depth for another block: the verdict on a hypothesis, from what this block has executed. */
export async function reflectOn(
  context: PlannerContext,
  { answer, outputs }: Executed,
  refusals: Refusals,
): Promise<Ended> {
  const executed = typeof answer === 'string' ? answer : doneText({ ...answer, usage: NO_USAGE })
  const results = [...context.block.done, executed]
  const conversation = new Conversation(contextSections(context, outputs))
  const parts = { ...partsOf(context), executed }
  const returned = await ask(context, { conversation, results, parts }, refusals, mustReturn)
  return endedWith(context, returned, results)
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
    check: (reply) => also(readJudgement(reply, context, results.length)),
  })
}

function mustReturn(judged: Judged<Judgement>): Judged<PlanReturn> {
  if (!judged.ok) return judged
  const { value } = judged
  return value.type === 'go-on' ? { ok: false, problems: [NO_DEPTH_LEFT] } : { ok: true, value }
}

const NO_DEPTH_LEFT = broken('NO_DEPTH_LEFT', 'answer with "plan-return"')

/**
 * A limit or a loop ends the block with a summary, any other error with what is done. A hypothesis that the block was to test is
 * then undecided, unless the summary says more.
 */
export async function endEarly(context: PlannerContext, thrown: unknown): Promise<Ended> {
  const ending = endingOf(thrown, context.block.done.join('\n'))
  const summary = endsEarly(thrown) ? await summarize(context, thrown) : null
  const { result = ending.result, verdict = 'undecided', evidence } = summary ?? {}
  return {
    answer: { ...ending, result: withVerdict(context, result, verdict, evidence) },
    hasReport: summary !== null,
    deliverable: summary === null ? undefined : deliverableOf(summary, context.block.done),
  }
}

/** The block kept a call back for this. Null where nothing is done yet, or the reply can't be used. */
async function summarize(
  context: PlannerContext,
  { code, message }: ThinkonError,
): Promise<PlanReturn | null> {
  context.emit('planner/block-closed', { code, message })
  const { done } = context.block
  if (done.length === 0) return null
  const parts = { ...partsOf(context), closing: message }
  const brief = reflectBrief(context, { sections: contextSections(context) }, parts, [])
  const [reply] = await context.all([context.model(brief, { closing: true })])
  if (!reply?.ok) return null
  const judged = readJudgement(reply.value, context, done.length)
  if (judged.ok) return judged.value.type === 'plan-return' ? judged.value : null
  for (const problem of judged.problems) noteRefused(context, [problem])
  return null
}

function partsOf({ options: { start } }: PlannerContext): ReflectParts {
  return {
    ...(start?.success_signal !== undefined && { success_signal: start.success_signal }),
    ...(start?.hypothesis !== undefined && { hypothesis: start.hypothesis }),
  }
}

function readJudgement(
  reply: ModelReply,
  { block, options: { start } }: PlannerContext,
  results: number,
): Judged<Judgement> {
  const value = tryValue(reply)
  if (!isObject(value)) return refused('NOT_AN_OBJECT', 'answer with one JSON object')
  if (value.type === 'go-on')
    return {
      ok: true,
      value: { type: 'go-on', ...(typeof value.reason === 'string' && { reason: value.reason }) },
    }
  if (value.type !== 'plan-return') return refused('WRONG_TYPE', '"type" must be "go-on" or "plan-return"')
  if (typeof value.result !== 'string') return refused('RETURN_WITHOUT_RESULT', '"result" must be a text')
  const problems = sectionProblems(value.result, wordsFor(block.goal))
  if (!isDeliverable(value.deliverable, results)) problems.push(deliverableUnclear(results))
  if (start?.hypothesis !== undefined && !PROBE_VERDICTS.includes(value.verdict as ProbeVerdict))
    problems.push(broken('PROBE_WITHOUT_VERDICT', `"verdict" must be one of ${PROBE_VERDICTS.join(', ')}`))
  return checkedBy(problems, value as unknown as PlanReturn)
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

/** The deliverable that was returned apart from the report. */
function deliverableOf({ deliverable }: PlanReturn, results: readonly string[]): string | undefined {
  if (typeof deliverable === 'string') return deliverable.trim() === '' ? undefined : deliverable
  if (deliverable === undefined || deliverable === null) return undefined
  const text = results[deliverable.result - 1] ?? ''
  return deliverableIn(text) ?? text
}

/** The status is what the first section says. */
function endedWith(context: PlannerContext, returned: PlanReturn, results: readonly string[]): Ended {
  const words = wordsFor(context.block.goal)
  const status = statusOf(returned.result, words) ?? returned.status
  const result = withVerdict(context, returned.result, returned.verdict, returned.evidence)
  const [reason = ''] = completionIn(returned.result, words).split('\n')
  return {
    answer: status === 'completed' ? result : { status, result, reason },
    deliverable: deliverableOf(returned, results),
    isJudged: isObject(returned.deliverable),
  }
}

/** The result of a block that tests a hypothesis begins with the verdict; any other result stays as it is. */
function withVerdict(
  context: PlannerContext,
  result: string,
  verdict: ProbeVerdict | undefined,
  evidence = '',
): string {
  const { hypothesis } = context.options.start ?? {}
  if (hypothesis === undefined || verdict === undefined) return result
  context.emit('planner/probe-judged', { hypothesis, verdict, evidence })
  const words = wordsFor(context.block.goal)
  const why = evidence === '' ? '' : `\n${words.evidence}: ${evidence}`
  const judged = `**${words.probe[verdict]}** ${hypothesis}${why}`
  return result === '' ? judged : `${judged}\n\n${result}`
}
