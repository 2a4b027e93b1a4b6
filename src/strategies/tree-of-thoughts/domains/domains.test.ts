import { describe, expect, it } from 'vitest'
import { domainOf } from './domain-of.ts'
import { readOperation } from './operation-line.ts'

const puzzle = domainOf('Make 24 from 4, 9, 10 and 13')!

describe('an operation as people write it', () => {
  it.each([
    ['13 - 9 = 4 (left: 4 4 10)', '13 - 9 = 4'],
    ['13 - 9 = 4, 剩余: 4, 4, 10', '13 - 9 = 4'],
    ['步骤1：10 × 4 = 40', '10 × 4 = 40'],
    ['Step 1: 6 x 4 = 24', '6 × 4 = 24'],
    ['6/9 = 2/3 (left: 2/3 10)', '6 ÷ 9 = 2/3'],
    ['10 / 6 ≈ 1.67 (left: 1.67 9)', '10 ÷ 6 = 167/100'],
    ['4 − (−5) = 9', '4 - -5 = 9'],
    ['10 - 4', '10 - 4 = ?'],
    ['19 / 7 = approx. 2.71 (left: approx. 2.71)', '19 ÷ 7 = 271/100'],
    ['13 / 6 = (approximately) 2.17 (left: 2.17 9)', '13 ÷ 6 = 217/100'],
    ['9 - ~4.33 = ~4.67', '9 - 433/100 = 467/100'],
    ['10 / (4/3) = 30/4 = 15/2 (left: 15/2)', '10 ÷ 4/3 = 15/2'],
  ])('%s', (line, read) => {
    const { operator, left, right, result } = readOperation(line)!
    const text = ({ n, d }: { n: bigint; d: bigint }) => (d === 1n ? `${n}` : `${n}/${d}`)
    expect(
      `${text(left.value)} ${operator} ${text(right.value)} = ${result ? text(result.value) : '?'}`,
    ).toBe(read)
  })

  it.each(['', 'think about 24', '(10 - 4) × (13 - 9) = 24', '4 + 9 + 10 = 23', 'x - 9 = 4'])(
    'not %j',
    (line) => {
      expect(readOperation(line)).toBeNull()
    },
  )
})

describe('a target puzzle', () => {
  const read = (content: string, state = puzzle.state) => {
    const found = puzzle.read({ temp_id: 'c', content, action_type: 'test' }, state)
    return typeof found === 'string' ? { wrong: found } : found.metadata?.state
  }

  it('works out the state from the operation, whatever the line says is left', () => {
    expect(puzzle.state).toBe('4 9 10 13')
    expect(read('13 - 9 = 4 (left: 1 2 3)')).toBe('4 4 10')
    expect(read('10 ÷ 4 = 2.5')).toBe('2.5 9 13')
    expect(read('10 / 9 = 1.11')).toBe('10/9 4 13')
    expect(read('1.11 * 4 = 4.44', '10/9 4 13')).toBe('40/9 13')
  })

  const content = (given: string, state = puzzle.state) => {
    const found = puzzle.read({ temp_id: 'c', content: given, action_type: 'test' }, state)
    return typeof found === 'string' ? { wrong: found } : found.content
  }

  it.each([
    ['13 - 9 = 4 (left: 1 2 3)', '13 - 9 = 4 (left: 4 4 10)'],
    ['4 + 9 = 13 (left: 4 10)', '4 + 9 = 13 (left: 10 13 13)'],
    ['4 + 9 = 13 (left: 13) (a guess)', '4 + 9 = 13 (left: 10 13 13) (a guess)'],
    ['13 - 9 = 4, 剩余: 4, 10', '13 - 9 = 4, 剩余: 4, 4, 10'],
    [
      '13 - 9 = 4, leaving 4 and 10; remaining numbers: 4 and 10',
      '13 - 9 = 4, leaving 4 4 10; remaining numbers: 4 4 10',
    ],
    ['13 - 9 = 4 (left: [4, 4, 9])', '13 - 9 = 4 (left: [4, 4, 10])'],
    ['13 - 9 = 4 (left: 4; 4; 9)', '13 - 9 = 4 (left: 4 4 10)'],
    ['13 - 9 = 4 (remaining: 4 & 4 & 9)', '13 - 9 = 4 (remaining: 4 4 10)'],
    ['13 - 9 = 4 (**left:** 4 4 9)', '13 - 9 = 4 (**left:** 4 4 10)'],
    ['13 - 9 = 4, remaining numbers are 4, 4, 9', '13 - 9 = 4, remaining numbers are 4, 4, 10'],
    ['13 - 9 = 4, 剩余数字为 4 4 9', '13 - 9 = 4, 剩余数字为 4 4 10'],
    ['13 - 9 = 4 (left: 4 4 10, left: 4 4 9)', '13 - 9 = 4 (left: 4 4 10, left: 4 4 10)'],
  ])('corrects a wrong "left" of a right operation: %s', (given, right) => {
    expect(content(given)).toBe(right)
  })

  it.each([
    '13 - 9 = 4 (left: 10 4 4)',
    '13 - 9 = 4',
    '13 - 9 = 4, 剩余: 4, 4, 10',
    '4 - 9 = -5 (left: (-5) 10 13)',
    '10 / 9 = 1.111... (left: 1.111... 4 13)',
    '10 / 9 = ~1.11 (left: ~1.11, 4 and 13) [not a whole number]',
    '10 / 9 = approx. 1.11 (left: approx. 1.11 4 13)',
    '1. 13 - 9 = 4 (left: 4 4 10)',
    '- 13 - 9 = 4 (left: 4 4 10)',
    '13 - 9 = 4 (left: {4; 10; 4})',
    '13 - 9 = 4 (left: 4 4 10; 10 - 4 comes next)',
  ])('leaves a right one as it was written: %s', (given) => {
    expect(content(given)).toBe(given)
  })

  it.each([
    ['13 - 9 = 5', 'it comes to 4'],
    ['13 - 8 = 5', 'it uses a number that is not left'],
    ['13 - 13 = 0', 'it uses a number that is not left'],
    ['4 ^ 9 = 262144', 'powers are not allowed'],
    ['a good idea', 'it is no operation'],
  ])('drops %s', (content, wrong) => {
    expect(read(content)).toEqual({ wrong })
  })

  it('drops a division by zero', () => {
    expect(read('4 / 0 = 0', '0 4')).toEqual({ wrong: 'division by zero' })
  })

  it('composes the expression from the path, with the number made last', () => {
    const path = ['13 - 9 = 4 (left: 4 4 10)', '10 - 4 = 6 (left: 4 6)', '6 * 4 = 24 (left: 24)']
    expect(puzzle.answerOf(path)).toBe('(10 - (13 - 9)) × 4 = 24')
    expect(puzzle.answerOf(path.slice(0, 2))).toBeNull()
    expect(puzzle.trace(path)).toEqual(['Step 1: 13 - 9 = 4', 'Step 2: 10 - 4 = 6', 'Step 3: 6 × 4 = 24'])
    expect(puzzle.verify('(10 - (13 - 9)) × 4 = 24')).toEqual({ is_valid: true, errors: [] })
  })

  it('takes an answer line, and says what is wrong with a wrong one', () => {
    expect(read('Answer: (10 - 4) * (13 - 9) = 24', '24')).toBe('answer: (10 - 4) × (13 - 9) = 24')
    expect(puzzle.isComplete('answer: (10 - 4) × (13 - 9) = 24')).toBe(true)
    expect(puzzle.answerOf(['anything', 'Answer: (10 - 4) * (13 - 9) = 24'])).toBe('(10 - 4) × (13 - 9) = 24')
    expect(puzzle.verify('(10 - 4) × (13 - 9) = 25').errors).toEqual(['it does not come to 24'])
    expect(puzzle.verify('(10 - 4) × 4 = 24').errors).toEqual(['each number must be used once'])
  })

  it.each([
    [
      'Answer: 4 * 6 = 24\nNo, each number once.\nAnswer: (10 - 4) * (13 - 9) = 24',
      '(10 - 4) × (13 - 9) = 24',
    ],
    [
      'Answer: (4 + 9) * (13 - 10) = 24. Wrong! Answer: (10 - 4) * (13 - 9) = 24.',
      '(10 - 4) × (13 - 9) = 24',
    ],
    ['**Answer:** (10 - 4) * (13 - 9) = 6 * 4 = 24, as asked', '(10 - 4) × (13 - 9) = 24'],
    ['10 - 4 = 6, then 13 - 9 = 4.\nThe final answer is (10 - 4) * (13 - 9)', '(10 - 4) × (13 - 9) = 24'],
    ['答案：4 + 9 = 13。不对。答案：(10 - 4) × (13 - 9) = 24', '(10 - 4) × (13 - 9) = 24'],
    ['Answer: (10 - 4) * (13 - 9) = 24\nAnswer:', '(10 - 4) × (13 - 9) = 24'],
    ['Answer: (10 - 4) * (13 - 9) = 24\nAnswer: (10 + 4) * (13 - 9) = 24', '(10 + 4) × (13 - 9) = 24'],
  ])('the last "Answer:" of a reply counts: %s', (given, answer) => {
    expect(read(given)).toBe(`answer: ${answer}`)
    expect(puzzle.answerOf([given])).toBe(answer)
    expect(puzzle.verify(given).is_valid).toBe(answer.startsWith('(10 - 4)'))
  })

  it('an operation stays one, also beside an answer that is wrong', () => {
    expect(read('13 - 9 = 4 (left: 4 4 10)\nAnswer: 4 * 4 + 10 - 2 = 24')).toBe('4 4 10')
  })

  it('settles two numbers, with the last step where there is one, and nothing that would have to be searched', () => {
    expect(puzzle.settle('4 6')).toEqual({
      leads: true,
      reasoning: '6 × 4 = 24',
      last: { content: '6 × 4 = 24 (left: 24)', action_type: 'multiplication' },
    })
    expect(puzzle.settle('-4 -6')).toMatchObject({ leads: true })
    expect(puzzle.settle('2/3 16')).toMatchObject({ leads: true, last: { action_type: 'division' } })
    expect(puzzle.settle('10 13')).toEqual({
      leads: false,
      reasoning: 'no operation on 10 and 13 comes to 24',
    })
    for (const state of ['4 6 1', '24', 'answer: 4 × 6 = 24']) expect(puzzle.settle(state)).toBeNull()
  })

  it('two numbers are a puzzle, too', () => {
    const small = domainOf('Make 3 from 1 and 2')!
    expect(small.answerOf(['2 + 1 = 3 (left: 3)'])).toBe('2 + 1 = 3')
  })

  it('speaks Chinese where the problem does', () => {
    const chinese = domainOf('用4、9、10、13得到24')!
    const path = ['13 - 9 = 4, 剩余: 4, 4, 10', '10 - 4 = 6, 剩余: 4, 6', '6 × 4 = 24, 剩余: 24']
    expect(chinese.trace(path)).toEqual([
      '步骤1: 用13减9得到4',
      '步骤2: 用10减4得到6',
      '步骤3: 用6乘以4得到24',
    ])
    expect(chinese.verify('4 + 9 + 10 + 13').errors).toEqual(['结果不等于24'])
  })
})

describe('a plain expression', () => {
  const domain = domainOf('((3+4)*(8-6))-5')!
  const read = (content: string, state: string) => {
    const found = domain.read({ temp_id: 'c', content, action_type: 'test' }, state)
    return typeof found === 'string' ? { wrong: found } : found.metadata?.state
  }

  it('is reduced one operation at a time', () => {
    expect(domain.depth).toBe(4)
    expect(read('3 + 4 = 7', domain.state)).toBe('7 × (8 - 6) - 5')
    expect(read('8 - 6 = 2', '7 × (8 - 6) - 5')).toBe('7 × 2 - 5')
    expect(read('3 + 4 = 8', domain.state)).toEqual({ wrong: 'it comes to 7' })
    expect(read('3 + 5 = 8', domain.state)).toEqual({ wrong: 'there is no such operation left' })
    const path = ['3 + 4 = 7', '8 - 6 = 2', '7 × 2 = 14', '14 - 5 = 9']
    expect(domain.answerOf(path)).toBe('(3 + 4) × (8 - 6) - 5 = 9')
    expect(domain.verify('(3 + 4) × (8 - 6) - 5 = 9').is_valid).toBe(true)
    expect(domain.verify('(3 + 4) × (8 - 6) - 5 = 10').errors).toEqual([
      '(3 + 4) × (8 - 6) - 5 = 10: it comes to 9',
    ])
  })

  it('is settled in every state: what is exact leads to the value', () => {
    expect(domain.settle('7 × 2 - 5')).toMatchObject({ leads: true })
  })

  it('anything else is no arithmetic', () => {
    expect(domainOf('write a poem')).toBeNull()
    expect(domainOf('compute 3+4 and write it to a.txt')).toBeNull()
  })
})
