/** The tasks of a dual engine's plan in a few lines of a terminal, and what its notes tell somebody who waits. */
import type { Event } from '../../../protocol/index.ts'
import { type Line, type Segment, segment, type Tone } from '../../../views/line.ts'
import type { Detail, DetailOptions } from '../../../views/strategy-view.ts'
import { fitText, oneLine, textWidth } from '../../../views/text-width.ts'
import type { Lang } from '../../../views/words.ts'
import { emptyPlan, foldPlan, foldTaskBlock, type TaskChange, type TaskPlan } from './task-plan.ts'
import { taskRows } from './task-progress.ts'
import { TASK_MARKS, type TaskState, taskWordsOf } from './task-words.ts'

export function tasksDetail(path: string): Detail {
  const plan = emptyPlan(path)
  return {
    follow: (event) => foldPlan(plan, event),
    followChild: (event) => foldTaskBlock(plan, event),
    lines: (options) => taskLines(plan, options),
    news: (event, lang) => newsOf(plan, event, lang),
  }
}

const TONES: Readonly<Record<TaskState, Tone>> = {
  notStarted: 'dim',
  executing: 'active',
  partly: 'warn',
  finished: 'good',
  skipped: 'dim',
  aborted: 'bad',
}

export function taskLines({ root }: TaskPlan, { width, maxLines, lang }: DetailOptions): Line[] {
  if (root === null) return []
  const words = taskWordsOf(lang)
  // The root says what the block's own row does.
  const rows = taskRows(root, maxLines + 1, lang).filter(({ depth }) => depth > 0)
  return rows.slice(-maxLines).map((row): Line => {
    const indent = '   '.repeat(Math.min(row.depth - 1, 12))
    if (row.kind === 'more') return [segment(fitText(`${indent}  … ${row.text}`, width), 'dim')]
    const { task, state, folded } = row
    const mark = `${indent}-[${TASK_MARKS[state]}]`
    const name = `${task.index}. ${oneLine(task.name, 200)}`
    const attempt = task.attempt > 1 ? ` (${words.attempt(task.attempt)})` : ''
    const more = folded === '' ? '' : ` (+${folded})`
    const room = width - textWidth(mark) - 1
    const title = fitText(`${name}${attempt}${more}`, room)
    const left = room - textWidth(title) - 2
    const note = left < 8 ? '' : fitText(noteOf(row, words.states[state]), left)
    return [
      segment(mark, TONES[state]),
      segment(` ${title}`, state === 'executing' ? 'strong' : state === 'notStarted' ? 'dim' : 'plain'),
      ...(note === '' ? [] : [segment(`  ${note}`, state === 'aborted' ? 'bad' : 'dim')]),
    ]
  })
}

type TaskRow = Extract<ReturnType<typeof taskRows>[number], { kind: 'task' }>

function noteOf({ task, state }: TaskRow, label: string): string {
  const text = oneLine(
    state === 'finished'
      ? task.task_summary
      : state === 'executing'
        ? task.status_summary
        : (task.reason ?? ''),
  )
  if (state === 'finished') return text === '' ? '' : `→ ${text}`
  if (state === 'executing') return text
  return state === 'aborted' || state === 'skipped' ? (text === '' ? label : `${label}: ${text}`) : ''
}

// --- news

interface NewsWords {
  /** Of the others, what they come to is told. */
  phase: Readonly<Record<string, string>>
  task: string
  states: Readonly<Record<TaskChange['to'], string>>
  refused: string
  reviewed: string
  risk(risk: number): string
  lookedBack: string
  spins: string
  late: string
  signalled: string
}

const WORDS: Readonly<Record<Lang, NewsWords>> = {
  en: {
    phase: { 'plan-generation': 'plans', execution: 'carries out the plan' },
    task: 'task',
    states: {
      created: 'is to be done again',
      queueing: 'waits',
      processing: 'begun',
      completed: 'completed',
      aborted: 'aborted',
      skipped: 'skipped',
    },
    refused: "can't be used",
    reviewed: 'review',
    risk: (risk) => `risk ${risk}`,
    lookedBack: 'looks back',
    spins: 'goes round in circles',
    late: 'memory came too late: goes on without',
    signalled: 'not done',
  },
  zh: {
    phase: { 'plan-generation': '制定计划', execution: '执行计划' },
    task: '任务',
    states: {
      created: '将重做',
      queueing: '排队',
      processing: '开始',
      completed: '已完成',
      aborted: '已中止',
      skipped: '已跳过',
    },
    refused: '无法使用',
    reviewed: '审查',
    risk: (risk) => `风险 ${risk}`,
    lookedBack: '反思',
    spins: '在原地打转',
    late: '记忆装载超时：继续执行',
    signalled: '未执行',
  },
}

const MAX_NEWS = 200

/** `plan` has the note in it. */
function newsOf(plan: TaskPlan, event: Event, lang: Lang): readonly Segment[] | null {
  if (event.type !== 'note' || typeof event.data !== 'object' || event.data === null) return null
  return NEWS[event.name]?.(event.data as Record<string, unknown>, WORDS[lang], plan) ?? null
}

type News = (data: Record<string, unknown>, words: NewsWords, plan: TaskPlan) => Segment[] | null

const NEWS: Readonly<Record<string, News | undefined>> = {
  'dual/phase-begun'({ phase }, words) {
    const text = words.phase[String(phase)]
    return text === undefined ? null : [segment(text, 'dim')]
  },
  'dual/task-changed'(data, words, plan) {
    const { id, index, to, reason } = data as unknown as TaskChange
    const task = plan.byId.get(id)
    const isParent = task !== undefined && task !== plan.root && task.subtasks.length > 0
    // Of a task that is carried out by a block, and of all of them, the block's lines tell how it begins and is completed.
    if (to === 'queueing' || (!isParent && (to === 'processing' || to === 'completed'))) return null
    const name = task?.name ?? ''
    const why = reason === undefined ? '' : `: ${line(reason)}`
    return [
      segment(`${words.task} ${index} `, 'dim'),
      segment(fitText(`"${oneLine(name)}"`, 80)),
      segment(` ${words.states[to]}${why}`, CHANGE_TONES[to] ?? 'plain'),
    ]
  },
  'dual/action-begun'({ action, params, thought }) {
    const tool = (params as { tool?: unknown } | undefined)?.tool
    const name = typeof tool === 'string' ? `${action} ${tool}` : String(action)
    const why = line(thought)
    return [segment(name, 'active'), ...(why === '' ? [] : [segment(`: ${why}`)])]
  },
  'dual/plan-reviewed'({ choice, words: said }, words) {
    return choice === 'continue'
      ? null
      : [segment(`${words.reviewed}: ${choice}${said ? ` — ${line(said)}` : ''}`, 'ask')]
  },
  'dual/task-reviewed'({ index, choice, words: said }, words) {
    return [segment(`${words.reviewed} ${index}: ${choice}${said ? ` — ${line(said)}` : ''}`, 'ask')]
  },
  'dual/risk-judged': ({ risk, reason }, words) => [
    segment(`${words.risk(Number(risk))}: ${line(reason)}`, 'dim'),
  ],
  'dual/plan-refused': ({ problems }, words) => [
    segment(`${words.refused}: ${line((problems as string[]).join(' '))}`, 'warn'),
  ],
  'dual/action-refused': ({ problem }, words) => [segment(`${words.refused}: ${line(problem)}`, 'warn')],
  'dual/edit-refused': ({ problem }, words) => [segment(`${words.refused}: ${line(problem)}`, 'warn')],
  'dual/subtask-signalled': ({ do: what, subtask_index, problem }, words) =>
    problem === undefined
      ? null
      : [segment(`${what} ${subtask_index} ${words.signalled}: ${line(problem)}`, 'warn')],
  'dual/loop-reflected'({ advice, spinning }, words) {
    const spins = spinning === true ? ` (${words.spins})` : ''
    const text = line(advice)
    return text + spins === '' ? null : [segment(`${words.lookedBack}${spins}: ${text}`, 'dim')]
  },
  'dual/blueprint-marked': ({ mark, about }) => [segment(`${mark} ${line(about)}`, 'dim')],
  'dual/memory-late': (_, words) => [segment(words.late, 'dim')],
}

const CHANGE_TONES: Partial<Record<TaskChange['to'], Tone>> = {
  processing: 'active',
  completed: 'good',
  aborted: 'bad',
  skipped: 'dim',
  created: 'warn',
}

function line(value: unknown): string {
  return value === undefined || value === null ? '' : fitText(oneLine(String(value)), MAX_NEWS)
}
