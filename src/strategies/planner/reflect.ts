/** Reflect: judges whether a block has ended, and alone produces its `plan-return`. */
import type { Answer, Context } from '../../kernel/strategy.ts'
import {
  doneText,
  type ErrorCode,
  type LimitName,
  type ModelReply,
  NO_USAGE,
  ThinkonError,
} from '../../protocol/index.ts'
import { tryValue } from '../read-value.ts'
import type { PlannerOptions } from './options.ts'
import { type ReflectParts, reflectPrompt } from './prompts.ts'
import type { Refusals } from './rules/refusals.ts'
import type { PlanReturn } from './schema.ts'
import { sectionProblems, statusOf, wordsFor } from './sections.ts'

export const PROBE_VERDICTS = ['confirmed', 'refuted', 'undecided'] as const

interface ProbeReturn extends PlanReturn {
  readonly verdict?: (typeof PROBE_VERDICTS)[number]
  readonly evidence?: string
}

type Judgement = { readonly type: 'go-on'; readonly reason?: string } | ProbeReturn

/** The block's answer, or null when there is more to do. */
export async function reflect(context: Context<PlannerOptions>, refusals: Refusals): Promise<Answer | null> {
  const judgement = await refusals.ask(async (told) => {
    const reply = await context.one(context.model(reflectPrompt(context, { ...partsOf(context), told })))
    const { value, problems } = read(reply, context)
    return { value, names: problems.map(nameOf), told: problems, repeats: false }
  })
  return judgement.type === 'go-on' ? null : answerOf(context, judgement)
}

/** Where there is no depth for another block: the verdict on a hypothesis, from what was executed in this one. */
export async function reflectOn(
  context: Context<PlannerOptions>,
  executed: Answer,
  refusals: Refusals,
): Promise<Answer> {
  const text = typeof executed === 'string' ? executed : doneText({ ...executed, usage: NO_USAGE })
  const parts = { ...partsOf(context), executed: text }
  const judgement = await refusals.ask(async (told) => {
    const reply = await context.one(context.model(reflectPrompt(context, { ...parts, told })))
    const { value, problems } = read(reply, context)
    if (value?.type === 'go-on') problems.push('NO_DEPTH_LEFT: answer with "plan-return"')
    return { value: value as ProbeReturn, names: problems.map(nameOf), told: problems, repeats: false }
  })
  return answerOf(context, judgement)
}

/**
 * A limit or a loop ends the block with a summary; replies that can't be used end it with what it has. A hypothesis that it was
 * to test is undecided then, unless the summary says more.
 */
export async function close(context: Context<PlannerOptions>, thrown: unknown): Promise<Answer> {
  const { verdict = 'undecided', evidence, ...answer } = await ending(context, thrown)
  return { ...answer, result: withVerdict(context, answer.result, verdict, evidence) }
}

type Ending = Exclude<Answer, string> & Pick<ProbeReturn, 'verdict' | 'evidence'>

async function ending(context: Context<PlannerOptions>, thrown: unknown): Promise<Ending> {
  if (!ThinkonError.isInstance(thrown)) throw thrown
  const { code, message } = thrown
  const result = context.block.done.join('\n')
  if (FAILURES.has(code)) return { status: 'failed', result, reason: message, code }
  if (code !== 'LIMIT' && code !== 'LOOP') throw thrown
  context.emit('planner/block-closed', { code, message })
  const limit = thrown.data.limit as LimitName | undefined
  const partial = { status: 'partial', reason: message, code, ...(limit !== undefined && { limit }) } as const
  if (context.block.done.length === 0) return { ...partial, result }
  const request = reflectPrompt(context, { ...partsOf(context), closing: message, told: [] })
  const [reply] = await context.all([context.model(request, { closing: true })])
  if (!reply?.ok) return { ...partial, result }
  const { value, problems } = read(reply.value, context)
  for (const problem of problems)
    context.emit('planner/reply-refused', { names: [nameOf(problem)], told: [problem] })
  if (problems.length > 0 || value.type !== 'plan-return') return { ...partial, result }
  const { verdict, evidence } = value
  return { ...partial, result: value.result, ...(verdict !== undefined && { verdict, evidence }) }
}

/** Failures of the block itself, not of the machinery: what was counted is in its outcome, too. */
const FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['INVALID_FORMAT', 'MODEL_ERROR', 'BAD_INPUT'])

function partsOf({ options: { start } }: Context<PlannerOptions>): Omit<ReflectParts, 'told'> {
  return {
    ...(start?.success_signal !== undefined && { success_signal: start.success_signal }),
    ...(start?.hypothesis !== undefined && { hypothesis: start.hypothesis }),
  }
}

/** The judgement, and what is wrong with it: each begins with its name. */
function read(
  reply: ModelReply,
  { block, options: { start } }: Context<PlannerOptions>,
): { value: Judgement; problems: string[] } {
  const value = tryValue(reply) as ProbeReturn | null
  const given = { value: value as Judgement }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { ...given, problems: ['NOT_AN_OBJECT: answer with one JSON object'] }
  if ((value.type as string) === 'go-on') return { ...given, problems: [] }
  if (value.type !== 'plan-return')
    return { ...given, problems: ['WRONG_TYPE: "type" must be "go-on" or "plan-return"'] }
  if (typeof value.result !== 'string')
    return { ...given, problems: ['RETURN_WITHOUT_RESULT: "result" must be a text'] }
  const problems = sectionProblems(value.result, wordsFor(block.goal))
  if (start?.hypothesis !== undefined && !PROBE_VERDICTS.includes(value.verdict as never))
    problems.push(`PROBE_WITHOUT_VERDICT: "verdict" must be one of ${PROBE_VERDICTS.join(', ')}`)
  return { ...given, problems }
}

/** The status is what the first section says. */
function answerOf(context: Context<PlannerOptions>, returned: ProbeReturn): Answer {
  const words = wordsFor(context.block.goal)
  const status = statusOf(returned.result, words) ?? returned.status
  const result = withVerdict(context, returned.result, returned.verdict, returned.evidence)
  if (status === 'completed') return result
  return { status, result, reason: firstLine(returned.result, words.headings[0]) }
}

/** Of a block that tests a hypothesis the verdict comes first; the result of any other is as it is. */
function withVerdict(
  context: Context<PlannerOptions>,
  result: string,
  verdict: ProbeReturn['verdict'],
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

function nameOf(problem: string): string {
  return problem.split(/[ :]/)[0] ?? problem
}
