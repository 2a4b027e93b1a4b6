import { describe, expect, it } from 'vitest'
import { depthOf, type Expression, formatExpression, number } from '../../../arithmetic/expression.ts'
import { formatRational, rational, ZERO } from '../../../arithmetic/rational.ts'
import { parseExpression } from '../../../arithmetic/read-expression.ts'
import { readResult } from '../results.ts'
import { WORDS } from '../words.ts'
import { operationsOf, partsToSolve, standing } from './decompose.ts'

const read = (text: string): Expression => parseExpression(text) ?? number(ZERO)
const texts = (expressions: readonly Expression[]) => expressions.map(formatExpression)
const EXAMPLE = read('((3+4)*(8-6))-5')

describe('an expression in steps', () => {
  it('is its single operations, innermost first, as sub-goals in the goal’s language', () => {
    const steps = operationsOf(EXAMPLE, WORDS.en)
    expect(steps.map((step) => step.goal)).toEqual([
      'compute 3 + 4',
      'compute 8 - 6',
      'compute 7 × 2',
      'compute 14 - 5',
    ])
    expect(steps.map((step) => step.result).at(-1)).toBe('14 - 5 = 9')
    expect(operationsOf(EXAMPLE, WORDS.zh)[0]?.goal).toBe('计算 3 + 4')
    expect(operationsOf(read('-(1/3) + 2'), WORDS.en).map((step) => step.result)).toEqual([
      '(-1/3) + 2 = 5/3',
    ])
  })

  it('has its operands solved below, the same one once', () => {
    expect(texts(partsToSolve([EXAMPLE], 5))).toEqual(['(3 + 4) × (8 - 6)'])
    expect(texts(partsToSolve([read('(1+2)*(1+2)')], 5))).toEqual(['1 + 2'])
    expect(texts(partsToSolve([read('1+2'), read('3'), read('4*5')], 5))).toEqual(['1 + 2', '4 × 5'])
    expect(partsToSolve([read('1+2')], 5)).toEqual([])
    expect(texts(partsToSolve([read('-((1+2)*3) - 4')], 5))).toEqual(['(1 + 2) × 3'])
  })

  it('never goes deeper than it may', () => {
    const long = read(Array.from({ length: 40 }, (_, i) => i + 1).join('+'))
    for (const part of partsToSolve([long], 3)) expect(depthOf(part)).toBeLessThanOrEqual(3)
    expect(partsToSolve([EXAMPLE], 0)).toEqual([])
  })

  it('is left with what `done` does not say yet', () => {
    const options = { levels: 5 }
    const sum = read('(1+2)*(3+4)')
    expect(texts(standing([sum], [], options).next)).toEqual(['1 + 2', '3 + 4'])
    const after = standing([sum], ['1 + 2 = 3', '3 + 4 = 7'], options)
    expect([texts(after.expressions), after.next, after.failed]).toEqual([['3 × 7'], [], []])
    // A bare value counts as well; one at a time is possible too.
    expect(texts(standing([sum], ['3', '7'], options).expressions)).toEqual(['3 × 7'])
    expect(texts(standing([sum], ['1 + 2 = 3'], { ...options, width: 1 }).next)).toEqual(['3 + 4'])
  })

  it('takes the later result of a child that was done again', () => {
    const { expressions, failed } = standing(
      [read('(1+2)*(3+4)')],
      ['[cancelled: redo]', '3 + 4 = 7', '1 + 2 = 3'],
      { levels: 5 },
    )
    expect([texts(expressions), failed]).toEqual([['3 × 7'], []])
  })

  it('says which part failed, and keeps the rest', () => {
    const { expressions, failed } = standing(
      [read('(1/0)*(3+4)')],
      ['[failed: 1 ÷ 0: division by zero]', '3 + 4 = 7'],
      { levels: 5 },
    )
    expect(texts(expressions)).toEqual(['1 ÷ 0 × 7'])
    expect(failed).toEqual([{ expression: '1 ÷ 0', text: '[failed: 1 ÷ 0: division by zero]' }])
  })

  it('reads results and nothing else', () => {
    expect(readResult('3 + 4 = 7')).toEqual({ expression: '3 + 4', value: rational(7) })
    expect(formatRational(readResult('-1/3')?.value ?? ZERO)).toBe('-1/3')
    for (const text of ['', 'seven', '3 + 4', 'x = 7', '1 = 1 = 1']) expect(readResult(text)).toBeNull()
  })
})
