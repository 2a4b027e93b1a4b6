/** The words of the views of a chain of thought, in English and Chinese. */
import type { Lang } from '../../../views/words.ts'

export interface ChainWords {
  readonly thought: string
  readonly evaluation: string
  readonly reopened: string
  readonly verify: string
  more(steps: number): string
  counts(done: number, all: number, verify: number): string
}

export const WORDS: Readonly<Record<Lang, ChainWords>> = {
  en: {
    thought: 'thought',
    evaluation: 'evaluation',
    reopened: 'open again',
    verify: 'verify',
    more: (steps) => `${steps} more steps`,
    counts: (done, all, verify) =>
      `${done} of ${all} steps done${verify === 0 ? '' : `, ${verify} to verify`}`,
  },
  zh: {
    thought: '思考',
    evaluation: '评估',
    reopened: '重新打开',
    verify: '待验证',
    more: (steps) => `还有 ${steps} 步`,
    counts: (done, all, verify) => `已完成 ${done}/${all} 步${verify === 0 ? '' : `, 待验证 ${verify} 步`}`,
  },
}
