/** The words of the pictures and of the Markdown, in English and Chinese. */
import type { Lang } from '../words.ts'

export interface PictureWords {
  more(n: number): string
  /** For the legend. */
  best: string
  verified: string
  cut: string
  same: string
  result: string
  /** The result as a value, for programs. */
  value: string
  /** For Markdown. */
  plan: string
  solution: string
  details: string
  empty: string
}

const en: PictureWords = {
  more: (n) => `… ${n} more`,
  best: 'best path',
  verified: 'verified',
  cut: 'pruned',
  same: 'merged: the same state',
  result: 'Result',
  value: 'Value',
  plan: 'Plan',
  solution: 'Solution',
  details: 'Details',
  empty: 'Nothing has happened yet.',
}

const zh: PictureWords = {
  more: (n) => `… 还有 ${n} 个`,
  best: '最佳路径',
  verified: '已验证',
  cut: '已剪枝',
  same: '已合并: 状态相同',
  result: '结果',
  value: '值',
  plan: '计划',
  solution: '解答',
  details: '详情',
  empty: '尚无内容。',
}

const WORDS: Record<Lang, PictureWords> = { en, zh }

export function pictureWords(lang: Lang): PictureWords {
  return WORDS[lang]
}
