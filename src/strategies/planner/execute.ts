/**
 * Executes one `executor_call`: calls the executor, then checks each expected observation, by code where code can decide it and
 * by the model where not. Code writes the result in the four sections; the executor's output stands in it whole, and fenced (K10).
 */
import type { Item } from '../../kernel/brief/section.ts'
import { valueText } from '../../kernel/brief/value-text.ts'
import { fence } from '../../kernel/fence.ts'
import type { Answer } from '../../kernel/strategy.ts'
import {
  type ErrorCode,
  type ErrorData,
  isObject,
  type ModelReply,
  oneLine,
  type Result,
  shorten,
  ThinkonError,
} from '../../protocol/index.ts'
import { tryValue } from '../read-value.ts'
import { callText, executorTools, OBSERVE_TOOL, resolveCall } from './executor-call.ts'
import type { Observation } from './notes.ts'
import { callTool, TEXT_TOOL_NAME } from './own-executors.ts'
import { observeBrief } from './prompts.ts'
import { itemKey } from './rules/repetition.ts'
import type { ExecutorCall, PlannerContext, Status } from './schema.ts'
import { fourSections, type SectionWords, wordsFor } from './sections.ts'

/** How an executor's process ended; the value of a plain tool has none of these fields. */
interface ProcessEnd {
  readonly exitCode?: number | null
  readonly stdout?: string
  readonly stderr?: string
  readonly timedOut?: unknown
  readonly truncated?: unknown
}

export async function execute(context: PlannerContext, call: ExecutorCall): Promise<Answer> {
  const words = wordsFor(context.block.goal)
  const problem = callProblem(context, call)
  if (problem !== null) return { ...notExecutable(context, problem, call), code: 'BAD_INPUT' }
  const { tool, input } = resolveCall(call, executorTools(context))
  if (tool === TEXT_TOOL_NAME) return written(context, call, String(input.text))
  const { ended, outputs } = await callTool(context, tool, input)
  const observed = await observe(context, call, ended, outputs)
  context.emit('planner/call-executed', { command: call.command, ok: ended.ok, observed })
  if (!ended.ok) return notRun(call, ended.error, words)
  const status = statusOf(ended.value as ProcessEnd | null, observed)
  const output = shownOutput(ended.value)
  const result = fourSections(words, [
    `${words.status[status]}: ${callText(call)}: ${howEnded(ended.value, words)}`,
    output === '' ? words.nothingSaid : output,
    observed.length === 0
      ? words.nothingExpected
      : observed.map((one) => `- ${verdictLine(one, words)}`).join('\n'),
    limitsText(ended.value, words),
  ])
  if (status === 'completed') return result
  // The executor's own words are in the result, fenced; the reason is ours.
  return { status, result, reason: reasonOf(call, howEnded(ended.value, words), observed, words) }
}

/** A call that could not be made says so, and what was expected of it stays open. */
function notRun(call: ExecutorCall, { code, message }: ErrorData, words: SectionWords): Answer {
  const why = whyNot(code, words)
  const result = fourSections(words, [
    `${words.status.failed}: ${callText(call)}: ${why}\n${fence('executor', message)}`,
    words.nothingSaid,
    uncheckedText(call, words),
    why,
  ])
  return { status: 'failed', result, reason: reasonOf(call, why, [], words), code }
}

function uncheckedText(call: ExecutorCall | undefined, words: SectionWords): string {
  const lines = (call?.expected_observations ?? []).map((one) => `- ${words.notChecked}: ${one}`)
  return lines.join('\n') || words.nothingExpected
}

/** A text is judged by who reads it: Reflect. */
function written(context: PlannerContext, call: ExecutorCall, text: string): string {
  const { command, expected_observations: expected } = call
  context.emit('planner/call-executed', { command, ok: true, observed: [] })
  const words = wordsFor(context.block.goal)
  return fourSections(words, [
    `${words.status.completed}: ${words.written}`,
    text,
    expected.map((observation) => `- ${words.toBeJudged}: ${observation}`).join('\n') ||
      words.nothingExpected,
    words.kept,
  ])
}

/** Why the call can't be made with the known executors; null when it can. */
export function callProblem(context: PlannerContext, call: ExecutorCall): string | null {
  try {
    resolveCall(call, executorTools(context))
    return null
  } catch (thrown) {
    if (ThinkonError.isInstance(thrown) && thrown.code === 'BAD_INPUT') return thrown.message
    throw thrown
  }
}

/** The answer where no executor can do it. */
export function notExecutable(
  { block }: PlannerContext,
  why: string,
  call?: ExecutorCall,
): Exclude<Answer, string> {
  const words = wordsFor(block.goal)
  const result = fourSections(words, [
    `${words.status.failed}: ${words.notExecuted}: ${why}`,
    words.nothingSaid,
    uncheckedText(call, words),
    words.notExecuted,
  ])
  return { status: 'failed', result, reason: why }
}

async function observe(
  context: PlannerContext,
  call: ExecutorCall,
  ended: Result,
  outputs: readonly Item[],
): Promise<readonly Observation[]> {
  const expected = call.expected_observations
  const unknown = expected.map(
    (observation): Observation => ({ observation, verdict: 'unknown', evidence: '' }),
  )
  if (!ended.ok || expected.length === 0) return unknown
  const result = observable(ended.value)
  const byCode = context.hiddenTools.some(({ name }) => name === OBSERVE_TOOL)
    ? await context.all([context.ownTool(OBSERVE_TOOL, { observations: expected, result })])
    : []
  const [looked] = byCode
  const seen = looked?.ok ? (looked.value as readonly Observation[]) : unknown
  const open = seen.filter(({ verdict }) => verdict === 'unknown').map(({ observation }) => observation)
  if (open.length === 0) return seen
  const brief = observeBrief(context, call, outputs, open)
  const [reply] = await context.all([context.model(brief)])
  const judged = reply?.ok ? verdictsIn(reply.value) : []
  return seen.map((one) => {
    const found = one.verdict === 'unknown' ? verdictOn(one.observation, open, judged) : undefined
    return found === undefined ? one : { ...found, observation: one.observation }
  })
}

/** The verdict on the same text; or, where the model has paraphrased it, the one at the same position. */
function verdictOn(
  observation: string,
  open: readonly string[],
  judged: readonly Observation[],
): Observation | undefined {
  const same = judged.find((one) => itemKey(one.observation) === itemKey(observation))
  if (same !== undefined || judged.length !== open.length) return same
  const placed = judged[open.indexOf(observation)]
  const isOfAnother = open.some((one) => itemKey(one) === itemKey(placed?.observation ?? ''))
  return isOfAnother ? undefined : placed
}

/** What a plain tool gave may be a part of what there is: what is in it can be seen, but not that something is missing. */
function observable(value: unknown): unknown {
  const isProcessEnd = typeof (value as ProcessEnd | null)?.stdout === 'string'
  return isProcessEnd ? value : { stdout: outputOf(value), stderr: '', truncated: true }
}

function verdictsIn(reply: ModelReply): Observation[] {
  const { verdicts } = (tryValue(reply) ?? {}) as { verdicts?: unknown }
  return (Array.isArray(verdicts) ? verdicts : []).flatMap((value: unknown) => {
    if (!isObject(value)) return []
    const { observation, verdict: said, evidence } = value
    const verdict = VERDICTS.find((one) => one === String(said).trim().toLowerCase())
    if (verdict === undefined) return []
    // A number is no text of an expectation: it counts by its place.
    return [
      { observation: String(observation), verdict, evidence: typeof evidence === 'string' ? evidence : '' },
    ]
  })
}

const VERDICTS: readonly Observation['verdict'][] = ['met', 'unmet', 'unknown']

/**
 * What was expected decides: a met expectation beats an exit code other than 0, such as that of a grep which should find nothing. A
 * process that timed out has failed in any case.
 */
function statusOf(end: ProcessEnd | null, observed: readonly Observation[]): Status {
  if (observed.some(({ verdict }) => verdict === 'unmet')) return 'failed'
  const { exitCode = 0, timedOut } = end ?? {}
  const isMet = exitCode === 0 || observed.some(({ verdict }) => verdict === 'met')
  return isMet && !timedOut ? 'completed' : 'failed'
}

function howEnded(value: unknown, words: SectionWords): string {
  const { exitCode, timedOut } = (value ?? {}) as ProcessEnd
  if (exitCode === undefined) return words.executed
  const why = exitCode === 127 ? words.notFound : exitCode === 126 ? words.notRunnable : ''
  return [words.exitCode(exitCode), why, timedOut ? words.timedOut : ''].filter(Boolean).join(', ')
}

function whyNot(code: ErrorCode, words: SectionWords): string {
  if (code === 'INTERRUPTED') return words.interrupted
  if (code === 'NO_SUCH_TOOL') return words.noSuchTool
  return code === 'DENIED' ? words.denied : words.notExecuted
}

/** The last section: whether the executor stayed within its limits. */
function limitsText(value: unknown, words: SectionWords): string {
  const { timedOut, truncated } = (value ?? {}) as ProcessEnd
  const met = [...(timedOut ? [words.timedOut] : []), ...(truncated ? [words.outputCut] : [])]
  return met.length === 0 ? words.kept : `${words.notKept}: ${met.join('; ')}`
}

function reasonOf(
  call: ExecutorCall,
  how: string,
  observed: readonly Observation[],
  words: SectionWords,
): string {
  const unmet = observed.filter(({ verdict }) => verdict === 'unmet')
  // The whole command is in the result.
  if (unmet.length === 0) return `\`${shorten(oneLine(call.command), MAX_TITLE)}\`: ${how}`
  return `${words.verdicts.unmet}: ${unmet.map(({ observation }) => oneLine(observation)).join('; ')}`
}

const MAX_TITLE = 100

function verdictLine({ observation, verdict, evidence }: Observation, words: SectionWords): string {
  const line = `${words.verdicts[verdict]}: ${observation}`
  if (evidence === '') return line
  return quotesOutside(evidence, observation)
    ? `${line}\n${fence('evidence', oneLine(evidence))}`
    : `${line} (${oneLine(evidence)})`
}

/** Whether the evidence quotes text from outside, rather than what the plan itself looked for. */
function quotesOutside(evidence: string, observation: string): boolean {
  return [...evidence.matchAll(/"((?:[^"\\]|\\.)*)("|$)/g)].some(
    ([, text = '']) => !observation.includes(text),
  )
}

function shownOutput(value: unknown): string {
  const text = outputOf(value)
  return text.trim() === '' ? '' : fence('executor', text)
}

function outputOf(value: unknown): string {
  const { stdout, stderr } = (value ?? {}) as ProcessEnd
  if (typeof stdout !== 'string') return valueText(value)
  return [stdout, stderr ? `stderr:\n${stderr}` : ''].filter((text) => text.trim() !== '').join('\n')
}
