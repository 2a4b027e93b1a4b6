/**
 * Expressions: read, computed, and written down again. What `formatExpression` writes, `parseExpression` reads as the same
 * tree, so that a sub-goal's text says exactly what its parent meant.
 */
import {
  add,
  divide,
  equals,
  formatRational,
  multiply,
  negate,
  parseRational,
  power,
  type Rational,
  subtract,
} from './rational.ts'

export type Operator = '+' | '-' | '×' | '÷' | '^'

export type Expression =
  | { readonly type: 'number'; readonly value: Rational }
  /** Of an operation only: a negated number is a number. */
  | { readonly type: 'negation'; readonly of: Expression }
  | Operation

export interface Operation {
  readonly type: 'operation'
  readonly operator: Operator
  readonly left: Expression
  readonly right: Expression
}

export function number(value: Rational): Expression {
  return { type: 'number', value }
}

export function operation(operator: Operator, left: Expression, right: Expression): Operation {
  return { type: 'operation', operator, left, right }
}

export function negation(of: Expression): Expression {
  if (of.type === 'number') return number(negate(of.value))
  return of.type === 'negation' ? of.of : { type: 'negation', of }
}

/** Throws an ArithmeticError for what has no value. */
export function evaluate(expression: Expression): Rational {
  if (expression.type === 'number') return expression.value
  if (expression.type === 'negation') return negate(evaluate(expression.of))
  return COMPUTE[expression.operator](evaluate(expression.left), evaluate(expression.right))
}

/** How many operations it takes. Turning a sign takes none. */
export function countOperations(expression: Expression): number {
  if (expression.type === 'number') return 0
  if (expression.type === 'negation') return countOperations(expression.of)
  return 1 + countOperations(expression.left) + countOperations(expression.right)
}

/** How many operations stand on each other: 0 for a number, 1 for a single operation. */
export function depthOf(expression: Expression): number {
  if (expression.type === 'number') return 0
  if (expression.type === 'negation') return depthOf(expression.of)
  return 1 + Math.max(depthOf(expression.left), depthOf(expression.right))
}

/** The numbers in it, from left to right. */
export function numbersIn(expression: Expression): Rational[] {
  if (expression.type === 'number') return [expression.value]
  if (expression.type === 'negation') return numbersIn(expression.of)
  return [...numbersIn(expression.left), ...numbersIn(expression.right)]
}

/** The same with a value in the place of every part that has one. */
export function substitute(
  expression: Expression,
  known: (part: Expression) => Rational | undefined,
): Expression {
  if (expression.type === 'number') return expression
  const value = known(expression)
  if (value !== undefined) return number(value)
  if (expression.type === 'negation') return negation(substitute(expression.of, known))
  const { operator, left, right } = expression
  return operation(operator, substitute(left, known), substitute(right, known))
}

/** With as few parentheses as the tree needs, one blank around each sign. */
export function formatExpression(expression: Expression): string {
  if (expression.type === 'number') return formatRational(expression.value)
  if (expression.type === 'negation') return `-(${formatExpression(expression.of)})`
  const { operator, left, right } = expression
  return `${operandText(left, operator, 'left')} ${operator} ${operandText(right, operator, 'right')}`
}

/**
 * Reads an expression in plain signs (`+ - * / ^ × ÷ ( )`); null for anything else. A fraction in lowest terms in parentheses
 * of its own, `(1/3)`, is a number, because that is how a fraction is written as an operand; any other `/` divides.
 */
export function parseExpression(text: string): Expression | null {
  const tokens = tokensOf(text)
  if (tokens === null || tokens.length === 0 || tokens.length > MAX_TOKENS) return null
  const reader = new Reader(tokens)
  const expression = reader.sum(0)
  return reader.ended ? expression : null
}

const MAX_TOKENS = 1_000
const MAX_NESTING = 200

const COMPUTE: Record<Operator, (a: Rational, b: Rational) => Rational> = {
  '+': add,
  '-': subtract,
  '×': multiply,
  '÷': divide,
  '^': power,
}

const RANK: Record<Operator, number> = { '+': 1, '-': 1, '×': 2, '÷': 2, '^': 3 }

/** What brackets group: square and curly ones are as good as round ones. */
const TOKEN = /\s*(?:(\d*\.?\d+)|(\((-?\d+)\/(\d+)\))|([-+*/×÷^()[\]{}]))/y
const SIGNS: Readonly<Record<string, string>> = { '*': '×', '/': '÷', '[': '(', ']': ')', '{': '(', '}': ')' }

type Token = { type: 'number'; value: Rational } | { type: 'sign'; sign: string }

function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = []
  const pattern = new RegExp(TOKEN)
  const end = text.trimEnd().length
  while (pattern.lastIndex < end) {
    const match = pattern.exec(text)
    if (match === null) return null
    const [all, digits, fraction, above = '', below = '', sign = ''] = match
    if (digits !== undefined) {
      const value = parseRational(digits)
      const before = tokens.at(-1)
      if (value === null || before?.type === 'number') return null
      tokens.push({ type: 'number', value })
    } else if (fraction !== undefined) {
      const value = parseRational(`${above}/${below}`)
      if (value !== null && value.d !== 1n && formatFraction(value) === `${above}/${below}`) {
        implyTimes(tokens)
        tokens.push({ type: 'number', value })
      } else {
        // An ordinary division in parentheses: the opening one is read alone, the rest in its turn.
        implyTimes(tokens)
        tokens.push({ type: 'sign', sign: '(' })
        pattern.lastIndex = pattern.lastIndex - all.length + all.indexOf('(') + 1
      }
    } else {
      const plain = SIGNS[sign] ?? sign
      if (plain === '(') implyTimes(tokens)
      tokens.push({ type: 'sign', sign: plain })
    }
  }
  return tokens
}

/** `2(3+4)` and `(1+2)(3+4)` multiply. */
function implyTimes(tokens: Token[]): void {
  const last = tokens.at(-1)
  if (last?.type === 'number' || (last?.type === 'sign' && last.sign === ')')) {
    tokens.push({ type: 'sign', sign: '×' })
  }
}

/** Recursive descent: sums of products of signed powers. Null goes up from where reading failed. */
class Reader {
  private readonly tokens: readonly Token[]
  private at = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  get ended(): boolean {
    return this.at === this.tokens.length
  }

  sum(nesting: number): Expression | null {
    return this.chain(['+', '-'], () => this.product(nesting))
  }

  private product(nesting: number): Expression | null {
    return this.chain(['×', '÷'], () => this.signed(nesting))
  }

  private chain(operators: readonly Operator[], operand: () => Expression | null): Expression | null {
    let left = operand()
    for (;;) {
      const operator = operators.find((candidate) => this.next(candidate))
      if (left === null || operator === undefined) return left
      const right = operand()
      left = right === null ? null : operation(operator, left, right)
    }
  }

  private signed(nesting: number): Expression | null {
    if (!this.next('-')) return this.powered(nesting)
    const of = nesting > MAX_NESTING ? null : this.signed(nesting + 1)
    return of === null ? null : negation(of)
  }

  /** Powers are read from the right: 2^3^2 is 2^9. The exponent may have a sign. */
  private powered(nesting: number): Expression | null {
    const base = this.primary(nesting)
    if (base === null || !this.next('^')) return base
    const exponent = nesting > MAX_NESTING ? null : this.signed(nesting + 1)
    return exponent === null ? null : operation('^', base, exponent)
  }

  private primary(nesting: number): Expression | null {
    const token = this.tokens[this.at]
    if (token?.type === 'number') {
      this.at++
      return number(token.value)
    }
    if (nesting > MAX_NESTING || !this.next('(')) return null
    const inner = this.sum(nesting + 1)
    return inner !== null && this.next(')') ? inner : null
  }

  private next(sign: string): boolean {
    const token = this.tokens[this.at]
    if (token?.type !== 'sign' || token.sign !== sign) return false
    this.at++
    return true
  }
}

export function sameExpression(a: Expression, b: Expression): boolean {
  if (a.type === 'number') return b.type === 'number' && equals(a.value, b.value)
  if (a.type === 'negation') return b.type === 'negation' && sameExpression(a.of, b.of)
  if (b.type !== 'operation' || a.operator !== b.operator) return false
  return sameExpression(a.left, b.left) && sameExpression(a.right, b.right)
}

function operandText(operand: Expression, outer: Operator, side: 'left' | 'right'): string {
  const text = formatExpression(operand)
  if (operand.type === 'number') {
    const isFraction = text.includes('/')
    const isNegative = text.startsWith('-') && (side === 'right' || outer === '^')
    return isFraction || isNegative ? `(${text})` : text
  }
  if (operand.type === 'negation') return side === 'right' || outer === '^' ? `(${text})` : text
  const inner = RANK[operand.operator]
  // Same rank: sums and products are read from the left, powers from the right.
  const bare = inner > RANK[outer] || (inner === RANK[outer] && side === (outer === '^' ? 'right' : 'left'))
  return bare && !(side === 'right' && text.startsWith('-')) ? text : `(${text})`
}

function formatFraction({ n, d }: Rational): string {
  return `${n}/${d}`
}
