/** Reflect: judges whether a block has ended, and alone produces its `plan-return`. */
import type { Checked } from '../../kernel/ask-until-valid.ts'
import { endingOf, endsEarly } from '../../kernel/ending.ts'
import type { Answer } from '../../kernel/strategy.ts'
import { doneText, isObject, type ModelReply, NO_USAGE, type ThinkonError } from '../../protocol/index.ts'
import { tryValue } from '../read-value.ts'
import { PROBE_VERDICTS, type ProbeVerdict } from './notes.ts'
import { type ReflectParts, reflectPrompt } from './prompts.ts'
import { type BrokenRule, broken, checkedBy, noteRefused, type Refusals } from './rules/refusals.ts'
import type { Judgement, PlannerContext, PlanReturn } from './schema.ts'
import { sectionProblems, statusOf, wordsFor } from './sections.ts'

/** The block's answer, or null when there is more to do. */
export async function reflect(context: PlannerContext, refusals: Refusals): Promise<Answer | null> {
  const judgement = await refusals.ask(async (problems) => {
    const request = reflectPrompt(context, { ...partsOf(context), problems })
    return readJudgement(await context.one(context.model(request)), context)
  })
  return judgement.type === 'go-on' ? null : answerOf(context, judgement)
}

/** Where there is no depth for another block: the verdict on a hypothesis, from what this block has executed. */
export async function reflectOn(
  context: PlannerContext,
  answer: Answer,
  refusals: Refusals,
): Promise<Answer> {
  const executed = typeof answer === 'string' ? answer : doneText({ ...answer, usage: NO_USAGE })
  const returned = await refusals.ask<PlanReturn>(async (problems) => {
    const request = reflectPrompt(context, { ...partsOf(context), executed, problems })
    const judged = readJudgement(await context.one(context.model(request)), context)
    if (!judged.ok) return judged
    const { value } = judged
    return value.type === 'go-on' ? { ok: false, problems: [NO_DEPTH_LEFT] } : { ok: true, value }
  })
  return answerOf(context, returned)
}

const NO_DEPTH_LEFT = broken('NO_DEPTH_LEFT', 'answer with "plan-return"')

/**
 * A limit or a loop ends the block with a summary, any other error with what is done. A hypothesis that the block was to test is
 * then undecided, unless the summary says more.
 */
export async function endEarly(context: PlannerContext, thrown: unknown): Promise<Answer> {
  const ending = endingOf(thrown, context.block.done.join('\n'))
  const summary = endsEarly(thrown) ? await summarize(context, thrown) : null
  const { result = ending.result, verdict = 'undecided', evidence } = summary ?? {}
  return { ...ending, result: withVerdict(context, result, verdict, evidence) }
}

/** The block kept a call back for this. Null where nothing is done yet, or the reply can't be used. */
async function summarize(
  context: PlannerContext,
  { code, message }: ThinkonError,
): Promise<PlanReturn | null> {
  context.emit('planner/block-closed', { code, message })
  if (context.block.done.length === 0) return null
  const request = reflectPrompt(context, { ...partsOf(context), closing: message, problems: [] })
  const [reply] = await context.all([context.model(request, { closing: true })])
  if (!reply?.ok) return null
  const judged = readJudgement(reply.value, context)
  if (judged.ok) return judged.value.type === 'plan-return' ? judged.value : null
  for (const problem of judged.problems) noteRefused(context, [problem])
  return null
}

function partsOf({ options: { start } }: PlannerContext): Omit<ReflectParts, 'problems'> {
  return {
    ...(start?.success_signal !== undefined && { success_signal: start.success_signal }),
    ...(start?.hypothesis !== undefined && { hypothesis: start.hypothesis }),
  }
}

function readJudgement(
  reply: ModelReply,
  { block, options: { start } }: PlannerContext,
): Checked<Judgement, BrokenRule> {
  const value = tryValue(reply)
  if (!isObject(value)) return refused('NOT_AN_OBJECT', 'answer with one JSON object')
  if (value.type === 'go-on') return { ok: true, value: { type: 'go-on' } }
  if (value.type !== 'plan-return') return refused('WRONG_TYPE', '"type" must be "go-on" or "plan-return"')
  if (typeof value.result !== 'string') return refused('RETURN_WITHOUT_RESULT', '"result" must be a text')
  const problems = sectionProblems(value.result, wordsFor(block.goal))
  if (start?.hypothesis !== undefined && !PROBE_VERDICTS.includes(value.verdict as ProbeVerdict))
    problems.push(broken('PROBE_WITHOUT_VERDICT', `"verdict" must be one of ${PROBE_VERDICTS.join(', ')}`))
  return checkedBy(problems, value as unknown as PlanReturn)
}

function refused(name: string, message: string): Checked<never, BrokenRule> {
  return { ok: false, problems: [broken(name, message)] }
}

/** The status is what the first section says. */
function answerOf(context: PlannerContext, returned: PlanReturn): Answer {
  const words = wordsFor(context.block.goal)
  const status = statusOf(returned.result, words) ?? returned.status
  const result = withVerdict(context, returned.result, returned.verdict, returned.evidence)
  if (status === 'completed') return result
  return { status, result, reason: firstLine(returned.result, words.headings[0]) }
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

function firstLine(result: string, heading: string): string {
  const [, text = ''] = result.split(`### ${heading}`)
  return text.trim().split('\n')[0] ?? ''
}
