/** A recording as GPT-4's is, only small and by hand: two puzzles. */
import type { Recording } from '../../bench/game24-recording.ts'

/**
 * In the first puzzle a line comes twice, a sum is wrong, and two lines lead to the same state. In the second the last step to 24 is
 * taken for a dead end, and an answer that is wrong for a sure one.
 */
export const SMALL_RECORDING: Recording = {
  '1 1 4 6': {
    idx: 1,
    states: {
      '': {
        p: ['4 * 6 = 24 (left: 1 1 24)', '4 * 6 = 24 (left: 1 1 24)', '4 + 6 = 11 (left: 1 1 11)'],
        v: [60, null, 3],
      },
      '4 * 6 = 24 (left: 1 1 24)\n': {
        p: ['1 * 24 = 24 (left: 1 24)', '24 / 1 = 24 (left: 1 24)', '1 + 1 = 2 (left: 2 24)'],
        v: [60, 60, 0.003],
      },
      '4 * 6 = 24 (left: 1 1 24)\n1 * 24 = 24 (left: 1 24)\n': { p: ['24 * 1 = 24 (left: 24)'], v: [60] },
      '4 * 6 = 24 (left: 1 1 24)\n24 / 1 = 24 (left: 1 24)\n': { p: ['24 / 1 = 24 (left: 24)'], v: [60] },
      '4 * 6 = 24 (left: 1 1 24)\n1 * 24 = 24 (left: 1 24)\n24 * 1 = 24 (left: 24)\n': {
        p: ['Answer: 4 * 6 * 1 * 1 = 24'],
        v: [60],
      },
      '4 * 6 = 24 (left: 1 1 24)\n24 / 1 = 24 (left: 1 24)\n24 / 1 = 24 (left: 24)\n': {
        p: ['Answer: 4 * 6 / 1 / 1 = 24'],
        v: [60],
      },
    },
    final: [
      '4 * 6 = 24 (left: 1 1 24)\n1 * 24 = 24 (left: 1 24)\n24 * 1 = 24 (left: 24)\nAnswer: 4 * 6 * 1 * 1 = 24\n',
      '4 * 6 = 24 (left: 1 1 24)\n24 / 1 = 24 (left: 1 24)\n24 / 1 = 24 (left: 24)\nAnswer: 4 * 6 / 1 / 1 = 24\n',
    ],
    r: [1, 1],
  },
  '2 3 4 5': {
    idx: 2,
    states: {
      '': { p: ['5 + 4 = 9 (left: 2 3 9)', '3 + 5 = 8 (left: 2 4 8)'], v: [60, 3] },
      '5 + 4 = 9 (left: 2 3 9)\n': { p: ['9 + 3 = 12 (left: 2 12)'], v: [3] },
      '5 + 4 = 9 (left: 2 3 9)\n9 + 3 = 12 (left: 2 12)\n': {
        p: ['12 + 2 = 14 (left: 14)', '12 - 2 = 10 (left: 10)', '12 * 2 = 24 (left: 24)'],
        v: [60, 20, 0.003],
      },
      '5 + 4 = 9 (left: 2 3 9)\n9 + 3 = 12 (left: 2 12)\n12 + 2 = 14 (left: 14)\n': {
        p: ['Answer: 5 + 4 + 3 + 2 = 14'],
        v: [0.003],
      },
      '5 + 4 = 9 (left: 2 3 9)\n9 + 3 = 12 (left: 2 12)\n12 - 2 = 10 (left: 10)\n': {
        p: ['Answer: 5 + 4 + 3 - 2 = 24'],
        v: [60],
      },
    },
    final: [
      '5 + 4 = 9 (left: 2 3 9)\n9 + 3 = 12 (left: 2 12)\n12 - 2 = 10 (left: 10)\nAnswer: 5 + 4 + 3 - 2 = 24\n',
      '5 + 4 = 9 (left: 2 3 9)\n9 + 3 = 12 (left: 2 12)\n12 + 2 = 14 (left: 14)\nAnswer: 5 + 4 + 3 + 2 = 14\n',
    ],
    r: [0, 0],
  },
}
