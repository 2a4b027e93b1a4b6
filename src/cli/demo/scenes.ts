/**
 * What the demonstration asks. The goals are in no training data, and chosen: the shipped model is wrong about them when it is asked once.
 * What it says is asked anew each time, and whether it is right is computed.
 */
import type { Lang } from '../../views/words.ts'

export interface Scene {
  readonly goal: Readonly<Record<Lang, string>>
  /** The strategy that gets it right. */
  readonly strategy: 'fractal' | 'tot'
}

export const SCENES: readonly Scene[] = [
  {
    goal: {
      en: 'Compute 3 * (17 + (10 * 20 - (3 + 17))) + 1',
      zh: '计算 3 * (17 + (10 * 20 - (3 + 17))) + 1',
    },
    strategy: 'fractal',
  },
  {
    goal: { en: 'Make 24 from 1, 4, 5 and 12', zh: '用 1、4、5、12 算出 24' },
    strategy: 'tot',
  },
]

/** The same draws each time. */
export const SEED = 'demo'
