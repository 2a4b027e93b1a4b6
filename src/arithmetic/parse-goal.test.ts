import { describe, expect, it } from 'vitest'
import { formatExpression } from './expression.ts'
import { parseGoal } from './parse-goal.ts'
import { formatRational } from './rational.ts'

/** A task as one line: "3 + 4 | 5 × 6 > results.md", "24 from 4 9 10 13". */
function shown(goal: string): string | null {
  const task = parseGoal(goal)
  if (task === null) return null
  const what =
    task.type === 'compute'
      ? task.expressions.map(formatExpression).join(' | ')
      : `${formatRational(task.puzzle.target)} from ${task.puzzle.numbers.map(formatRational).join(' ')}`
  return task.file === null ? what : `${what} > ${task.file}`
}

const ENGLISH: readonly [goal: string, task: string][] = [
  ['((3+4)*(8-6))-5', '(3 + 4) × (8 - 6) - 5'],
  ['compute 3+4', '3 + 4'],
  ['Compute ((3+4)*(8-6))-5.', '(3 + 4) × (8 - 6) - 5'],
  ['what is 2 + 2?', '2 + 2'],
  ["What's 7 times 8?", '7 × 8'],
  ['what is 10 divided by 4', '10 ÷ 4'],
  ['calculate 1/3 + 1/6', '1 ÷ 3 + 1 ÷ 6'],
  ['Please compute 0.1 + 0.2', '0.1 + 0.2'],
  ['Can you please calculate (1+2)*3?', '(1 + 2) × 3'],
  ['how much is 12 x 12', '12 × 12'],
  ['evaluate -3 + 5', '-3 + 5'],
  ['evaluate the expression 2*(3+4)', '2 × (3 + 4)'],
  ['find the value of (7-2)^2', '(7 - 2) ^ 2'],
  ['work out 100 / 7', '100 ÷ 7'],
  ['2(3+4)', '2 × (3 + 4)'],
  ['(1+2)(3+4)', '(1 + 2) × (3 + 4)'],
  ['3² + 4²', '3 ^ 2 + 4 ^ 2'],
  ['2**10', '2 ^ 10'],
  ['2^-2', '2 ^ (-2)'],
  ['2^3^2', '2 ^ 3 ^ 2'],
  ['1,000 + 2,500', '1000 + 2500'],
  ['compute 3 + 4 =', '3 + 4'],
  ['3+4=?', '3 + 4'],
  ['what does 3 + 4 equal?', '3 + 4'],
  ['5 − 3', '5 - 3'],
  ['6 × 7 ÷ 2', '6 × 7 ÷ 2'],
  ['6 - (7 - 2)', '6 - (7 - 2)'],
  ['[1+2]*{3+4}', '(1 + 2) × (3 + 4)'],
  ['-(2+3)', '-(2 + 3)'],
  ['compute -2^2', '-(2 ^ 2)'],
  ['3 * -2', '3 × (-2)'],
  ['0.5 * .5', '0.5 × 0.5'],
  ['(1/3) * 3', '(1/3) × 3'],
  ['(6/3) * 3', '6 ÷ 3 × 3'],
  ['compute 1 - 1 / 0', '1 - 1 ÷ 0'],
  ['compute 7', '7'],
  ['123456789012345678901234567890 * 987654321', '123456789012345678901234567890 × 987654321'],
  ['compute 3+4 and 5*6', '3 + 4 | 5 × 6'],
  ['compute 3+4, 5*6 and 7-8', '3 + 4 | 5 × 6 | 7 - 8'],
  ['compute 3+4; compute 5*6', '3 + 4 | 5 × 6'],
  ['what is 3+4 and what is 5*6?', '3 + 4 | 5 × 6'],
  ['compute 1+2, then compute 3*4', '1 + 2 | 3 × 4'],
  ['compute the sum of 3 and 4', '3 + 4'],
  ['what is the product of 6 and 7?', '6 × 7'],
  ['the difference between 10 and 4', '10 - 4'],
  ['the sum of 3*4 and 5', '3 × 4 + 5'],
  ['compute ((3+4)*(8-6))-5 and write the result to result.txt', '(3 + 4) × (8 - 6) - 5 > result.txt'],
  ['compute 3+4 and write it to out/result.txt', '3 + 4 > out/result.txt'],
  ['Compute 3+4 and 5*6 and write both to results.md', '3 + 4 | 5 × 6 > results.md'],
  ['compute 3+4 and 5*6 and save them into "my results.txt"', '3 + 4 | 5 × 6 > my results.txt'],
  ['calculate 3+4, then save the answer to a file named answer.txt.', '3 + 4 > answer.txt'],
  ['compute 12*12 and put it in result.txt', '12 × 12 > result.txt'],
  ['write the result of 3+4 to result.txt', '3 + 4 > result.txt'],
  ['write to result.txt the value of 3+4', '3 + 4 > result.txt'],
  ['Make 24 from 4, 9, 10 and 13', '24 from 4 9 10 13'],
  ['make 24 from 4 9 10 13', '24 from 4 9 10 13'],
  ['Make 24 using 4, 9, 10, 13', '24 from 4 9 10 13'],
  ['make 24 with the numbers 3, 3, 8 and 8', '24 from 3 3 8 8'],
  ['Use 4, 9, 10 and 13 to make 24', '24 from 4 9 10 13'],
  ['Using 4, 9, 10, and 13, make 24.', '24 from 4 9 10 13'],
  ['use the numbers 1 5 5 5 to get 24, each number exactly once', '24 from 1 5 5 5'],
  ['Use each of the numbers 4, 9, 10, 13 exactly once to make 24', '24 from 4 9 10 13'],
  ['Game of 24: 4 9 10 13', '24 from 4 9 10 13'],
  ['24 game: 4, 9, 10, 13', '24 from 4 9 10 13'],
  ['Solve the game of 24 with 4 9 10 13', '24 from 4 9 10 13'],
  ['combine 2, 3 and 7 to reach 42', '42 from 2 3 7'],
  ['Can you make 24 from 4, 9, 10 and 13?', '24 from 4 9 10 13'],
  ['How can I get 24 from 4, 9, 10 and 13 using each number once?', '24 from 4 9 10 13'],
  ['Make 24 from 4, 9, 10 and 13 using basic arithmetic operations (+ - * /)', '24 from 4 9 10 13'],
  [
    'Make 24 from 4, 9, 10 and 13 and write the expression to solution.txt',
    '24 from 4 9 10 13 > solution.txt',
  ],
  ['Make 1/2 from 1, 2, 3 and 4', '0.5 from 1 2 3 4'],
]

const CHINESE: readonly [goal: string, task: string][] = [
  ['１２＋３４', '12 + 34'],
  ['（３＋４）×２', '(3 + 4) × 2'],
  ['计算 3+4', '3 + 4'],
  ['计算（3+4）×（8−6）', '(3 + 4) × (8 - 6)'],
  ['求 (3+4)*2 的值', '(3 + 4) × 2'],
  ['求 3×4 的结果', '3 × 4'],
  ['3+4 等于多少？', '3 + 4'],
  ['3 加 4 等于几', '3 + 4'],
  ['请计算 1/3 + 1/6', '1 ÷ 3 + 1 ÷ 6'],
  ['请问 12 × 12 是多少？', '12 × 12'],
  ['帮我算一下 7 乘以 8', '7 × 8'],
  ['12 除以 5 是多少', '12 ÷ 5'],
  ['计算 3 的平方', '3 ^ 2'],
  ['计算 3 和 4 的和', '3 + 4'],
  ['6 与 7 的积是多少', '6 × 7'],
  ['计算一下 2 的 10 次方', '2 ^ 10'],
  ['算 3.5 减去 1.25', '3.5 - 1.25'],
  ['计算 (1/3)', '1/3'],
  ['计算 3+4 和 5*6', '3 + 4 | 5 × 6'],
  ['分别计算 3+4、5*6 和 7-8', '3 + 4 | 5 × 6 | 7 - 8'],
  ['计算 3+4，再计算 5*6', '3 + 4 | 5 × 6'],
  ['计算 3+4 与 5*6，并把两个结果写入 results.md', '3 + 4 | 5 × 6 > results.md'],
  ['计算 ((3+4)*(8-6))-5 并写入 result.txt', '(3 + 4) × (8 - 6) - 5 > result.txt'],
  ['计算 3+4，并将结果写入 result.txt', '3 + 4 > result.txt'],
  ['计算 3+4，然后把结果保存到文件 结果.txt 中', '3 + 4 > 结果.txt'],
  ['把 3+4 的结果写入 result.txt', '3 + 4 > result.txt'],
  ['将 3+4 和 5×6 的结果都写入 results.md', '3 + 4 | 5 × 6 > results.md'],
  ['计算3+4并写入“我的结果.txt”', '3 + 4 > 我的结果.txt'],
  ['在 result.txt 中写入 3+4 的结果', '3 + 4 > result.txt'],
  ['用 4、9、10、13 算出 24', '24 from 4 9 10 13'],
  ['用4,9,10,13得到24', '24 from 4 9 10 13'],
  ['用数字 4 9 10 13 凑成 24，每个数只能用一次', '24 from 4 9 10 13'],
  ['请用 3、3、8、8 算 24 点', '24 from 3 3 8 8'],
  ['使用 1、5、5、5 这四个数，通过加减乘除得到 24', '24 from 1 5 5 5'],
  ['算24点：4、9、10、13', '24 from 4 9 10 13'],
  ['24点：4 9 10 13', '24 from 4 9 10 13'],
  ['把 4、9、10 和 13 凑成 24', '24 from 4 9 10 13'],
  ['如何用 4、9、10、13 算出 24？', '24 from 4 9 10 13'],
  ['用４、９、１０、１３算出２４', '24 from 4 9 10 13'],
  ['用 4、9、10、13 算出 24，并写入 solution.txt', '24 from 4 9 10 13 > solution.txt'],
]

const OTHER_GOALS: readonly string[] = [
  'write a poem about 24',
  'what is love',
  'what is 24',
  '24',
  'love',
  '',
  'make 24 cookies from flour and 3 eggs',
  'make 24 from love',
  'write 24 to x.txt',
  'write a poem to poem.txt',
  'write a 24-line poem and save it to poem.txt',
  'compute the meaning of life',
  'compute 3+4 and write a poem',
  'compute 3+4 and email it to bob@example.com',
  'compute 3 + x',
  'x + 3 = 5',
  '3+4=7',
  '((3+4)',
  '(3+4))',
  '3 + + 4',
  '3 4',
  '()',
  '*3',
  '3*',
  '2024-05-01',
  'call 555-1234',
  'compute',
  'make 24 from 4',
  'make 24 from 1, 2, 3, 4, 5, 6, 7',
  'summarize 3+4 papers',
  '3 apples + 4 apples',
  '1½ + 1',
  '5⁴',
  '0x10 + 1',
  'sqrt(16)',
  '5!',
  '10 % 3',
  '007 + 1',
  '1..2 + 3',
  'plan my trip for 2+ days',
  'how are you',
  'is 7 prime?',
  '写一首关于 24 的诗',
  '什么是爱',
  '用爱发电',
  '计算',
  '计算圆周率',
  '计算 3+4 并写一首诗',
  '计算 x+1',
  '把诗写入 poem.txt',
  '用 4 个人写 24 首诗',
  '今天是 2024 年 5 月 1 日',
  '24 是什么意思',
]

describe('a goal', () => {
  it.each(ENGLISH)('in English is understood: %s', (goal, task) => {
    expect(shown(goal)).toBe(task)
    expect(parseGoal(goal)?.language).toBe('en')
  })

  it.each(CHINESE)('in Chinese is understood: %s', (goal, task) => expect(shown(goal)).toBe(task))

  it.each(OTHER_GOALS)('that is not arithmetic is not understood: "%s"', (goal) =>
    expect(parseGoal(goal)).toBeNull(),
  )

  it('in four parts says in its intent what is to be done', () => {
    const goal = 'compute 3+4\nDeliverable: a number\nMetric: exact\nConstraint: none'
    expect(shown(goal)).toBe('3 + 4')
  })

  it('that is long and odd is judged before the test times out', () => {
    const odd = [
      '1 , '.repeat(1_000),
      '('.repeat(4_000),
      '1+'.repeat(1_999),
      'a/'.repeat(1_999),
      '和 '.repeat(1_999),
    ]
    for (const text of odd) {
      expect(parseGoal(text)).toBeNull()
      expect(parseGoal(`compute ${text} and write`)).toBeNull()
      expect(parseGoal(`use ${text} x`)).toBeNull()
    }
  })
})

it.each(['并且', '并且 ', '然后再', '的结果', ' and then', ' and the results'])(
  'reads a goal that repeats %j in time',
  (words) => {
    const start = performance.now()
    parseGoal(`计算 1+2${words.repeat(1_900 / words.length)}`)
    expect(performance.now() - start).toBeLessThan(5_000)
  },
)
