/** A run as a page that holds it has it: everything that its views are made of, as data. */
import { boundedBody } from '../protocol/bounded-body.ts'
import { DecodingBudget } from '../protocol/decoding-budget.ts'
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

/** The run in a page: the base64 of its gzipped text. */
export async function unpackSharedRun(base64: string): Promise<SharedRun> {
  if (typeof base64 !== 'string') throw noSharedRun()
  const budget = new DecodingBudget('the page', { stored: base64.length })
  return readText(await inflated(base64, budget), budget)
}

async function inflated(base64: string, budget: DecodingBudget): Promise<string> {
  try {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
    const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
    return await boundedBody(new Response(text), budget).text()
  } catch (thrown) {
    throw ThinkonError.isInstance(thrown) ? thrown : noSharedRun(thrown)
  }
}

export function readSharedRun(text: string): SharedRun {
  if (typeof text !== 'string') throw noSharedRun()
  return readText(text, new DecodingBudget('the page', { limit: text.length }))
}

/**
 * Reads the texts in the order of writing. `budget`: of the text. Each event has another one for the texts that it repeats.
 */
function readText(text: string, budget: DecodingBudget): SharedRun {
  budget.take(text.length)
  const texts: string[] = []
  let repeated = 0
  const run = parsed(text, (value) => {
    if (isRead(value)) {
      new DecodingBudget(`event ${value.seq} of the page`).take(repeated)
      repeated = 0
    }
    if (typeof value !== 'string') return value
    if (value.startsWith(`${MARK}#`)) {
      const known = texts[Number(value.slice(2))]
      repeated += known?.length ?? 0
      return known
    }
    const own = value.startsWith(`${MARK}=`) ? value.slice(2) : value
    if (own.length >= LONG) texts.push(own)
    return own
  })
  if (!isSharedRun(run)) throw noSharedRun()
  return run
}

/** An event whose fields have all been read. */
function isRead(value: unknown): value is Event {
  return isObject(value) && typeof value.seq === 'number' && typeof value.type === 'string'
}

function parsed(text: string, revive: (value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown) => revive(value))
  } catch (cause) {
    if (ThinkonError.isInstance(cause)) throw cause
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
