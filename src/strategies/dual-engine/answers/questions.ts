/** The questions of reviews, as people read them. The choices stand in the text: free text is an answer, too. */
import type { PlanReview, ReviewName } from '../schema.ts'
import { readPlanReview } from './read-review.ts'

interface ReviewQuestion {
  readonly what: string
  readonly how: string
}

export const QUESTIONS: Readonly<Record<'en' | 'zh', Readonly<Record<ReviewName, ReviewQuestion>>>> = {
  en: {
    'review-plan': {
      what: 'The plan: go on with it?',
      how: 'continue | unclear: … | incomplete: … | subtasks 1-2: … | remove 1-2 | rename 1-2: … | end | or say in your own words what to change',
    },
    'review-task': {
      what: 'A task has ended: go on?',
      how: 'continue | adjust: … | deeper: … | inaccurate: … | end',
    },
    'review-params': {
      what: 'The parameters of a blueprint: go on with them?',
      how: 'continue | {"name": "value"} changes some | end',
    },
  },
  zh: {
    'review-plan': {
      what: '计划：是否继续？',
      how: '继续 | 不清楚：… | 不完整：… | 子任务 1-2：… | 删除 1-2 | 改名 1-2：… | 结束 | 或直接说明要改什么',
    },
    'review-task': {
      what: '一个任务已结束：是否继续？',
      how: '继续 | 调整：… | 深入：… | 不准确：… | 结束',
    },
    'review-params': {
      what: '蓝图参数：是否使用？',
      how: '继续 | {"参数名": "值"} 修改其中一些 | 结束',
    },
  },
}

export function reviewText({ what, how }: ReviewQuestion, about: string): string {
  return `${what}\n${about}\n(${how})`
}

const ALL = Object.values(QUESTIONS).flatMap((questions) => Object.values(questions))

/**
 * What a person said in a review, without the plan or the result that the question showed: requests have those already. Null
 * where the message is no review; empty where the answer is only a yes.
 */
export function reviewAnswer(message: string): { readonly text: string; readonly said: string } | null {
  const question = ALL.find(({ what }) => message.startsWith(`${what}\n`))
  const [about = '', answer] = question === undefined ? [] : message.split(`(${question.how}) → `)
  if (question === undefined || answer === undefined) return null
  const review = readPlanReview(answer)
  if (review.choice === 'continue') return { text: '', said: '' }
  const task = /\n(\d[\d-]* "[^"\n]*") /.exec(about)?.[1] ?? ''
  const text = `${[question.what, task].filter(Boolean).join(' ')} → ${answer}`
  return { text, said: wordsOf(review) || answer }
}

/** Behind the choice. */
function wordsOf(review: PlanReview): string {
  return 'words' in review ? review.words : ''
}
