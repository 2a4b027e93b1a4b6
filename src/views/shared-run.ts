/** A run as a page that holds it has it: everything that its views are made of, as data. */
import { type Event, isObject, ThinkonError } from '../protocol/index.ts'
import type { Form } from './form.ts'
import type { Lang } from './words.ts'

export interface SharedRun {
  readonly events: readonly Event[]
  /** Of blocks whose strategies do not ship, by path: the page has none of their code. */
  readonly forms: Readonly<Record<string, readonly SharedForm[]>>
}

/** How a block looks from an event on. */
export interface SharedForm {
  readonly from: number
  readonly in: Readonly<Record<Lang, Form | null | FormProblem>>
}

/** Why the strategy's view made no form. */
export interface FormProblem {
  readonly problem: string
}

/** Shorter ones are left to the compression, which finds again what it has seen lately. */
const LONG = 200
/** Begins what is not the text itself: `\0#7` is the seventh long text, `\0=` stands before a text that begins with NUL. */
const MARK = '\0'

/**
 * As JSON in which a long text stands once, wherever it is repeated: the requests of a conversation have all that was said before, too far
 * apart for a compression to see it.
 */
export function sharedRunText(run: SharedRun): string {
  const numbers = new Map<string, number>()
  return JSON.stringify(run, (_key, value: unknown) => {
    if (typeof value !== 'string') return value
    if (value.length >= LONG) {
      const known = numbers.get(value)
      if (known !== undefined) return `${MARK}#${known}`
      numbers.set(value, numbers.size)
    }
    return value.startsWith(MARK) ? `${MARK}=${value}` : value
  })
}

/** Reads the texts in the order in which they were written. */
export function readSharedRun(text: string): SharedRun {
  const texts: string[] = []
  const run = parsed(text, (value) => {
    if (typeof value !== 'string') return value
    if (value.startsWith(`${MARK}#`)) return texts[Number(value.slice(2))]
    const own = value.startsWith(`${MARK}=`) ? value.slice(2) : value
    if (own.length >= LONG) texts.push(own)
    return own
  })
  if (!isSharedRun(run)) throw noSharedRun()
  return run
}

function parsed(text: string, revive: (value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown) => revive(value))
  } catch (cause) {
    throw noSharedRun(cause)
  }
}

function isSharedRun(value: unknown): value is SharedRun {
  return isObject(value) && Array.isArray(value.events) && isObject(value.forms)
}

function noSharedRun(cause?: unknown): ThinkonError {
  const message =
    'this is no shared run, the text that `thinkon export --html` keeps in its page: export the run again'
  return new ThinkonError('BAD_INPUT', message, { cause })
}
