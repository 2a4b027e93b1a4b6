/** Proper JSON inside a text: where it ends, and whether it says anything twice. */
import { Unreadable } from './repair.ts'

const MAX_DEPTH = 500

/**
 * The object or list between the two places, when it is proper JSON; null when not. Throws Unreadable for JSON that a
 * parser takes and a reader should not: a field given twice, or nesting that would break whoever writes it down.
 */
export function strictJson(text: string, start: number, end: number): { value: unknown } | null {
  try {
    const value: unknown = JSON.parse(text.slice(start, end))
    refuseTwice(text, start, end)
    return { value }
  } catch (error) {
    if (error instanceof Unreadable) throw error
    return null
  }
}

/** Whether proper JSON gives a field twice: a parser takes the last, and the first may have been meant. */
export function saysTwice(json: string): boolean {
  try {
    refuseTwice(json, 0, json.length)
    return false
  } catch {
    return true
  }
}

/** Where the brackets that begin here end, by the rules of proper JSON; as far as they make sense when they don't end. */
export function extentOf(text: string, start: number): number {
  let depth = 0
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (char === '"') {
      const close = textEnd(text, i)
      if (close < 0) return ~close
      i = close
    } else if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') {
      depth--
      if (depth === 0) return i + 1
    }
  }
  return text.length
}

/** The closing quote, or `~` of where it was given up: a negative number. A raw line break ends the hope that this is proper JSON. */
function textEnd(text: string, open: number): number {
  for (let i = open + 1; i < text.length; i++) {
    const char = text[i] as string
    if (char === '"') return i
    if (char === '\\') i++
    else if (char < ' ') return ~i
  }
  return ~text.length
}

const COLON_NEXT = /\s*:/y

function refuseTwice(text: string, start: number, end: number): void {
  const open: (Set<string> | null)[] = []
  for (let i = start; i < end; i++) {
    const char = text[i]
    if (char === '"') i = passText(text, i, open.at(-1))
    else if (char === '{') open.push(new Set())
    else if (char === '[') open.push(null)
    else if (char === '}' || char === ']') open.pop()
    if (open.length > MAX_DEPTH) throw new Unreadable('it is nested too deeply')
  }
}

/** Its closing quote. A text that is a key must not be among those of its object. */
function passText(text: string, at: number, keys: Set<string> | null | undefined): number {
  const close = textEnd(text, at)
  COLON_NEXT.lastIndex = close + 1
  if (!keys || !COLON_NEXT.test(text)) return close
  const key = JSON.parse(text.slice(at, close + 1)) as string
  if (keys.has(key)) throw new Unreadable(`the field ${JSON.stringify(key)} is there twice`)
  keys.add(key)
  return close
}
