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
  after(indexes: string): string
  readonly reviews: string
  readonly reflection: string
  readonly loop: string
  /** What a review came to, by its choice. */
  readonly choices: Readonly<Record<string, string>>
  planOf(name: string): string
  risk(what: string): string
  actions(n: number): string
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
    after: (indexes) => `after ${indexes}`,
    reviews: 'Reviews',
    reflection: 'reflection',
    loop: 'Actions',
    choices: {
      continue: 'go on',
      revise: 'revise',
      edit: 'edited',
      subtasks: 'split further',
      adjust: 'adjust',
      deeper: 'deeper',
      inaccurate: 'inaccurate',
      end: 'end',
    },
    planOf: (name) => `Plan: ${name}`,
    risk: (what) => `risk (${what})`,
    actions: (n) => `${n} ${n === 1 ? 'action' : 'actions'}`,
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
    after: (indexes) => `在 ${indexes} 之后`,
    reviews: '评审',
    reflection: '反思',
    loop: '动作',
    choices: {
      continue: '继续',
      revise: '修改计划',
      edit: '已编辑',
      subtasks: '继续拆分',
      adjust: '调整',
      deeper: '深入',
      inaccurate: '不准确',
      end: '结束',
    },
    planOf: (name) => `计划：${name}`,
    risk: (what) => `风险（${what}）`,
    actions: (n) => `${n} 个动作`,
  },
}
