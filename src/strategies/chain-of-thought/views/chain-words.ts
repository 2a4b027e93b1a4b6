/** The words of the views of a chain of thought, in English and Chinese. */
import type { Lang } from '../../../views/words.ts'

const en = {
  thought: 'thought',
  evaluation: 'evaluation',
  reopened: 'open again',
  verify: 'verify',
  more: (steps: number) => `${steps} more steps`,
  counts: (done: number, all: number, verify: number) =>
    `${done} of ${all} steps done${verify === 0 ? '' : `, ${verify} to verify`}`,
}

export type ChainWords = typeof en

const zh: ChainWords = {
  thought: '思考',
  evaluation: '评估',
  reopened: '重新打开',
  verify: '待验证',
  more: (steps) => `还有 ${steps} 步`,
  counts: (done, all, verify) => `已完成 ${done}/${all} 步${verify === 0 ? '' : `, 待验证 ${verify} 步`}`,
}

export const CHAIN_WORDS: Readonly<Record<Lang, ChainWords>> = { en, zh }
