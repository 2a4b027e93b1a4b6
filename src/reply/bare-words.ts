/** Words without quotes that are a text to some and a value to others: `no` is false in YAML 1.1, a text in YAML 1.2. */
import { isObject } from '../protocol/index.ts'

/** What else the word may stand for; undefined when it is only a word. */
export function otherMeaning(word: unknown): boolean | null | undefined {
  if (typeof word !== 'string' || word.length > 4) return undefined
  if (/^(?:y|yes|on)$/i.test(word)) return true
  if (/^(?:n|no|off)$/i.test(word)) return false
  return /^(?:None|nil)$/.test(word) ? null : undefined
}

const MAX_TWINS = 20

/** The value with one of those words as what else it may stand for, for each. */
export function twinsOf(value: unknown): unknown[] {
  const twins: unknown[] = []
  const visit = (part: unknown, rebuilt: (part: unknown) => unknown): void => {
    const other = otherMeaning(part)
    if (other !== undefined && twins.length < MAX_TWINS) twins.push(rebuilt(other))
    if (Array.isArray(part))
      for (const [i, item] of part.entries()) visit(item, (one) => rebuilt(part.with(i, one)))
    else if (isObject(part))
      for (const [key, item] of Object.entries(part)) visit(item, (one) => rebuilt({ ...part, [key]: one }))
  }
  visit(value, (part) => part)
  return twins
}
