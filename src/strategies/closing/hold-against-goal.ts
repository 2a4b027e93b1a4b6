/** Before a block ends, its result is held against its goal: by program where that is possible, else once by a model. */
import type { Brief } from '../../kernel/brief/brief.ts'
import type { Section } from '../../kernel/brief/section.ts'
import { estimateTokens } from '../../kernel/budget.ts'
import { endingOf } from '../../kernel/ending.ts'
import { DEFAULT_OUTPUT_TOKENS } from '../../kernel/model-effect.ts'
import { answersRun } from '../../kernel/output/answers-run.ts'
import type { Context } from '../../kernel/strategy.ts'
import { goalText } from '../../protocol/index.ts'
import { tryReply } from '../read-value.ts'
import { problemsOf } from './check-by-program.ts'
import type { Demand } from './demand.ts'
import { demandsOf } from './demands-of.ts'
import { isTrivial } from './is-trivial.ts'
import { judgeBrief, verdictSchema } from './judge-brief.ts'
import type { CheckOptions } from './option.ts'
import { demandedFiles, namedFiles, type ResultFile } from './result-files.ts'

export type ClosingContext = Context<CheckOptions>

/** How the result was made. */
export interface Making {
  /** How many results of children, of tools and of other calls it was made from; 0 where one call wrote it. `done`, unless given. */
  readonly parts?: number
  /** A model that had not written it has held it against the goal already. */
  readonly judged?: boolean
  /** What it was made from, where contradictions to it matter. */
  readonly material?: readonly Section[]
  /** Called when a model is asked, by whoever counts calls. */
  onAsk?(): void
}

/** `by` is who looked; null where nobody had to. */
export type Held =
  | { readonly ok: true; readonly by: 'model' | null }
  | { readonly ok: false; readonly by: 'program' | 'model'; readonly problems: readonly string[] }

/** Never fails: a check that can't be made, paid or read counts as one that the result passed. */
export async function holdAgainstGoal(
  context: ClosingContext,
  result: string,
  making: Making = {},
): Promise<Held> {
  const { check = 'auto' } = context.options
  if (check === 'never' || !answersRun(context.block.goal, context.ancestors)) return UNCHECKED
  try {
    return await hold(context, result, making, check === 'always')
  } catch (thrown) {
    // Rethrows what is not the block's own.
    endingOf(thrown, result)
    return UNCHECKED
  }
}

async function hold(
  context: ClosingContext,
  result: string,
  { parts = context.block.done.length, judged = false, material = [], onAsk }: Making,
  isWanted: boolean,
): Promise<Held> {
  const goal = goalText(context.block.goal)
  const { demands, files, problems } = await lookByProgram(context, result)
  if (problems.length > 0) return { ok: false, by: 'program', problems }
  if (!isWanted && (judged || isComputed(demands) || isTrivial(goal, withFiles(result, files), parts)))
    return UNCHECKED
  const shown = [...files, ...(await namedFiles(context, result, demands))]
  return judge(context, judgeBrief(context, { result, files: shown, material }), onAsk)
}

/** A short word on a file is not all that was made. */
function withFiles(result: string, files: readonly ResultFile[]): string {
  return [result, ...files.map(({ text }) => text)].join('\n')
}

interface Looked {
  readonly demands: readonly Demand[]
  readonly files: readonly ResultFile[]
  readonly problems: readonly string[]
}

/** What a program finds wrong with a result, and with the files that were asked for. */
export async function lookByProgram(context: ClosingContext, result: string): Promise<Looked> {
  const demands = demandsNow(context)
  const { files, missing } = await demandedFiles(context, demands)
  const problems = [...missing, ...problemsOf(demands, result), ...problemsInFile(demands, files)]
  return { demands, files, problems }
}

const UNCHECKED: Held = { ok: true, by: null }

/** An arithmetic goal is decided by its values. */
function isComputed(demands: readonly Demand[]): boolean {
  return demands.some(({ type }) => type === 'value')
}

/** What a person said later may have changed what the goal says about length and form; of a value, the schema decides on them. */
function demandsNow(context: ClosingContext): readonly Demand[] {
  const demands = demandsOf(context.block.goal)
  if (context.output === null && context.known().every(({ kind }) => kind !== 'message')) return demands
  return demands.filter(({ type }) => type === 'value' || type === 'file')
}

/** With one file, what the goal says about length and form is about that file. */
function problemsInFile(demands: readonly Demand[], files: readonly ResultFile[]): string[] {
  const [file] = files
  // Of a long file only a part was read: nothing can be said of the whole.
  if (
    file === undefined ||
    file.of !== undefined ||
    demands.filter(({ type }) => type === 'file').length !== 1
  )
    return []
  const own = demands.filter(({ type }) => type !== 'file' && type !== 'language')
  return problemsOf(own, file.text).map((problem) => `In ${file.path}: ${problem}`)
}

async function judge(context: ClosingContext, brief: Brief, onAsk?: () => void): Promise<Held> {
  if (!canPay(context, brief)) return UNCHECKED
  onAsk?.()
  const [reply] = await context.all([context.model(brief)])
  const verdict = reply?.ok ? tryReply(verdictSchema, reply.value) : null
  if (verdict === null) return UNCHECKED
  const problems = verdict.problems.map((problem) => problem.trim()).filter((problem) => problem !== '')
  return verdict.fits || problems.length === 0
    ? { ok: true, by: 'model' }
    : { ok: false, by: 'model', problems: problems.slice(0, MAX_PROBLEMS) }
}

const MAX_PROBLEMS = 5

/** For the check and for a last step of about twice its size. */
function canPay(context: ClosingContext, { sections = [] }: Brief): boolean {
  const { calls, tokens } = context.budget()
  const texts = sections.flatMap(({ items }) => items.map(({ text }) => text))
  const size = texts.reduce((sum, text) => sum + estimateTokens(text), RULES_TOKENS)
  return calls >= CHECK_AND_REDO_CALLS && tokens >= 3 * (size + DEFAULT_OUTPUT_TOKENS)
}

const CHECK_AND_REDO_CALLS = 3
const RULES_TOKENS = 600
