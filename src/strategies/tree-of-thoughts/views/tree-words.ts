/** The words of the search's tree and pictures, in English and Chinese. */
import type { Lang } from '../../../views/words.ts'

const en = {
  round: (n: number) => `round ${n}`,
  thoughts: (n: number) => `${n} ${n === 1 ? 'thought' : 'thoughts'}`,
  pruned: (n: number) => `${n} pruned`,
  best: (score: string) => `best ${score}`,
  more: (n: number) => `${n} more`,
  backtracks: (n: number) => `${n} ${n === 1 ? 'backtrack' : 'backtracks'}`,
  layer: (round: number, candidates: number, best: string | null, kept: number) =>
    `round ${round}: ${candidates} ${candidates === 1 ? 'candidate' : 'candidates'}${best === null ? '' : `, best ${best}`}, ${kept} kept`,
  verified: (answer: string) => `verified: ${answer}`,
  elected: (trees: number, answer: string) =>
    `elected by ${trees} ${trees === 1 ? 'tree' : 'trees'}: ${answer}`,
  trees: 'Answers of the trees',
  isElected: 'elected',
}

export type TreeWords = typeof en

const zh: TreeWords = {
  round: (n) => `第 ${n} 轮`,
  thoughts: (n) => `${n} 个思维`,
  pruned: (n) => `剪枝 ${n} 个`,
  best: (score) => `最高 ${score}`,
  more: (n) => `还有 ${n} 个`,
  backtracks: (n) => `回溯 ${n} 次`,
  layer: (round, candidates, best, kept) =>
    `第 ${round} 轮: ${candidates} 个候选${best === null ? '' : `, 最高分 ${best}`}, 保留 ${kept} 个`,
  verified: (answer) => `已验证: ${answer}`,
  elected: (trees, answer) => `${trees} 棵树选出: ${answer}`,
  trees: '各棵树的答案',
  isElected: '选出',
}

export const TREE_WORDS: Readonly<Record<Lang, TreeWords>> = { en, zh }

/** 8.5, 10, 7.33: as it is, without digits that nobody gave. */
export function scoreText(score: number): string {
  return String(Math.round(score * 100) / 100)
}
