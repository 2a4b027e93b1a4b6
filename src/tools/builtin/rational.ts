/** Exact fractions of whole numbers of any size. */
import { toolError } from '../define-tool.ts'

/** In lowest terms, the bottom above zero. */
export interface Rational {
  readonly top: bigint
  readonly bottom: bigint
}

/** A number longer than this is refused, before it is computed where it can be told. About 10,000 digits. */
export const MAX_BITS = 33_220

export function rational(top: bigint, bottom = 1n): Rational {
  if (bottom === 0n) throw toolError('division by zero')
  const divisor = gcd(top, bottom) * (bottom < 0n ? -1n : 1n)
  const value = { top: top / divisor, bottom: bottom / divisor }
  if (bits(value.top) > MAX_BITS || bits(value.bottom) > MAX_BITS) throw tooLarge()
  return value
}

export function add(a: Rational, b: Rational): Rational {
  return rational(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom)
}

export function negate({ top, bottom }: Rational): Rational {
  return { top: -top, bottom }
}

export function multiply(a: Rational, b: Rational): Rational {
  return rational(a.top * b.top, a.bottom * b.bottom)
}

export function divide(a: Rational, b: Rational): Rational {
  return rational(a.top * b.bottom, a.bottom * b.top)
}

export function power(base: Rational, exponent: Rational): Rational {
  if (exponent.bottom !== 1n)
    throw toolError(`an exponent must be a whole number, not ${fractionText(exponent)}`)
  const times = exponent.top < 0n ? -exponent.top : exponent.top
  if (base.top === 0n && exponent.top < 0n) throw toolError('division by zero: 0 to a negative power')
  const size = BigInt(Math.max(bits(base.top), bits(base.bottom)) - 1)
  if (size * times > BigInt(MAX_BITS)) throw tooLarge()
  // One of 1, -1, 0: the exponent may be of any size.
  const small = size === 0n ? times % 2n : times
  const even = size === 0n && times > 0n && small === 0n ? 2n : small
  const result = rational(base.top ** even, base.bottom ** even)
  return exponent.top < 0n ? rational(result.bottom, result.top) : result
}

export function fractionText({ top, bottom }: Rational): string {
  return bottom === 1n ? `${top}` : `${top}/${bottom}`
}

/** To so many digits after the point, rounded half away from zero; exact when it ends before. */
export function decimalText(
  { top, bottom }: Rational,
  maxPlaces: number,
): { text: string; isExact: boolean } {
  const places = decimalPlaces(bottom, maxPlaces)
  const scale = 10n ** BigInt(places ?? maxPlaces)
  const size = top < 0n ? -top : top
  const scaled = (size * scale * 2n + bottom) / (bottom * 2n)
  const digits = `${scaled}`.padStart((places ?? maxPlaces) + 1, '0')
  const point = digits.length - (places ?? maxPlaces)
  const fraction = digits.slice(point)
  const sign = top < 0n && scaled !== 0n ? '-' : ''
  return {
    text: `${sign}${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`,
    isExact: places !== null,
  }
}

/** How many digits after the point it has; null when they are too many or have no end. */
function decimalPlaces(bottom: bigint, maxPlaces: number): number | null {
  let rest = bottom
  let places = 0
  while (rest !== 1n) {
    if (places >= maxPlaces) return null
    const divisor = gcd(rest, 10n)
    if (divisor === 1n) return null
    rest /= divisor
    places++
  }
  return places
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b]
  while (y !== 0n) [x, y] = [y, x % y]
  return x
}

function bits(value: bigint): number {
  return (value < 0n ? -value : value).toString(2).length
}

function tooLarge(): Error {
  return toolError('the number has more than 10,000 digits')
}
