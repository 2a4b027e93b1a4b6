/** Numbers of JSON of which a parser keeps other digits, or none. */

/** Whether a whole number with these digits is another one once it is parsed. What comes after a point is rounded, as everywhere. */
export function losesDigits(digits: string): boolean {
  return digits !== String(Number(digits)) && BigInt(digits) !== BigInt(Number(digits))
}

const LONG_NUMBER = /\d{16}|[eE]/
const WHOLE = /^-?\d+$/

/** The value of proper JSON, in which each such number is the text that stands there: whoever takes a text gets all its digits, and nobody another number. */
export function withExactNumbers(json: string, value: unknown): unknown {
  return LONG_NUMBER.test(json) ? JSON.parse(json, exact as Reviver) : value
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown

function exact(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value !== 'number') return value
  return !Number.isFinite(value) || (WHOLE.test(source) && losesDigits(source)) ? source : value
}
