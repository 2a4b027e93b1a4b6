/** Exact numbers: a fraction of two big integers in lowest terms, its denominator positive. */
export interface Rational {
  readonly n: bigint
  readonly d: bigint
}

export const ZERO: Rational = { n: 0n, d: 1n }

export function rational(n: bigint | number, d: bigint | number = 1n): Rational {
  const [top, bottom] = [BigInt(n), BigInt(d)]
  if (bottom === 0n) throw new ArithmeticError('division-by-zero')
  if (bottom === 1n) return { n: top, d: 1n }
  const shared = gcd(top < 0n ? -top : top, bottom < 0n ? -bottom : bottom)
  const sign = bottom < 0n ? -1n : 1n
  return { n: (sign * top) / shared, d: (sign * bottom) / shared }
}

/** What can't be computed. `reason` is a name; words.ts has it in the goal's language. */
export class ArithmeticError extends Error {
  readonly reason: 'division-by-zero' | 'power'

  constructor(reason: ArithmeticError['reason']) {
    super(reason)
    this.name = 'ArithmeticError'
    this.reason = reason
  }
}

export function add(a: Rational, b: Rational): Rational {
  return rational(a.n * b.d + b.n * a.d, a.d * b.d)
}

export function subtract(a: Rational, b: Rational): Rational {
  return rational(a.n * b.d - b.n * a.d, a.d * b.d)
}

export function multiply(a: Rational, b: Rational): Rational {
  return rational(a.n * b.n, a.d * b.d)
}

export function divide(a: Rational, b: Rational): Rational {
  return rational(a.n * b.d, a.d * b.n)
}

export function negate(a: Rational): Rational {
  return { n: -a.n, d: a.d }
}

/** Exact powers have whole exponents; what would have too many digits to be read by anyone is refused. */
export function power(base: Rational, exponent: Rational): Rational {
  const times = Number(exponent.n < 0n ? -exponent.n : exponent.n)
  const digits = Math.max(base.n.toString().length, base.d.toString().length)
  if (exponent.d !== 1n || (isBig(base) && times * digits > MAX_POWER_DIGITS)) {
    throw new ArithmeticError('power')
  }
  const positive = { n: raised(base.n, exponent.n), d: raised(base.d, exponent.n) }
  return exponent.n < 0n ? rational(positive.d, positive.n) : positive
}

export function equals(a: Rational, b: Rational): boolean {
  return a.n === b.n && a.d === b.d
}

export function compare(a: Rational, b: Rational): number {
  const difference = a.n * b.d - b.n * a.d
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** `7`, `-0.25`, `.5`, `1/3`; null for anything else. A number of several digits begins with no zero. */
export function parseRational(text: string): Rational | null {
  const match = NUMBER.exec(text)
  if (match === null) return null
  const [, sign, whole = '', decimals = '', below] = match
  if (whole === '' && decimals === '') return null
  if (below !== undefined && BigInt(below) === 0n) return null
  const value = rational(BigInt(whole + decimals), 10n ** BigInt(decimals.length) * BigInt(below ?? 1))
  return sign === '-' ? negate(value) : value
}

/** A whole number; a decimal number when that is exact and short; otherwise a fraction in lowest terms. */
export function formatRational({ n, d }: Rational): string {
  if (d === 1n) return n.toString()
  const places = decimalPlaces(d)
  if (places === null) return `${n}/${d}`
  const digits = ((n < 0n ? -n : n) * 10n ** BigInt(places)) / d
  const text = digits.toString().padStart(places + 1, '0')
  return `${n < 0n ? '-' : ''}${text.slice(0, -places)}.${text.slice(-places)}`
}

const NUMBER = /^(-)?(0|[1-9]\d*)?(?:\.(\d+))?(?:\/(\d+))?$/
const MAX_POWER_DIGITS = 2_000
const MAX_DECIMALS = 10

function decimalPlaces(d: bigint): number | null {
  let scale = 1n
  for (let places = 1; places <= MAX_DECIMALS; places++) {
    scale *= 10n
    if (scale % d === 0n) return places
  }
  return null
}

/** `of` to the power of |exponent|. 0, 1 and -1 stay small whatever the exponent is. */
function raised(of: bigint, exponent: bigint): bigint {
  if (of === 1n) return 1n
  if (of === -1n) return exponent % 2n === 0n ? 1n : -1n
  if (of === 0n) return exponent === 0n ? 1n : 0n
  return of ** (exponent < 0n ? -exponent : exponent)
}

function isBig({ n, d }: Rational): boolean {
  return d !== 1n || n > 1n || n < -1n
}

function gcd(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b]
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger === 0n ? 1n : larger
}
