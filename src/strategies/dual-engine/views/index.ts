/** How `dual` is drawn: the tasks of its plan in a few lines below the coordinator's row. */
import { type Line, segment, type Tone } from '../../../views/line.ts'
import type { Detail, DetailOptions, StrategyView } from '../../../views/strategy-view.ts'
import { cleanLine, fitText, textWidth } from '../../../views/text-width.ts'
import { steerTask } from './steer-task.ts'
import { newsOf } from './task-news.ts'
import { type ProgressTask, saidOf, stateOf, type TaskRow } from './task-nodes.ts'
import { emptyPlan, foldPlan, foldTaskBlock, type TaskPlan } from './task-plan.ts'
import { runText, tallyText, taskRows } from './task-progress.ts'
import { TASK_MARKS, TASK_WORDS, type TaskState, type TaskWords } from './task-words.ts'

export const view: StrategyView = {
  detail: tasksDetail,
  steer: steerTask,
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

function tasksDetail(path: string): Detail {
  const plan = emptyPlan(path)
  return {
    follow: (event) => foldPlan(plan, event),
    followChild: (event) => foldTaskBlock(plan, event),
    lines: (options) => taskLines(plan, options),
    news: (event, lang) => newsOf(plan, event, lang),
  }
}

function taskLines({ root }: TaskPlan, { width, maxLines, lang }: DetailOptions): Line[] {
  if (root === null) return []
  const words = TASK_WORDS[lang]
  // The root says what the block's own row does.
  const rows = taskRows(root, maxLines + 1).filter(({ node }) => node.depth > 0)
  return rows.slice(-maxLines).map((row) => {
    const indent = '   '.repeat(Math.min(row.node.depth - 1, 12))
    if (row.run === null) return taskLine(row, indent, width, words)
    return [segment(fitText(`${indent}  … ${runText(row.run, words)}`, width), 'dim')]
  })
}

function taskLine({ node, folded }: TaskRow, indent: string, width: number, words: TaskWords): Line {
  const { task, tally } = node
  const state = stateOf(node)
  const mark = `${indent}-[${TASK_MARKS[state]}]`
  const attempt = task.attempt > 1 ? ` (${words.attempt(task.attempt)})` : ''
  const more = folded ? ` (+${tallyText(tally, words)})` : ''
  const room = width - textWidth(mark) - 1
  const title = fitText(`${task.index}. ${cleanLine(task.name, 200)}${attempt}${more}`, room)
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
