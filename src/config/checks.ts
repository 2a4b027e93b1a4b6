/** What checks are made of. A check says what is wrong with a value, and where; nothing, if all is well. */
import { isObject } from '../protocol/index.ts'
import { OLD_KEYS } from './old-keys.ts'
import type { Issue, IssueHints } from './problems.ts'

export type Check = (value: unknown) => readonly Issue[]
export type Shape = Readonly<Record<string, Check>>
export type Kind = 'text' | 'object' | 'boolean' | 'function' | 'list'

export const anything: Check = () => []

export function must(holds: (value: unknown) => boolean, message: string, params?: IssueHints): Check {
  const wrong: readonly Issue[] = [{ path: [], message, ...(params && { params }) }]
  return (value) => (holds(value) ? [] : wrong)
}

/** Fits no value; the message is complete. */
export function never(message: string): Check {
  return must(() => false, message, { complete: true })
}

/** A text with a check of its own, whose message is complete. */
export function checked(text: Check, problemOf: (value: string) => string | undefined): Check {
  return (value) => {
    const issues = text(value)
    if (issues.length > 0) return issues
    const message = problemOf(value as string)
    return message === undefined
      ? []
      : [{ path: [], message, params: { complete: true } satisfies IssueHints }]
  }
}

export function oneOf(allowed: readonly string[]): Check {
  const message = `must be ${allowed.map((name) => `"${name}"`).join(' or ')}`
  return must((value) => allowed.includes(value as string), message, { allowed })
}

export function list(item: Check, message: string, emptyMessage?: string): Check {
  return (value) => {
    if (!Array.isArray(value)) return [{ path: [], message }]
    if (value.length === 0 && emptyMessage !== undefined) return [{ path: [], message: emptyMessage }]
    return value.flatMap((one, index) => below(index, item(one)))
  }
}

/** Names that the reader chooses. */
export function map(item: Check, what: string): Check {
  const message = `must be an object: ${what}`
  return (value) =>
    isPlain(value)
      ? Object.entries(value).flatMap(([key, one]) => below(key, item(one)))
      : [{ path: [], message }]
}

/** Fields may be left out unless they are needed. */
export function object(shape: Shape, needed: readonly string[] = []): Check {
  const known = Object.keys(shape).filter((key) => !(key in OLD_KEYS))
  return (value) => {
    if (!isObject(value)) return [{ path: [], message: 'must be an object' }]
    const wrong = Object.entries(shape).flatMap(([key, check]) =>
      value[key] === undefined && !needed.includes(key) ? [] : below(key, check(value[key])),
    )
    const unknown = Object.keys(value).filter((key) => !Object.hasOwn(shape, key))
    return [...wrong, ...unknown.map((key) => ({ path: [key], message: 'is not known', params: { known } }))]
  }
}

/** One of several kinds of value, each with its own check, so that a problem is reported where it occurs. */
export function either(kinds: Partial<Record<Kind, Check>>, message: string): Check {
  return (value) => kinds[kindOf(value) as Kind]?.(value) ?? [{ path: [], message }]
}

function kindOf(value: unknown): string {
  if (typeof value === 'string') return 'text'
  if (Array.isArray(value)) return 'list'
  if (value === null) return 'other'
  return typeof value
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(Symbol.iterator in value)
}

function below(key: string | number, issues: readonly Issue[]): readonly Issue[] {
  return issues.map((issue) => ({ ...issue, path: [key, ...issue.path] }))
}
