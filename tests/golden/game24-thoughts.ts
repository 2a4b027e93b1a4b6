/**
 * What the model says in the document's walk-through, "用4、9、10、13得到24": its examples word for word where it gives them, and
 * more in the same manner. Other ways to 24 are found worse, a state is reached twice, and opinions are wrong here and there.
 */
import type { ModelRequest } from '../../src/protocol/index.ts'

export const GAME24_PROBLEM = '用4、9、10、13得到24'
export const GAME24_ANSWER = '(10 - (13 - 9)) × 4 = 24'

const DECOMPOSITION = {
  thought_granularity: 'equation',
  intermediate_steps: [
    'Step 1: 选择两个数字进行运算',
    'Step 2: 用结果与第三个数字运算',
    'Step 3: 得到目标数字24',
  ],
  depth_estimate: 3,
  constraints: ['必须使用所有数字各一次', '只能用+-×÷'],
  success_criteria: '最终结果等于24',
}

/** By what is left, the smallest first. */
const PROPOSALS: Readonly<Record<string, readonly string[]>> = {
  '4 9 10 13': [
    '13 - 9 = 4, 剩余: 4, 4, 10',
    '10 + 4 = 14, 剩余: 9, 13, 14',
    '10 - 4 = 6, 剩余: 6, 9, 13',
    '9 - 4 = 5, 剩余: 5, 10, 13',
    '4 × 9 = 36, 剩余: 10, 13, 36',
  ],
  '4 4 10': [
    '10 - 4 = 6, 剩余: 4, 6',
    '4 + 4 = 8, 剩余: 8, 10',
    '10 + 4 = 14, 剩余: 4, 14',
    '4 × 4 = 16, 剩余: 10, 16',
    '4 × 10 = 40, 剩余: 4, 40',
  ],
  '6 9 13': [
    '13 - 9 = 4, 剩余: 4, 6',
    '13 - 6 = 7, 剩余: 7, 9',
    '9 - 6 = 3, 剩余: 3, 13',
    '9 + 6 = 15, 剩余: 13, 15',
    '13 + 9 = 22, 剩余: 6, 22',
  ],
  '9 13 14': [
    '14 - 13 = 1, 剩余: 1, 9',
    '13 - 9 = 4, 剩余: 4, 14',
    '14 - 9 = 5, 剩余: 5, 13',
    '13 + 9 = 23, 剩余: 14, 23',
    '13 + 14 = 27, 剩余: 9, 27',
  ],
  '4 6': ['6 + 4 = 10, 剩余: 10', '6 - 4 = 2, 剩余: 2', '6 × 4 = 24, 剩余: 24', '6 ÷ 4 = 1.5, 剩余: 1.5'],
  '8 10': ['8 + 10 = 18, 剩余: 18', '10 - 8 = 2, 剩余: 2', '8 × 10 = 80, 剩余: 80'],
  '4 14': ['4 + 14 = 18, 剩余: 18', '14 - 4 = 10, 剩余: 10', '4 × 14 = 56, 剩余: 56'],
}

/** By what is left. */
const VALUES: Readonly<Record<string, object>> = {
  '4 4 10': {
    score: 7.5,
    confidence: 0.8,
    reasoning: '产生了4的倍数，剩余数字可组合成24',
    dimension_scores: { correctness: 10, progress: 5 },
  },
  '6 9 13': { score: 7, confidence: 0.8, reasoning: '6乘以4是24，4可能由9和13得到' },
  '9 13 14': { score: 5.5, confidence: 0.6, reasoning: '9、13、14之间的差都很小' },
  '5 10 13': { score: 3, confidence: 0.8, reasoning: '5、10、13难以组合成24' },
  '10 13 36': { score: 3.5, confidence: 0.5, reasoning: '36需要减去12，10和13得不到12' },
  '4 6': { score: 9.5, confidence: 0.95, reasoning: '4乘以6就是24' },
  '8 10': { score: 5.5, confidence: 0.6, reasoning: '8是24的因数' },
  '4 14': { score: 5, confidence: 0.6, reasoning: '4是24的因数' },
}
const NO_USE = { score: 1, confidence: 0.9, reasoning: '剩余数字得不到24' }

export function game24Reply({ kind, input }: ModelRequest): unknown {
  const { state } = input as { state?: string }
  if (kind === 'tot/decompose') return DECOMPOSITION
  if (kind === 'tot/evaluate') return VALUES[state ?? ''] ?? NO_USE
  if (kind !== 'tot/generate') throw new Error(`the walk-through has no ${kind}`)
  const candidates = PROPOSALS[state ?? ''] ?? []
  return { candidates: candidates.map((content) => ({ content, action_type: actionOf(content) })) }
}

function actionOf(content: string): string {
  const sign = content.split(' ')[1] ?? ''
  return { '+': 'addition', '-': 'subtraction', '×': 'multiplication', '÷': 'division' }[sign] ?? 'equation'
}
