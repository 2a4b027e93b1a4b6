/**
 * Arithmetic expressions, read and computed exactly: + - * / ^ with whole exponents, parentheses, decimals, 1.5e3, percent
 * after a value, and the signs × ÷ − （ ） of other keyboards. ^ binds from the right and closer than a minus: -2^2 = -4.
 */
import { toolError } from '../define-tool.ts'
import { add, divide, multiply, negate, power, type Rational, rational } from './rational.ts'

export const MAX_NESTING = 200
const HUNDRED = rational(100n)

/** Throws with the place where it can't be read. */
export function evaluate(expression: string): Rational {
  return new Reader(plain(expression)).whole()
}

class Reader {
  private readonly text: string
  private at = 0
  private depth = 0

  constructor(text: string) {
    this.text = text
  }

  whole(): Rational {
    const value = this.sum()
    const rest = this.peek()
    if (rest !== '') throw this.unexpected(rest)
    return value
  }

  private sum(): Rational {
    let value = this.product()
    for (;;) {
      if (this.take('+')) value = add(value, this.product())
      else if (this.take('-')) value = add(value, negate(this.product()))
      else return value
    }
  }

  private product(): Rational {
    let value = this.signed()
    for (;;) {
      if (this.take('*')) value = multiply(value, this.signed())
      else if (this.take('/')) value = divide(value, this.signed())
      else return value
    }
  }

  private signed(): Rational {
    let isNegative = false
    for (;;) {
      if (this.take('-')) isNegative = !isNegative
      else if (!this.take('+')) break
    }
    const value = this.raised()
    return isNegative ? negate(value) : value
  }

  private raised(): Rational {
    const base = this.percent()
    if (!this.take('^')) return base
    return this.nested(() => power(base, this.signed()))
  }

  private percent(): Rational {
    let value = this.primary()
    if (this.peek() !== '%') return value
    while (this.take('%')) value = divide(value, HUNDRED)
    if (/[\d.(]/.test(this.peek())) {
      throw toolError(`at ${this.at + 1}: % means percent, not the remainder of a division`)
    }
    return value
  }

  private primary(): Rational {
    if (!this.take('(')) return this.number()
    const value = this.nested(() => this.sum())
    if (!this.take(')')) throw this.unexpected(this.peek(), 'a )')
    return value
  }

  private number(): Rational {
    const start = this.peek()
    const digits = /^(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d{1,6}))?/.exec(this.text.slice(this.at))
    if (digits === null) throw this.unexpected(start, 'a number')
    const [all, mantissa = '', exponent = '0'] = digits
    this.at += all.length
    if (this.text[this.at] === ',')
      throw toolError(`at ${this.at + 1}: write numbers without separators, 1000 not 1,000`)
    if (/[\d.]/.test(this.peek())) throw this.unexpected(this.peek(), 'an operator')
    const [whole = '', fraction = ''] = mantissa.split('.')
    const value = rational(BigInt(whole + fraction), 10n ** BigInt(fraction.length))
    return exponent === '0' ? value : multiply(value, power(rational(10n), rational(BigInt(exponent))))
  }

  private nested(read: () => Rational): Rational {
    if (++this.depth > MAX_NESTING) throw toolError(`nested more than ${MAX_NESTING} deep`)
    const value = read()
    this.depth--
    return value
  }

  private take(sign: string): boolean {
    if (this.peek() !== sign) return false
    this.at++
    return true
  }

  /** The next character that is no space; empty at the end. */
  private peek(): string {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++
    return this.text[this.at] ?? ''
  }

  private unexpected(found: string, wanted = 'an operator or the end'): Error {
    const what = found === '' ? 'it ends' : `there is ${JSON.stringify(found)}`
    return toolError(`at ${this.at + 1}: ${what} where ${wanted} should be`)
  }
}

const SIGNS: Readonly<Record<string, string>> = {
  '×': '*',
  '·': '*',
  '⋅': '*',
  '÷': '/',
  '−': '-',
  '–': '-',
  '。': '.',
  '　': ' ',
}

/** Full-width forms and other signs as plain ones. A superscript is none of them: 3² must not become 32. */
function plain(expression: string): string {
  return [...expression]
    .map((char) => {
      const code = char.codePointAt(0) as number
      if (code >= 0xff01 && code <= 0xff5e) return String.fromCodePoint(code - 0xfee0)
      return SIGNS[char] ?? char
    })
    .join('')
    .replaceAll('**', '^')
}
