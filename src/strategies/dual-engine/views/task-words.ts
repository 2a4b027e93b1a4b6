/** The marks and words of the progress of tasks, in English and Chinese. */
import type { Lang } from '../../../views/words.ts'

export const TASK_MARKS = {
  notStarted: ' ',
  executing: '-',
  partly: '~',
  finished: 'x',
  skipped: '/',
  aborted: '!',
} as const

export type TaskState = keyof typeof TASK_MARKS

export interface TaskWords {
  readonly states: Readonly<Record<TaskState, string>>
  readonly task: string
  readonly plan: string
  readonly goal: string
  attempt(n: number): string
}

export const TASK_WORDS: Readonly<Record<Lang, TaskWords>> = {
  en: {
    states: {
      notStarted: 'not started',
      executing: 'executing',
      partly: 'partly done',
      finished: 'finished',
      skipped: 'skipped',
      aborted: 'aborted',
    },
    task: 'task',
    plan: 'plan',
    goal: 'goal',
    attempt: (n) => `attempt ${n}`,
  },
  zh: {
    states: {
      notStarted: '未开始',
      executing: '执行中',
      partly: '部分完成',
      finished: '已完成',
      skipped: '已跳过',
      aborted: '已中止',
    },
    task: '任务',
    plan: '计划',
    goal: '目标',
    attempt: (n) => `第 ${n} 次`,
  },
}
