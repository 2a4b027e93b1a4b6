/** The tasks of a plan in a few lines of a terminal. */
import { type Line, segment, type Tone } from '../../../views/line.ts'
import type { Detail, DetailOptions } from '../../../views/strategy-view.ts'
import { cleanLine, fitText, textWidth } from '../../../views/text-width.ts'
import { newsOf } from './task-news.ts'
import { emptyPlan, foldPlan, foldTaskBlock, type TaskPlan } from './task-plan.ts'
import { type TaskRow, taskRows } from './task-progress.ts'
import { TASK_MARKS, type TaskState, type TaskWords, taskWordsOf } from './task-words.ts'

export function tasksDetail(path: string): Detail {
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
  const words = taskWordsOf(lang)
  // The root says what the block's own row does.
  const rows = taskRows(root, maxLines + 1, lang).filter(({ depth }) => depth > 0)
  return rows.slice(-maxLines).map((row) => {
    const indent = '   '.repeat(Math.min(row.depth - 1, 12))
    if (row.kind === 'more') return [segment(fitText(`${indent}  … ${row.text}`, width), 'dim')]
    return taskLine(row, indent, width, words)
  })
}

type ShownTask = Extract<TaskRow, { kind: 'task' }>

function taskLine(row: ShownTask, indent: string, width: number, words: TaskWords): Line {
  const { task, state, folded } = row
  const mark = `${indent}-[${TASK_MARKS[state]}]`
  const attempt = task.attempt > 1 ? ` (${words.attempt(task.attempt)})` : ''
  const more = folded === '' ? '' : ` (+${folded})`
  const room = width - textWidth(mark) - 1
  const title = fitText(`${task.index}. ${cleanLine(task.name, 200)}${attempt}${more}`, room)
  const left = room - textWidth(title) - 2
  const note = left < 8 ? '' : fitText(noteOf(row, words.states[state]), left)
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

function noteOf({ task, state }: ShownTask, label: string): string {
  const prefixed = (text: string, prefix: string) => (text === '' ? '' : `${prefix}${text}`)
  switch (state) {
    case 'finished':
      return prefixed(cleanLine(task.task_summary), '→ ')
    case 'executing':
      return cleanLine(task.status_summary)
    case 'aborted':
    case 'skipped':
      return `${label}${prefixed(cleanLine(task.reason ?? ''), ': ')}`
    default:
      return ''
  }
}
