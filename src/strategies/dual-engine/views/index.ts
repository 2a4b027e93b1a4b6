/**
 * How `dual` is drawn. A task that a block carries out is the row of that block; those that are still to be done are rows after it. Lines
 * below the coordinator's row say what no row does: tasks that have sub-tasks, and those that ended before they began.
 */
import { type Line, segment, type Tone } from '../../../views/line.ts'
import type {
  AnswerForm,
  ChildRow,
  Detail,
  DetailOptions,
  StrategyView,
} from '../../../views/strategy-view.ts'
import { cleanLine, fitText, textWidth } from '../../../views/text-width.ts'
import type { Lang } from '../../../views/words.ts'
import { standsAsWritten } from '../../closing/stands-as-written.ts'
import type { Task } from '../notes.ts'
import type { DualOptions } from '../schema.ts'
import { steerTask } from './steer-task.ts'
import { taskForm } from './task-form.ts'
import { newsOf } from './task-news.ts'
import { type Node, type ProgressTask, saidOf, stateOf, survey } from './task-nodes.ts'
import { emptyPlan, foldPlan, foldTaskBlock, type TaskPlan } from './task-plan.ts'
import { tallyText } from './task-progress.ts'
import { TASK_MARKS, TASK_WORDS, type TaskState, type TaskWords } from './task-words.ts'

export const view: StrategyView = {
  detail: tasksDetail,
  form: taskForm,
  steer: steerTask,
  answer: (asked) => (FORMS[asked.kind] ?? []).flatMap((form) => standsAsWritten(asked, form) ?? []),
  // A person who reviews it may want it done again.
  answeredBy({ options }) {
    const { task, review } = (options ?? {}) as Partial<DualOptions>
    return task?.last === true && review === 'auto'
  },
  // The thought of every action, the stream fields of each, and what reflection and compaction write.
  streamFields: [
    'human_readable_thought',
    'plan_request_payload',
    'blueprint_payload',
    'question',
    'goal',
    'result',
    'answer',
    'advice',
    'summary',
  ],
}

/** What is the result: of a summary, and of the actions that end the last task. */
const FORMS: Readonly<Record<string, readonly AnswerForm[]>> = {
  'dual/summarize': [{ field: 'result' }],
  'dual/decide': [
    { field: 'result', when: { action: 'finish' } },
    { field: 'answer', when: { action: 'directly_answer' } },
  ],
}

function tasksDetail(path: string): Detail {
  const plan = emptyPlan(path)
  return {
    follow: (event) => foldPlan(plan, event),
    followChild: (event) => foldTaskBlock(plan, event),
    lines: (options) => taskLines(plan, options),
    todo: (lang) => leavesToDo(plan).map((task) => `${task.index} ${task.name}${attemptText(task, lang)}`),
    childRow: (child, lang) => rowOfTask(plan, child, lang),
    news: (event, lang) => newsOf(plan, event, lang),
  }
}

function leavesToDo({ byId, root }: TaskPlan): Task[] {
  return [...byId.values()].filter(
    (task) =>
      task !== root &&
      task.subtasks.length === 0 &&
      (task.status === 'created' || task.status === 'queueing'),
  )
}

function attemptText({ attempt }: Task, lang: Lang): string {
  return attempt > 1 ? ` (${TASK_WORDS[lang].attempt(attempt)})` : ''
}

/** A block is called by its task, where its path would not say which; tasks have one numbering, that of the plan. */
function rowOfTask(plan: TaskPlan, child: string, lang: Lang): ChildRow | null {
  const { taskOf, planOf, attemptOf, byIndex } = plan
  const index = taskOf.get(child)
  if (index === undefined) return rowOfPlan(planOf.get(child), child, lang)
  const { task: word, attempt: attemptWord, states } = TASK_WORDS[lang]
  const attempt = attemptOf.get(child) ?? 1
  const task = byIndex.get(index)
  const tags = attempt > 1 ? [attemptWord(attempt)] : []
  // The block of a task that is skipped while it runs is cancelled.
  if (task?.status === 'skipped' && task.attempt === attempt) tags.push(states.skipped)
  return { name: index === child ? child : `${word} ${index}`, tags, doing: task?.status_summary ?? '' }
}

/** A plan that a task has asked for is numbered on from the task. */
function rowOfPlan(index: string | undefined, child: string, lang: Lang): ChildRow | null {
  if (index === undefined || index === child) return null
  return { name: `${TASK_WORDS[lang].plan} ${index}`, tags: [], doing: '' }
}

function taskLines(plan: TaskPlan, { width, maxLines, lang }: DetailOptions): Line[] {
  if (plan.root === null) return []
  const words = TASK_WORDS[lang]
  const begun = new Set(plan.taskOf.values())
  const nodes = survey(plan.root).filter(({ depth, below, task }) => {
    if (below.length > 0) return depth > 0
    return (task.status === 'skipped' || task.status === 'aborted') && !begun.has(task.index)
  })
  return withinLines(nodes, maxLines).map((node) => taskLine(node, width, words))
}

/** In the order of the plan; where there are too many, what goes on or went wrong comes first. */
function withinLines(nodes: readonly Node[], maxLines: number): readonly Node[] {
  if (nodes.length <= maxLines) return nodes
  const byWeight = [...nodes].sort((a, b) => URGENT.indexOf(stateOf(a)) - URGENT.indexOf(stateOf(b)))
  const kept = new Set(byWeight.slice(0, maxLines))
  return nodes.filter((node) => kept.has(node))
}

const URGENT: readonly TaskState[] = ['executing', 'partly', 'aborted', 'notStarted', 'skipped', 'finished']

function taskLine(node: Node, width: number, words: TaskWords): Line {
  const { task, below, depth, tally } = node
  const state = stateOf(node)
  const mark = `${'   '.repeat(Math.min(depth - 1, 12))}-[${TASK_MARKS[state]}]`
  const parts = below.length > 0 ? ` (${tallyText(tally, words)})` : ''
  const room = width - textWidth(mark) - 1
  const title = fitText(`${task.index}. ${cleanLine(task.name, 200)}${parts}`, room)
  const left = room - textWidth(title) - 2
  const note = left < 8 ? '' : fitText(noteOf(task, state, words.states[state]), left)
  return [
    segment(mark, TONES[state]),
    segment(` ${title}`, TITLE_TONES[state] ?? 'plain'),
    ...(note === '' ? [] : [segment(`  ${note}`, state === 'aborted' ? 'bad' : 'dim')]),
  ]
}

const TONES: Readonly<Record<TaskState, Tone>> = {
  notStarted: 'dim',
  executing: 'active',
  partly: 'warn',
  finished: 'good',
  skipped: 'dim',
  aborted: 'bad',
}

const TITLE_TONES: Partial<Record<TaskState, Tone>> = { executing: 'strong', notStarted: 'dim' }

function noteOf(task: ProgressTask, state: TaskState, label: string): string {
  const said = cleanLine(saidOf(task, state))
  if (state === 'aborted' || state === 'skipped') return said === '' ? label : `${label}: ${said}`
  return state === 'finished' && said !== '' ? `→ ${said}` : said
}
