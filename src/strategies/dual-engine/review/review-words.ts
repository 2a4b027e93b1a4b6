/** What people are asked in a review, and the words they may answer with, in English and Chinese. */

export type ReviewName = 'review-plan' | 'review-task' | 'review-params'

interface Asked {
  readonly what: string
  readonly how: readonly string[]
}

export const REVIEWS: Readonly<Record<'en' | 'zh', Readonly<Record<ReviewName, Asked>>>> = {
  en: {
    'review-plan': {
      what: 'The plan: go on with it?',
      how: [
        'continue',
        'unclear: …',
        'incomplete: …',
        'subtasks 1-2: …',
        'remove 1-2',
        'rename 1-2: …',
        'end',
        'or say in your own words what to change',
      ],
    },
    'review-task': {
      what: 'A task has ended: go on?',
      how: ['continue', 'adjust: …', 'deeper: …', 'inaccurate: …', 'end'],
    },
    'review-params': {
      what: 'The parameters of a blueprint: go on with them?',
      how: ['continue', '{"name": "value"} changes some', 'end'],
    },
  },
  zh: {
    'review-plan': {
      what: '计划：是否继续？',
      how: [
        '继续',
        '不清楚：…',
        '不完整：…',
        '子任务 1-2：…',
        '删除 1-2',
        '改名 1-2：…',
        '结束',
        '或直接说明要改什么',
      ],
    },
    'review-task': {
      what: '一个任务已结束：是否继续？',
      how: ['继续', '调整：…', '深入：…', '不准确：…', '结束'],
    },
    'review-params': {
      what: '蓝图参数：是否使用？',
      how: ['继续', '{"参数名": "值"} 修改其中一些', '结束'],
    },
  },
}

const MEANT: Readonly<Record<string, readonly string[]>> = {
  continue: [
    ...['continue', 'c', 'yes', 'y', 'ok', 'okay', 'go', 'go on', 'go ahead', 'yes please'],
    ...['继续', '好', '好的', '可以', '是'],
  ],
  end: ['end', 'stop', 'quit', '结束', '停止'],
  subtasks: ['subtasks', 'subtask', '子任务', '拆分'],
  remove: ['remove', 'delete', '删除', '移除'],
  rename: ['rename', '改名', '重命名'],
  adjust: ['adjust', '调整'],
  deeper: ['deeper', 'deep', '深入'],
  inaccurate: ['inaccurate', 'redo', '不准确', '重做'],
}

const CHOICES = new Map(
  Object.entries(MEANT).flatMap(([choice, words]) => words.map((word) => [word, choice])),
)

/** The choice that a word stands for; itself where it is none. */
export function choiceOf(word: string): string {
  const plain = word.toLowerCase().replace(/[.!。！]$/, '')
  return CHOICES.get(plain) ?? plain
}
