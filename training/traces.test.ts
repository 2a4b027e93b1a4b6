import { describe, expect, it } from 'vitest'
import { evaluate } from '../src/arithmetic/expression.ts'
import { valueState } from '../src/arithmetic/puzzle.ts'
import { formatFraction, parseRational, type Rational, rational } from '../src/arithmetic/rational.ts'
import { parseExpression } from '../src/arithmetic/read-expression.ts'
import { seededRandom } from '../src/kernel/random.ts'
import { isHeldOut, isHeldOutExpression, isHeldOutPuzzle } from '../src/lab/tasks/held-out.ts'
import { turnNumbers } from '../src/models/embedded/mini/compact.ts'
import { decode, END_TOKEN, encode, VOCABULARY } from '../src/models/embedded/mini/tokens.ts'
import { linesOf } from './make-data.ts'
import { MAX_TOKENS, traces } from './traces.ts'

const PAIRS = traces(seededRandom('test'), 6_000)
const about = (letter: string) =>
  PAIRS.filter(({ prompt }) => prompt.startsWith(`${letter}|`)).map(({ prompt, answer }) => ({
    body: prompt.slice(2, -1),
    answer,
  }))
const expressionOf = (text: string) => parseExpression(text.replaceAll(/(\d+\/\d+)/g, '($1)'))!
const puzzleOf = (body: string) => {
  const [target = '', numbers = ''] = body.split('|')
  return { target: parseRational(target)!, numbers: numbers.split(' ').map((text) => parseRational(text)!) }
}
const workedOut = (text: string) => formatFraction(evaluate(expressionOf(text)))

describe('training pairs', () => {
  it('have none of the goals that are held out, as a goal or as an intermediate form', () => {
    for (const { body } of ['D', 'T'].flatMap(about))
      expect(isHeldOutExpression(expressionOf(body)), body).toBe(false)
    for (const { body } of ['P', 'V'].flatMap(about))
      expect(isHeldOutPuzzle(puzzleOf(body)), body).toBe(false)
    for (const { body } of about('W')) expect(isHeldOut(body), body).toBe(false)
  })

  it('say directly what the expression comes to', () => {
    const direct = about('D')
    expect(direct.length).toBeGreaterThan(200)
    for (const { body, answer } of direct) expect(answer, body).toBe(workedOut(body))
  })

  it('give the value of one operation, and name an operation of more', () => {
    const ends = { R: 0, C: 0 }
    for (const { body, answer } of about('T')) {
      if (answer.startsWith('R')) expect(answer.slice(1), body).toBe(workedOut(body))
      else expect(body, answer).toContain(answer.slice(1))
      ends[answer[0] as 'R' | 'C']++
    }
    expect(Math.min(ends.R, ends.C)).toBeGreaterThan(300)
  })

  it('reach the target of a puzzle, and say whether that is possible', () => {
    for (const { body, answer } of about('P').slice(0, 300)) {
      const { target, numbers } = puzzleOf(body)
      expect(answer.split(';'), body).toHaveLength(numbers.length - 1)
      expect(answer.endsWith(`=${formatFraction(target)}`), `${body} ${answer}`).toBe(true)
    }
    const worth = about('V').slice(0, 200)
    for (const { body, answer } of worth) {
      const { target, numbers } = puzzleOf(body)
      if (answer === 's') expect(valueState(numbers, target), body).toBe('sure')
    }
    expect(new Set(worth.map(({ answer }) => answer))).toEqual(new Set(['s', 'i']))
  })

  it('are of the vocabulary, in English and Chinese, and short', () => {
    for (const { prompt, answer } of PAIRS) {
      const tokens = encode(prompt + answer)
      expect(decode(tokens)).toBe(prompt + answer)
      expect(tokens).not.toContain(END_TOKEN)
      expect(Math.max(...tokens)).toBeLessThan(VOCABULARY)
      expect(tokens.length).toBeLessThanOrEqual(MAX_TOKENS)
    }
    expect(about('W').some(({ body }) => body.includes('小'))).toBe(true)
  })

  it('are written with the lowest digit of a number first', () => {
    expect(turnNumbers('T|(12+340)>R352')).toBe('T|(21+043)>R253')
    const [line = ''] = linesOf({ seed: '7', count: 1 }).split('\n')
    const [{ prompt, answer } = { prompt: '', answer: '' }] = traces(seededRandom('7'), 1)
    expect(turnNumbers(line)).toBe(prompt + answer)
  })

  it('are the same for the same seed', () => {
    expect(linesOf({ seed: '7', count: 500 })).toBe(linesOf({ seed: '7', count: 500 }))
    expect(linesOf({ seed: '7', count: 500 })).not.toBe(linesOf({ seed: '8', count: 500 }))
  })
})

describe('goals that are held out', () => {
  it('leave 24 from 1 to 13 more than a hundred puzzles to be solved', () => {
    const range = Array.from({ length: 13 }, (_, i) => rational(i + 1))
    const target = rational(24)
    const all = range.flatMap((a, i) =>
      range
        .slice(i)
        .flatMap((b, j) =>
          range.slice(i + j).flatMap((c, k) => range.slice(i + j + k).map((d): Rational[] => [a, b, c, d])),
        ),
    )
    const kept = all.filter((numbers) => isHeldOutPuzzle({ target, numbers }))
    expect(all).toHaveLength(1_820)
    expect(kept.length).toBeGreaterThan(137)
    expect(kept.length).toBeLessThan(230)
  })
})
