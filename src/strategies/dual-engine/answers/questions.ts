/** The questions of reviews, as people read them. The choices stand in the text: free text is an answer, too. */
import { valueText } from '../../../kernel/brief/value-text.ts'
import type { PlanReview, ReviewName } from '../schema.ts'
import { readPlanReview } from './read-review.ts'

export interface ReviewQuestion {
  readonly what: string
  /** What an answer is about, where it is told to others. */
  readonly about: string
  readonly how: string
}

export const QUESTIONS: Readonly<Record<'en' | 'zh', Readonly<Record<ReviewName, ReviewQuestion>>>> = {
  en: {
    'review-plan': {
      what: 'The plan: go on with it?',
      about: 'About the plan',
      how: 'continue | unclear: … | incomplete: … | subtasks 1-2: … | remove 1-2 | rename 1-2: … | end | or say in your own words what to change',
    },
    'review-task': {
      what: 'A task has ended: go on?',
      about: 'About the task',
      how: 'continue | adjust: … | deeper: … | inaccurate: … | end',
    },
    'review-params': {
      what: 'The parameters of a blueprint: go on with them?',
      about: 'About the parameters of the blueprint',
      how: 'continue | {"name": "value"} changes some | end',
    },
  },
  zh: {
    'review-plan': {
      what: '计划：是否继续？',
      about: '关于计划',
      how: '继续 | 不清楚：… | 不完整：… | 子任务 1-2：… | 删除 1-2 | 改名 1-2：… | 结束 | 或直接说明要改什么',
    },
    'review-task': {
      what: '一个任务已结束：是否继续？',
      about: '关于任务',
      how: '继续 | 调整：… | 深入：… | 不准确：… | 结束',
    },
    'review-params': {
      what: '蓝图参数：是否使用？',
      about: '关于蓝图参数',
      how: '继续 | {"参数名": "值"} 修改其中一些 | 结束',
    },
  },
}

export function reviewText({ what, how }: ReviewQuestion, about: string): string {
  return `${what}\n${about}\n(${how})`
}

/** What a person said in a review, for later requests: without the question, which shows a plan or a result. Nothing for a yes. */
export function saidInReview({ about }: ReviewQuestion, answer: unknown, what = ''): string {
  const review = readPlanReview(answer)
  if (review.choice === 'continue') return ''
  const words = isPlain(answer) ? answer : wordsOf(review) || valueText(answer)
  return `${about}${what === '' ? '' : ` ${what}`}: ${words}`
}

/** Not an object, nor the JSON of one. */
function isPlain(answer: unknown): answer is string {
  return typeof answer === 'string' && !answer.trim().startsWith('{')
}

/** Behind the choice. */
function wordsOf(review: PlanReview): string {
  return 'words' in review ? review.words : ''
}
