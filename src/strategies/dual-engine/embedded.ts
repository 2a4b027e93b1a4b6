/** How the dual engine's requests are answered: a task for each expression, one that writes, and a summary of both. */
import { type Expression, formatExpression, number } from '../../arithmetic/expression.ts'
import { parseGoal, type Task } from '../../arithmetic/parse-goal.ts'
import { type Analysis, type Kinds, kind } from '../../models/embedded/kinds.ts'
import { subGoal } from '../../models/embedded/results.ts'
import { linesSoFar, solutionOf, textsOf } from '../../models/embedded/solution.ts'
import { calculated, deedsOf, nextDeed, TOOLS } from '../../models/embedded/tools.ts'
import { parseJson } from '../../protocol/index.ts'

interface DualInput {
  readonly goal: string
  /** The user's own words. */
  readonly request: string
  readonly revise?: { readonly mayKeep?: true }
  readonly history?: readonly Seen[]
}

interface Seen {
  readonly action: string
  readonly params: { readonly tool?: string }
  readonly failed?: true
  readonly text: string
  /** What the tool gave. */
  readonly data?: string
}

export const embedded: Kinds = {
  'dual/plan': kind<DualInput>(plan),
  'dual/blueprint-params': kind<DualInput>(() => ({ params: {} })),
  'dual/decide': kind<DualInput>(decide),
  'dual/reflect': kind<DualInput>(() => ({ advice: '', spinning: false })),
  'dual/compact': kind<DualInput & { text: string }>((_, { text }) => ({ summary: text.slice(0, 1_000) })),
  'dual/close': kind<DualInput>(({ task, words }) => ({ result: words.join(linesSoFar(task, [])) })),
  'dual/summarize': kind<DualInput>(summarize),
  'dual/judge-risk': kind<DualInput>(() => ({ risk: 0, reason: 'it computes' })),
}

/** What the abacus can't compute it can't compute in another way either. */
function plan({ goal, task, words }: Analysis, { revise }: DualInput): object {
  if (revise?.mayKeep) return { action: 'keep' }
  const says = SAYS[task.language]
  const computing =
    task.type === 'reach'
      ? [{ subtask_name: says.find, subtask_goal: withoutFile(goal, task) }]
      : task.expressions.map((expression) => ({
          subtask_name: subGoal(expression, words),
          subtask_goal: subGoal(expression, words),
        }))
  const names = computing.map(({ subtask_name }) => subtask_name)
  const writing =
    task.file === null
      ? []
      : [{ subtask_name: says.write(task.file), subtask_goal: goal, depends_on: [...new Set(names)] }]
  return {
    action: 'plan',
    main_task: goal,
    main_task_goal: says.goal,
    tasks: [...unique(computing), ...writing],
  }
}

/** The tool computes or writes first, and whoever does not compute takes what it gave. */
async function decide(analysis: Analysis, { history = [] }: DualInput): Promise<object> {
  const { task, words } = analysis
  const deed = await nextDeed(analysis, deedsOf(history.map(({ params }) => params.tool)))
  const solution = await solutionOf(analysis, { known: withCalculated(analysis, history) })
  const says = SAYS[task.language]
  if (deed !== null && solution.status === 'completed') {
    const params =
      deed === 'calculate'
        ? { expression: expressionOf(task, solution.lines) }
        : { path: task.file, content: solution.content }
    const tool = TOOLS[deed]
    return { action: 'require_tool', human_readable_thought: says.use(tool), tool, params }
  }
  const reason = solution.reason === undefined ? [] : [solution.reason]
  const used = history.findLast(({ params }) => params.tool === TOOLS.write)
  const { written, unwritten } = writing(task, words, used)
  const failed = solution.status !== 'completed' || unwritten.length > 0
  return {
    action: 'finish',
    human_readable_thought: says.finished,
    result: words.join([...textsOf(solution), ...written, ...unwritten]),
    ...(failed && {
      status: solution.lines.length > 0 ? 'partial' : 'failed',
      reason: words.join([...reason, ...unwritten]),
    }),
  }
}

/** The calculator was given one expression; the sum of several says nothing about any. */
function withCalculated({ task, mind }: Analysis, history: readonly Seen[]): readonly Expression[] {
  if (mind.isExact || task.type === 'reach' || task.expressions.length > 1) return []
  const { failed, data = '' } = history.findLast(({ params }) => params.tool === TOOLS.calculate) ?? {}
  const value = failed ? null : calculated(parseJson(data))
  return value === null ? [] : [number(value)]
}

/** What there is to say about the file, if the task has one. */
function writing({ file }: Task, words: Analysis['words'], used: Seen | undefined) {
  if (file === null) return { written: [], unwritten: [] }
  if (used !== undefined && !used.failed) return { written: [words.written(file)], unwritten: [] }
  const why = used === undefined ? `: ${words.noWriter(TOOLS.write)}` : ''
  return { written: [], unwritten: [`${words.notWritten(file)}${why}`] }
}

async function summarize(
  analysis: Analysis,
  { done = [] }: DualInput & { done?: readonly string[] },
): Promise<object> {
  const { task, words } = analysis
  const failed = done.filter((text) => /^\[(failed|partial|cancelled|skipped)/.test(text))
  if (failed.length > 0) return { result: words.join(done) }
  const { lines } = await solutionOf(analysis, { told: done })
  return { result: words.join([...lines, ...fileLine(task, words, done)]) }
}

/** A plan may have lost the task that writes: only what a task says is written is. */
function fileLine({ file }: Task, words: Analysis['words'], done: readonly string[]): string[] {
  if (file === null) return []
  const isWritten = done.some((text) => text.includes(words.written(file)))
  return [isWritten ? words.written(file) : words.notWritten(file)]
}

function expressionOf(task: Task, lines: readonly string[]): string {
  if (task.type === 'reach') return lines[0]?.split(' = ')[0] ?? '0'
  return task.expressions.map((expression) => formatExpression(expression)).join(' + ')
}

const MAX_READ = 4_000

function withoutFile(goal: string, task: Task): string {
  // Nothing longer is read as a task.
  if (task.file === null || goal.length > MAX_READ) return goal
  const cut = goal.replace(/(?:,|，)?\s*(?:(?:and|并|然后)\s*)?(?:write|save|put|写入|保存|把).*$/i, '')
  return parseGoal(cut) === null ? goal : cut
}

function unique<T extends { subtask_name: string }>(tasks: readonly T[]): T[] {
  return [...new Map(tasks.map((task) => [task.subtask_name, task])).values()]
}

const SAYS = {
  en: {
    find: 'find an expression',
    write: (file: string) => `write ${file}`,
    goal: 'every value is exact, and stands where it was asked for',
    use: (tool: string) => `The tool ${tool} does this exactly.`,
    finished: 'It is there.',
  },
  zh: {
    find: '寻找算式',
    write: (file: string) => `写入 ${file}`,
    goal: '每个值都精确，并在要求的位置',
    use: (tool: string) => `用工具 ${tool} 精确完成。`,
    finished: '已经得到。',
  },
} as const
