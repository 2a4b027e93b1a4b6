/**
 * Whether a memory has to do with what is being done, judged by words. A common word or two bring anything up in a search; what
 * is shown unasked must have more in common with the task.
 */
import { COMMON, wordsOf } from './words.ts'

/**
 * A test of texts: half of the words of one of the two in common, or at least two that are not a small part of the text. What
 * the query says more than once counts twice.
 */
export function relatedTo(query: string): (text: string) => boolean {
  const weights = new Map<string, number>()
  for (const word of topicOf(query)) weights.set(word, Math.min(2, (weights.get(word) ?? 0) + 1))
  return (text) => {
    const topic = new Set(topicOf(text))
    const common = [...topic].filter((word) => weights.has(word))
    if (common.length === 0) return false
    const share = common.length / topic.size
    if (Math.max(share, common.length / weights.size) >= HALF) return true
    const weight = common.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0)
    return weight >= MANY || (weight >= FEW && share >= QUARTER)
  }
}

const FEW = 2
const MANY = 4
const HALF = 1 / 2
const QUARTER = 1 / 4

/** The words that say what a text is about, reduced to their stems, with repetitions. */
function topicOf(text: string): string[] {
  const words = wordsOf(text).filter((word) => word.length > 1 && !COMMON.has(word) && !GENERIC.has(word))
  return words.map(stemOf).filter((word) => !GENERIC.has(word))
}

function stemOf(word: string): string {
  const stem = word.replace(ENDINGS, '')
  if (stem.length < MIN_STEM) return word
  return stem.replace(/([bdfgmnprt])\1$/, '$1')
}

const ENDINGS = /(?:ations?|ings?|edly|ed|ies|es|s|ly|ers?|ions?|y|e)$/
const MIN_STEM = 3

/** Words of tasks of any kind. */
const GENERIC = new Set(
  (
    'task tasks goal goals user result results done file files folder write writes writing written read run runs use uses used make ' +
    'makes made create creates created add get set check find found list thing things way work step steps new exist exists ' +
    'contain contains complete completed must need needs every each only one two three before after once again its also ' +
    '任务 目标 用户 结果 完成 文件 写入 创建 使用 检查'
  ).split(' '),
)
