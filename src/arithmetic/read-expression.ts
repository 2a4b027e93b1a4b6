/**
 * Expressions from text: + - * / ^ × ÷, parentheses, decimals. ^ binds from the right and closer than a minus: -2^2 = -4.
 * There are two notations:
 * - `written`, as in a sentence and by `formatExpression`: `2(3+4)` multiplies, [ ] and { } group as well, and a fraction in
 *   lowest terms in its own parentheses, `(1/3)`, is a number, because that is how a fraction is written as an operand.
 *   It is strict, because the text may not be an expression at all: no 007, no 5., no +3.
 * - `keyed`, as on a calculator: 1.5e3, percent after a value, +3, and the signs of other keyboards （ ） − ·.
 */
import { type Expression, negation, number, operation } from './expression.ts'
import { formatFraction, fromDecimal, parseRational, rational } from './rational.ts'

export type Notation = 'written' | 'keyed'

/** The message says what can't be read and at which character. */
export class ReadingError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ReadingError'
  }
}

/** Reads the `written` notation; null for anything else. */
export function parseExpression(text: string): Expression | null {
  try {
    return readExpression(text, 'written')
  } catch (thrown) {
    if (thrown instanceof ReadingError) return null
    throw thrown
  }
}

/** Throws a ReadingError. */
export function readExpression(text: string, notation: Notation): Expression {
  return new Reader(notation === 'keyed' ? plain(text) : text, notation).whole()
}

const MAX_NESTING = 200
/** A longer text in the written notation is not taken for an expression. */
const MAX_WRITTEN_TOKENS = 1_000

/** Digits before and after the point, and the exponent. */
const NUMBER: Readonly<Record<Notation, RegExp>> = {
  written: /(?=[\d.])(0|[1-9]\d*)?(?:\.(\d+))?/y,
  keyed: /(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?/y,
}
const FRACTION = /\((-?\d+\/\d+)\)/y

const SIGNS: Readonly<Record<Notation, Readonly<Record<string, string>>>> = {
  written: { '*': '×', '/': '÷', '[': '(', ']': ')', '{': '(', '}': ')' },
  keyed: { '*': '×', '/': '÷' },
}

const TEN = number(rational(10))
const HUNDRED = number(rational(100))

/** Recursive descent: sums of products of signed powers. */
class Reader {
  private readonly text: string
  private readonly notation: Notation
  private at = 0
  private depth = 0
  private tokens = 0

  constructor(text: string, notation: Notation) {
    this.text = text
    this.notation = notation
  }

  whole(): Expression {
    const expression = this.sum()
    if (this.peek() !== '') throw this.unexpected()
    return expression
  }

  private sum(): Expression {
    let left = this.product()
    for (;;) {
      if (this.take('+')) left = operation('+', left, this.product())
      else if (this.take('-')) left = operation('-', left, this.product())
      else return left
    }
  }

  private product(): Expression {
    let left = this.signed()
    for (;;) {
      if (this.take('×') || this.impliesTimes()) left = operation('×', left, this.signed())
      else if (this.take('÷')) left = operation('÷', left, this.signed())
      else return left
    }
  }

  private signed(): Expression {
    let isNegative = false
    for (;;) {
      if (this.take('-')) isNegative = !isNegative
      else if (this.notation !== 'keyed' || !this.take('+')) break
    }
    const expression = this.powered()
    return isNegative ? negation(expression) : expression
  }

  /** The exponent may have a sign. */
  private powered(): Expression {
    const base = this.notation === 'keyed' ? this.percent() : this.primary()
    if (!this.take('^')) return base
    return this.nested(() => operation('^', base, this.signed()))
  }

  private percent(): Expression {
    let expression = this.primary()
    if (this.peek() !== '%') return expression
    while (this.take('%')) expression = operation('÷', expression, HUNDRED)
    if (/[\d.(]/.test(this.peek())) throw this.error('% means percent, not the remainder of a division')
    return expression
  }

  private primary(): Expression {
    const fraction = this.fraction()
    if (fraction !== null) return fraction
    if (!this.take('(')) return this.number()
    const inner = this.nested(() => this.sum())
    if (!this.take(')')) throw this.unexpected('a )')
    return inner
  }

  private fraction(): Expression | null {
    if (this.notation !== 'written' || this.peek() !== '(') return null
    const [all = '', text = ''] = this.match(FRACTION) ?? []
    const value = parseRational(text)
    if (value === null || value.d === 1n || formatFraction(value) !== text) return null
    this.advance(all.length)
    return number(value)
  }

  private number(): Expression {
    this.peek()
    const [all = '', whole = '', decimals = '', exponent] = this.match(NUMBER[this.notation]) ?? []
    if (all === '') throw this.unexpected('a number')
    this.advance(all.length)
    if (this.text[this.at] === ',') throw this.error('write numbers without separators, 1000 not 1,000')
    if (/[\d.]/.test(this.peek())) throw this.unexpected('an operator')
    const value = number(fromDecimal(whole, decimals))
    if (exponent === undefined) return value
    return operation('×', value, operation('^', TEN, number(rational(BigInt(exponent)))))
  }

  private nested(read: () => Expression): Expression {
    if (++this.depth > MAX_NESTING) throw new ReadingError(`nested more than ${MAX_NESTING} deep`)
    const expression = read()
    this.depth--
    return expression
  }

  /** `2(3+4)` and `(1+2)(3+4)` multiply. */
  private impliesTimes(): boolean {
    if (this.notation !== 'written' || this.sign() !== '(') return false
    this.advance(0)
    return true
  }

  private take(sign: string): boolean {
    if (this.sign() !== sign) return false
    this.advance(1)
    return true
  }

  private advance(chars: number): void {
    this.at += chars
    if (++this.tokens > MAX_WRITTEN_TOKENS && this.notation === 'written') {
      throw new ReadingError(`more than ${MAX_WRITTEN_TOKENS} numbers and signs`)
    }
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    return pattern.exec(this.text)
  }

  private sign(): string {
    const char = this.peek()
    return SIGNS[this.notation][char] ?? char
  }

  /** The next character that is not a space; empty at the end. */
  private peek(): string {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++
    return this.text[this.at] ?? ''
  }

  private unexpected(wanted = 'an operator or the end'): ReadingError {
    const found = this.peek()
    const what = found === '' ? 'it ends' : `there is ${JSON.stringify(found)}`
    return this.error(`${what} where ${wanted} should be`)
  }

  private error(what: string): ReadingError {
    return new ReadingError(`at ${this.at + 1}: ${what}`)
  }
}

const OTHER_SIGNS: Readonly<Record<string, string>> = {
  '×': '*',
  '·': '*',
  '⋅': '*',
  '÷': '/',
  '−': '-',
  '–': '-',
  '。': '.',
  '　': ' ',
}

/** Replaces full-width forms and other signs by plain ones, but not superscripts: 3² must not become 32. */
function plain(text: string): string {
  return [...text]
    .map((char) => {
      const code = char.codePointAt(0) as number
      if (code >= 0xff01 && code <= 0xff5e) return String.fromCodePoint(code - 0xfee0)
      return OTHER_SIGNS[char] ?? char
    })
    .join('')
    .replaceAll('**', '^')
}
