/** The words of the pictures and of the Markdown, in English and Chinese. */
import type { Lang } from '../words.ts'

export interface PictureWords {
  thoughts(n: number): string
  pruned(n: number): string
  backtracks(n: number): string
  more(n: number): string
  /** Of the legend. */
  best: string
  verified: string
  cut: string
  same: string
  result: string
  /** Of the Markdown. */
  plan: string
  solution: string
  empty: string
}

const en: PictureWords = {
  thoughts: (n) => `${n} ${n === 1 ? 'thought' : 'thoughts'}`,
  pruned: (n) => `${n} pruned`,
  backtracks: (n) => `${n} ${n === 1 ? 'backtrack' : 'backtracks'}`,
  more: (n) => `… ${n} more`,
  best: 'best path',
  verified: 'verified',
  cut: 'pruned',
  same: 'merged: the same state',
  result: 'Result',
  plan: 'Plan',
  solution: 'Solution',
  empty: 'Nothing has happened yet.',
}

const zh: PictureWords = {
  thoughts: (n) => `${n} 个思维`,
  pruned: (n) => `剪枝 ${n} 个`,
  backtracks: (n) => `回溯 ${n} 次`,
  more: (n) => `… 还有 ${n} 个`,
  best: '最佳路径',
  verified: '已验证',
  cut: '已剪枝',
  same: '已合并: 状态相同',
  result: '结果',
  plan: '计划',
  solution: '解答',
  empty: '尚无内容。',
}

const WORDS: Record<Lang, PictureWords> = { en, zh }

export function pictureWords(lang: Lang): PictureWords {
  return WORDS[lang]
}
