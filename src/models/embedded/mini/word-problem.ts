/** Which texts may be word problems of the kind that the model was taught. */
import { CHARACTERS, END } from './tokens.ts'

/** A short question about an amount, with three whole numbers, in characters that the model knows. */
export function isWordProblem(goal: string): boolean {
  const text = goal.trim()
  const characters = [...text]
  if (characters.length > MAX_CHARACTERS || !characters.every((one) => KNOWN.has(one))) return false
  return HOW_MANY.test(text) && (text.match(NUMBER) ?? []).length === NUMBERS
}

const KNOWN: ReadonlySet<string> = new Set([...CHARACTERS].filter((one) => one !== END))
const MAX_CHARACTERS = 90
const NUMBERS = 3
const NUMBER = /(?<![\d.])\d{1,3}(?![\d.]*\d)/g
const HOW_MANY = /(?:\bhow (?:many|much)\b|几|多少).*[?？]$/i
