/** An exact number: a fraction of two big integers in lowest terms with a positive denominator. */
export interface Rational {
  readonly n: bigint
  readonly d: bigint
}

export const ZERO: Rational = { n: 0n, d: 1n }

export function rational(n: bigint | number, d: bigint | number = 1n): Rational {
  const [top, bottom] = [BigInt(n), BigInt(d)]
  if (bottom === 0n) throw new ArithmeticError('division-by-zero')
  if (bottom === 1n) return { n: top, d: 1n }
  const divisor = gcd(top, bottom) * (bottom < 0n ? -1n : 1n)
  return { n: top / divisor, d: bottom / divisor }
}

/** The message is for people, in English; `reason` is the key for other languages. */
export class ArithmeticError extends Error {
  readonly reason: 'division-by-zero' | 'exponent' | 'too-large'

  constructor(reason: ArithmeticError['reason'], message: string = reason.replaceAll('-', ' ')) {
    super(message)
    this.name = 'ArithmeticError'
    this.reason = reason
  }
}

/** What is too large to be computed. */
export interface Limits {
  /** Checked before a power is computed. */
  readonly power: (base: Rational, times: bigint) => boolean
  /** Checked for every result. */
  readonly result?: (value: Rational) => boolean
}

/** Refuses powers with too many digits to read; nothing else grows that fast. */
export const READABLE_POWERS: Limits = {
  power: ({ n, d }, times) => times * BigInt(Math.max(`${n}`.length, `${d}`.length)) > MAX_POWER_DIGITS,
}

/** Refuses numbers with more digits, and powers that are sure to have more. */
export function digitsUpTo(max: number): Limits {
  const maxBits = Math.ceil(max * Math.log2(10))
  return {
    power: ({ n, d }, times) => BigInt(Math.max(bits(n), bits(d)) - 1) * times > BigInt(maxBits),
    result: ({ n, d }) => bits(n) > maxBits || bits(d) > maxBits,
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

/** Only whole exponents give exact powers. */
export function power(base: Rational, exponent: Rational, limits: Limits = READABLE_POWERS): Rational {
  if (exponent.d !== 1n) {
    const why = `an exponent must be a whole number, not ${formatFraction(exponent)}`
    throw new ArithmeticError('exponent', why)
  }
  const isNegative = exponent.n < 0n
  const times = isNegative ? -exponent.n : exponent.n
  if (isNegative && base.n === 0n) {
    throw new ArithmeticError('division-by-zero', 'division by zero: 0 to a negative power')
  }
  if (isBig(base) && limits.power(base, times)) throw new ArithmeticError('too-large')
  const positive = { n: raised(base.n, times), d: raised(base.d, times) }
  return isNegative ? rational(positive.d, positive.n) : positive
}

export function equals(a: Rational, b: Rational): boolean {
  return a.n === b.n && a.d === b.d
}

export function compare(a: Rational, b: Rational): number {
  const difference = a.n * b.d - b.n * a.d
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** `7`, `-0.25`, `.5`, `1/3`; null for anything else. A number of several digits must not begin with zero. */
export function parseRational(text: string): Rational | null {
  const match = NUMBER.exec(text)
  if (match === null) return null
  const [, sign, whole = '', decimals = '', below] = match
  if (whole === '' && decimals === '') return null
  if (below !== undefined && BigInt(below) === 0n) return null
  const value = divide(fromDecimal(whole, decimals), rational(BigInt(below ?? 1)))
  return sign === '-' ? negate(value) : value
}

/** From the digits before and after the point. */
export function fromDecimal(whole: string, decimals: string): Rational {
  return rational(BigInt(whole + decimals), 10n ** BigInt(decimals.length))
}

/** A whole number, a decimal number if that is exact and short, otherwise a fraction in lowest terms. */
export function formatRational(value: Rational): string {
  const isShort = decimalPlaces(value.d, MAX_DECIMALS) !== null
  return isShort ? formatDecimal(value, MAX_DECIMALS).text : formatFraction(value)
}

export function formatFraction({ n, d }: Rational): string {
  return d === 1n ? `${n}` : `${n}/${d}`
}

/** At most `maxPlaces` digits after the point; if these are not all, so many significant ones, rounded half away from zero. */
export function formatDecimal(
  { n, d }: Rational,
  maxPlaces: number,
  significant = Number.POSITIVE_INFINITY,
): { text: string; isExact: boolean } {
  const exactPlaces = decimalPlaces(d, maxPlaces)
  const places = exactPlaces ?? Math.min(maxPlaces, Math.max(0, significant - magnitude({ n, d })))
  const scaled = ((n < 0n ? -n : n) * 10n ** BigInt(places) * 2n + d) / (d * 2n)
  const digits = `${scaled}`.padStart(places + 1, '0')
  const point = digits.length - places
  const sign = n < 0n && scaled !== 0n ? '-' : ''
  return {
    text: `${sign}${digits.slice(0, point)}${places === 0 ? '' : `.${digits.slice(point)}`}`,
    isExact: exactPlaces !== null,
  }
}

const NUMBER = /^(-)?(0|[1-9]\d*)?(?:\.(\d+))?(?:\/(\d+))?$/
const MAX_POWER_DIGITS = 2_000n
const MAX_DECIMALS = 10

/** The number of digits after the point; null if there are too many or they never end. */
function decimalPlaces(d: bigint, maxPlaces: number): number | null {
  let rest = d
  for (let places = 0; places <= maxPlaces; places++) {
    if (rest === 1n) return places
    const divisor = gcd(rest, 10n)
    if (divisor === 1n) return null
    rest /= divisor
  }
  return null
}

/** Of a value that is not 0, how many digits stand before the point; if none do, minus the zeros right behind it. */
function magnitude({ n, d }: Rational): number {
  const size = n < 0n ? -n : n
  const power = `${size}`.length - `${d}`.length
  const isAtLeast = power < 0 ? size * 10n ** BigInt(-power) >= d : size >= d * 10n ** BigInt(power)
  return isAtLeast ? power + 1 : power
}

/** 0, 1 and -1 stay small whatever the exponent is. */
function raised(of: bigint, times: bigint): bigint {
  if (of === 1n) return 1n
  if (of === -1n) return times % 2n === 0n ? 1n : -1n
  if (of === 0n) return times === 0n ? 1n : 0n
  return of ** times
}

function isBig({ n, d }: Rational): boolean {
  return d !== 1n || n > 1n || n < -1n
}

function bits(value: bigint): number {
  return (value < 0n ? -value : value).toString(2).length
}

function gcd(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a < 0n ? -a : a, b < 0n ? -b : b]
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger
}
