/** The words of the search's tree and pictures, in English and Chinese. */
import type { Lang } from '../../../views/words.ts'

export interface TreeWords {
  round(n: number): string
  thoughts(n: number): string
  pruned(n: number): string
  best(score: string): string
  more(n: number): string
  backtracks(n: number): string
  layer(round: number, candidates: number, best: string | null, kept: number): string
  verified(answer: string): string
  adjusted(error: string, change: string): string
}

const WORDS: Readonly<Record<Lang, TreeWords>> = {
  en: {
    round: (n) => `round ${n}`,
    thoughts: (n) => `${n} ${n === 1 ? 'thought' : 'thoughts'}`,
    pruned: (n) => `${n} pruned`,
    best: (score) => `best ${score}`,
    more: (n) => `${n} more`,
    backtracks: (n) => `${n} ${n === 1 ? 'backtrack' : 'backtracks'}`,
    layer: (round, candidates, best, kept) =>
      `round ${round}: ${candidates} ${candidates === 1 ? 'candidate' : 'candidates'}${best === null ? '' : `, best ${best}`}, ${kept} kept`,
    verified: (answer) => `verified: ${answer}`,
    adjusted: (error, change) => `${error}: ${change}`,
  },
  zh: {
    round: (n) => `第 ${n} 轮`,
    thoughts: (n) => `${n} 个思维`,
    pruned: (n) => `剪枝 ${n} 个`,
    best: (score) => `最高 ${score}`,
    more: (n) => `还有 ${n} 个`,
    backtracks: (n) => `回溯 ${n} 次`,
    layer: (round, candidates, best, kept) =>
      `第 ${round} 轮: ${candidates} 个候选${best === null ? '' : `, 最高分 ${best}`}, 保留 ${kept} 个`,
    verified: (answer) => `已验证: ${answer}`,
    adjusted: (error, change) => `${error}: ${change}`,
  },
}

export function treeWords(lang: Lang): TreeWords {
  return WORDS[lang]
}

/** 8.5, 10, 7.33: as it is, without digits that nobody gave. */
export function scoreText(score: number): string {
  return String(Math.round(score * 100) / 100)
}
