/**
 * How the planner's requests are answered: a goal of several operations becomes steps, each of them one shell command that
 * computes, writes or reads; what is expected is what the model has worked out itself.
 */
import { type Expression, formatExpression } from '../../arithmetic/expression.ts'
import { formatRational, type Rational } from '../../arithmetic/rational.ts'
import { type Analysis, type Kinds, kind } from '../../models/embedded/kinds.ts'
import { subGoal } from '../../models/embedded/results.ts'
import { linesSoFar, type Solution, solutionOf } from '../../models/embedded/solution.ts'
import { type Goal, goalText, type Language } from '../../protocol/index.ts'
import { SHELL_ID } from './executor-call.ts'

interface PlannerInput {
  readonly think: { readonly goal: Goal; readonly plan: readonly string[]; readonly done: readonly string[] }
  /** Not of Reflect. */
  readonly executors?: readonly { readonly id: string }[]
}

interface Step {
  readonly text: string
  readonly call: { command: string; inputs: object; expected_observations: string[] }
}

const ofThink = (answer: (analysis: Analysis, input: PlannerInput) => unknown) =>
  kind<PlannerInput>(answer, ({ think }) => think && goalText(think.goal))

export const embedded: Kinds = {
  'planner/plan': ofThink(plan),
  'planner/act': ofThink(act),
  'planner/reflect': ofThink(reflect),
  'planner/close': ofThink(reflect),
  'planner/observe': kind<{ open: readonly string[] }>((_, { open }) => ({
    verdicts: open.map((observation) => ({ observation, verdict: 'unknown', evidence: '' })),
  })),
}

/** The first call makes the steps; each further call has the plan's first item executed. */
async function plan(analysis: Analysis, { think, executors }: PlannerInput): Promise<object> {
  const solution = await solved(analysis)
  const steps = hasShell(executors) ? await stepsOf(analysis, solution) : [toldStep(analysis, solution)]
  const [only] = steps
  const next = think.plan.length === 0 ? only : steps.find(({ text }) => text === think.plan[0])
  if (next !== undefined && (think.plan.length > 0 || steps.length < LEAST_STEPS)) {
    return {
      type: 'plan-next',
      plan_type: 'EXECUTE',
      new_block: { goal: next.text, plan: [], done: [] },
      executor_call: next.call,
    }
  }
  const says = SAYS[analysis.task.language]
  return {
    type: 'plan-next',
    plan_type: 'PLAN_STEPS',
    new_block: { goal: says.core4(analysis), plan: steps.map(({ text }) => text), done: [] },
    success_signal: says.signal,
  }
}

/** The whole goal in one command, which prints the result, or writes it where a file is asked for. */
async function act(analysis: Analysis, { executors }: PlannerInput): Promise<object | undefined> {
  const solution = await solved(analysis)
  if (!hasShell(executors)) return toldStep(analysis, solution).call
  const [write] = fileSteps(analysis, solution)
  return (write ?? (await stepsOf(analysis, solution)).at(-1))?.call
}

/** The block ends when every plan item is done, or when one has failed: there is no other way to compute. */
async function reflect(analysis: Analysis, { think: { plan: left, done } }: PlannerInput): Promise<object> {
  const { task, words } = analysis
  const failed = done.some((text) => /^\[(failed|partial|cancelled)/.test(text))
  if (!failed && left.length > 0 && done.length > 0) return { type: 'go-on', reason: left[0] }
  const solution = await solved(analysis)
  const unwritten = task.file === null ? '' : notWritten(task.file, words)
  const isUnwritten = unwritten !== '' && done.some((text) => text.includes(unwritten))
  const isPartial = failed ? done.length > 1 : isUnwritten
  const status = isPartial ? 'partial' : failed ? 'failed' : 'completed'
  const lines = failed ? linesSoFar(task, []) : solution.lines
  const texts = solution.reason === undefined ? lines : [solution.reason]
  const files = task.file === null || failed || isUnwritten ? [] : [task.file]
  const told = isUnwritten ? [unwritten] : files.map((file) => words.written(file))
  const said = words.join([...texts, ...told])
  return {
    type: 'plan-return',
    status,
    ...(texts.length + files.length > 0 && { deliverable: said }),
    result: SAYS[task.language].sections(status, said, [...files, ...lines]),
  }
}

/** Where no command can be run, the result is told, and a file stays unwritten. */
function toldStep({ task, words }: Analysis, { lines, reason }: Solution): Step {
  const says = SAYS[task.language]
  const unwritten = task.file === null ? [] : [notWritten(task.file, words)]
  const said = words.join([...(reason === undefined ? lines : [reason]), ...unwritten])
  return {
    text: reason === undefined ? says.check(lines.join('; ')) : says.tell(reason),
    call: { command: 'text', inputs: { text: said }, expected_observations: [] },
  }
}

function notWritten(file: string, words: Analysis['words']): string {
  return `${words.notWritten(file)}: ${words.noWriter(SHELL_ID)}`
}

function hasShell(executors: PlannerInput['executors'] = []): boolean {
  return executors.some(({ id }) => id === SHELL_ID)
}

const LEAST_STEPS = 3
const MOST_STEPS = 7

/** One operation after another. */
function solved(analysis: Analysis): Promise<Solution> {
  return solutionOf(analysis, { inSteps: true })
}

async function stepsOf(analysis: Analysis, solution: Solution): Promise<Step[]> {
  const { task } = analysis
  const last = fileSteps(analysis, solution)
  const computed = await computingSteps(analysis, solution, MOST_STEPS - last.length)
  if (last.length > 0 || computed.length === 1 || computed.length >= LEAST_STEPS)
    return [...computed, ...last]
  const says = SAYS[task.language]
  const { lines } = solution
  return [
    ...computed,
    step(says.check(lines.join('; ')), `printf '%s\\n' ${lines.map(quote).join(' ')}`, [says.exits]),
  ]
}

async function computingSteps(
  { task, words, mind }: Analysis,
  solution: Solution,
  most: number,
): Promise<Step[]> {
  const says = SAYS[task.language]
  if (solution.status !== 'completed') {
    const why = solution.reason ?? ''
    return [step(says.tell(why), `echo ${quote(why)}; exit 1`, [says.exits])]
  }
  if (task.type === 'reach') {
    const [line = ''] = solution.lines
    return [
      step(says.check(line), `echo $((${shellText(line.split(' = ')[0] ?? '')}))`, [
        says.exits,
        says.prints(formatRational(task.puzzle.target)),
      ]),
    ]
  }
  const worked = await Promise.all(task.expressions.map((expression) => mind.workOut(expression)))
  const single = worked.flatMap(({ steps }) => steps)
  if (single.length <= most) {
    return single.map(({ operation, value }) =>
      step(subGoal(operation, words), shellComputing(operation, value), [
        says.exits,
        ...expected(value, says),
      ]),
    )
  }
  const all = task.expressions.map((expression) => formatExpression(expression))
  return [
    step(words.compute(all.join(', ')), solution.lines.map((line) => `echo ${quote(line)}`).join(' && '), [
      says.exits,
    ]),
  ]
}

function fileSteps({ task }: Analysis, { content }: Solution): Step[] {
  const { file } = task
  if (file === null) return []
  const says = SAYS[task.language]
  const [first = ''] = content.trim().split('\n')
  const folder = file.includes('/') ? `mkdir -p ${quote(file.slice(0, file.lastIndexOf('/')))} && ` : ''
  return [
    step(says.write(file), `${folder}printf '%s' ${quote(content)} > ${quote(file)}`, [
      says.exits,
      says.exists(file),
      says.contains(file, first),
    ]),
    step(says.read(file), `cat ${quote(file)}`, [says.exits, says.prints(first)]),
  ]
}

function step(text: string, command: string, expected_observations: string[]): Step {
  return { text, call: { command: `shell: ${command}`, inputs: {}, expected_observations } }
}

/** The shell computes whole numbers itself; awk does what it does not, in decimals. */
function shellComputing(expression: Expression, value: Rational): string {
  const whole = (number: Rational) => number.d === 1n && number.n > -MAX_SHELL && number.n < MAX_SHELL
  const operands = expression.type === 'operation' ? [expression.left, expression.right] : []
  const isWhole =
    operands.every((operand) => operand.type === 'number' && whole(operand.value)) && whole(value)
  const text = shellText(formatExpression(expression))
  return isWhole && !text.includes('^') ? `echo $((${text}))` : `awk 'BEGIN { printf "%.12g\\n", ${text} }'`
}

const MAX_SHELL = 2n ** 62n

function expected(value: Rational, says: Says): string[] {
  const text = formatRational(value)
  // What awk rounds is not expected to the digit.
  return text.includes('/') || text.length > 10 ? [] : [says.prints(text)]
}

function shellText(text: string): string {
  return text.replaceAll('×', '*').replaceAll('÷', '/')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

const en = {
  exits: 'exit code 0',
  prints: (text: string) => `stdout contains "${text}"`,
  exists: (file: string) => `${file} exists`,
  contains: (file: string, text: string) => `${file} contains "${text}"`,
  write: (file: string) => `write the result to ${file}`,
  read: (file: string) => `read ${file} back`,
  check: (what: string) => `check ${what}`,
  tell: (what: string) => `tell why there is no result: ${what}`,
  signal: 'every command ends with exit code 0 and shows what was computed',
  core4: ({ goal, task }: Analysis): Goal => ({
    intent: intentOf(goal),
    deliverable: task.file ?? 'the value of each expression',
    metric: 'what the commands show is what was computed exactly',
    constraint: 'the shell only, within the workspace',
  }),
  sections: (status: 'completed' | 'partial' | 'failed', what: string, deliverables: readonly string[]) =>
    `### Completion\n${{ completed: 'Completed', partial: 'Partly completed', failed: 'Not completed' }[status]}: ${what}\n\n### Deliverables\n${listed(deliverables)}\n\n### Metrics\n- ${status === 'completed' ? 'met: the commands showed what was computed' : 'not met: a command failed'}\n\n### Constraints\nKept.`,
}

type Says = typeof en

const zh: Says = {
  exits: '退出码 0',
  prints: (text) => `标准输出包含 "${text}"`,
  exists: (file) => `${file} 文件存在`,
  contains: (file, text) => `${file} 包含 "${text}"`,
  write: (file) => `把结果写入 ${file}`,
  read: (file) => `读回 ${file}`,
  check: (what) => `核对 ${what}`,
  tell: (what) => `说明没有结果：${what}`,
  signal: '每条命令退出码为 0，且输出与计算一致',
  core4: ({ goal, task }) => ({
    intent: intentOf(goal),
    deliverable: task.file ?? '每个算式的值',
    metric: '命令的输出与精确计算一致',
    constraint: '只用 shell，限于工作目录',
  }),
  sections: (status, what, deliverables) =>
    `### 完成情况\n${{ completed: '已完成', partial: '部分完成', failed: '未完成' }[status]}：${what}\n\n### 提交物\n${listed(deliverables)}\n\n### 指标情况\n- ${status === 'completed' ? '通过：命令的输出与计算一致' : '未通过：有命令失败'}\n\n### 约束符合性\n符合。`,
}

const SAYS: Readonly<Record<Language, Says>> = { en, zh }

function listed(lines: readonly string[]): string {
  return lines.length === 0 ? '-' : lines.map((line) => `- ${line}`).join('\n')
}

/** The first line of a goal, which is its intent. */
function intentOf(goal: string): string {
  return goal.split('\n')[0] ?? goal
}
