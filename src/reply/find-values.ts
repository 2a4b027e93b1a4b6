/**
 * Finds what may be the value in a reply: every object or list that stands in its prose or its fences, in order, and
 * nothing that is inside thinking tags or inside another value. Linear: a reply that is only brackets is given up on.
 */
import { isMark } from './lists-in-prose.ts'
import { fieldFollows, RelaxedJson } from './relaxed-json.ts'
import { type Repair, Unreadable } from './repair.ts'
import { extentOf, strictJson } from './strict-json.ts'
import { endsThinking, type Span, thinkingAt } from './thinking.ts'

/** A value as it was found: parsed already, or as JSON that was made proper; or why it has no reading. */
export interface Found extends Span {
  readonly fenced: boolean
  readonly repairs: readonly Repair[]
  /** Broken, and meant only if a list is wanted: brackets of prose have commas, too. */
  readonly isList?: boolean
  readonly content: { value: unknown } | { json: string; openComma: boolean } | { broken: string }
}

export interface Fence extends Span {
  readonly language: string
}

export interface Findings {
  readonly values: readonly Found[]
  readonly thinking: readonly Span[]
  /** Fences that hold no JSON. */
  readonly fences: readonly Fence[]
}

export function findValues(text: string, known: ReadonlySet<string>): Findings {
  const finder = new Finder(text, known)
  MARK.lastIndex = 0
  for (let mark = MARK.exec(text); mark !== null; mark = MARK.exec(text)) {
    const next = finder.mark(mark[0], mark.index)
    if (next === null) break
    MARK.lastIndex = next
  }
  return finder.findings()
}

const MAX_VALUES = 1000
const MARK = /\[\/think\]|◁\/?think▷|[{[｛【［]|(?:```|~~~)[ \t]*[\w+-]{0,20}|<\/?[a-z_|][^<>\n]{0,40}>/gi
const BRACKET = /^[{[｛【［]$/
const FENCE = /^(?:```|~~~)/

class Finder {
  private values: Found[] = []
  private fences: Fence[] = []
  private thinking: Span[] = []
  /** The fence that is open. */
  private fence: { start: number; language: string } | null = null
  private work: number
  private readonly text: string
  private readonly known: ReadonlySet<string>

  constructor(text: string, known: ReadonlySet<string>) {
    this.text = text
    this.known = known
    this.work = 16 * text.length + 10_000
  }

  /** Where to look for the next mark; null to look no further. */
  mark(token: string, at: number): number | null {
    const end = at + token.length
    const thought = thinkingAt(this.text, at)
    if (thought !== null) {
      this.thinking.push({ start: at, end: thought })
      return thought
    }
    if (endsThinking(token)) this.restart(end)
    else if (FENCE.test(token)) this.openOrClose(token, at)
    else if (BRACKET.test(token)) return this.value(at)
    return end
  }

  findings(): Findings {
    if (this.fence !== null) this.closeFence(this.fence, this.text.length)
    const { values, thinking, fences } = this
    return { values, thinking, fences }
  }

  /** All so far was thinking: the tag that opens it is in some models' prompt, not in their reply. */
  private restart(end: number): void {
    this.thinking = [{ start: 0, end }]
    this.values = []
    this.fences = []
    this.fence = null
  }

  private openOrClose(token: string, at: number): void {
    if (this.fence !== null) this.closeFence(this.fence, at)
    else this.fence = { start: at + token.length, language: token.slice(3).trim().toLowerCase() }
  }

  private closeFence(fence: { start: number; language: string }, end: number): void {
    const holdsValue = (this.values.at(-1)?.start ?? -1) >= fence.start
    if (!holdsValue) this.fences.push({ ...fence, end })
    this.fence = null
  }

  private value(at: number): number | null {
    if (isMark(this.text, at) && this.fence?.start !== at) return at + 1
    const isFenced = this.fence !== null
    if (this.work < 0 || this.values.length >= MAX_VALUES) {
      this.values.push(broken(this.text, at, isFenced, new Unreadable('there are too many brackets in it')))
      return null
    }
    const { found, reached } = valueAt(this.text, at, this.known, isFenced)
    this.work -= reached - at
    if (found !== null) this.values.push(found)
    return found === null ? at + 1 : found.end
  }
}

function valueAt(
  text: string,
  start: number,
  known: ReadonlySet<string>,
  fenced: boolean,
): { found: Found | null; reached: number } {
  const end = extentOf(text, start)
  try {
    const strict = fieldFollows(text, end) ? null : strictJson(text, start, end)
    if (strict !== null) {
      refuseLeftover(text, end)
      return { found: { start, end, fenced, repairs: [], content: strict }, reached: end }
    }
  } catch (error) {
    return { found: broken(text, start, fenced, error), reached: end }
  }
  const relaxed = relaxedAt(text, start, known, fenced)
  const whole = { ...relaxed, reached: Math.max(relaxed.reached, end) }
  const fenceEnd =
    fenced && whole.found !== null && 'broken' in whole.found.content ? text.lastIndexOf('\n```') : -1
  if (fenceEnd <= start) return whole
  // A text without its closing quote has run through the end of the fence.
  const within = relaxedAt(text.slice(0, fenceEnd), start, known, fenced)
  return within.found !== null && !('broken' in within.found.content) ? within : whole
}

function relaxedAt(
  text: string,
  start: number,
  known: ReadonlySet<string>,
  fenced: boolean,
): { found: Found | null; reached: number } {
  const reader = new RelaxedJson(text, start, known)
  try {
    const { json, end, openComma } = reader.read()
    // `a[0]` is a word with an index.
    if (reader.repairs.size > 0 && INDEXED.test(text.slice(Math.max(0, start - 1), start + 1)))
      return { found: null, reached: end }
    refuseLeftover(text, end)
    const found = { start, end, fenced, repairs: [...reader.repairs], content: { json, openComma } }
    return { found, reached: end }
  } catch (error) {
    const reached = Math.max(reader.at, (error as Unreadable).reached ?? 0)
    const { looksListed } = reader
    const looksMeant = reader.looksMeant || OPENS_FIELD.test(text.slice(start, start + 40))
    const found =
      looksMeant || looksListed ? { ...broken(text, start, fenced, error), isList: !looksMeant } : null
    return { found, reached }
  }
}

/** A brace and the quote of a name: this was meant, however broken. */
const OPENS_FIELD = /^[{｛]\s*\w{0,3}["“]/
const INDEXED = /^[\p{L}\p{N}]\[$/u
const LEFTOVER = /[^{[｛【［]{0,300}["”'’`]\s{0,50}[}\]]/y

/** A quote and a closing bracket after the end: the brackets closed too early, and what was read is not all. */
function refuseLeftover(text: string, end: number): void {
  LEFTOVER.lastIndex = end
  if (LEFTOVER.test(text) || closesMore(text, end) || listGoesOn(text, end))
    throw new Unreadable('it goes on after its end')
}

const LIST_NEXT = /[ \t]*(?:[,，]\s*)?[[［]/y

/** `[…], […]`: the list around them lost its bracket. */
function listGoesOn(text: string, end: number): boolean {
  LIST_NEXT.lastIndex = end
  return text[end - 1] === ']' && LIST_NEXT.test(text)
}

const MORE_NEXT = /\w|\s*[,，"“{\d-]/y
const MAX_REST = 2000

/** More follows, and in it there are brackets that close more than is open. */
function closesMore(text: string, end: number): boolean {
  MORE_NEXT.lastIndex = end
  if (!MORE_NEXT.test(text)) return false
  let depth = 0
  for (let i = end; i < Math.min(text.length, end + MAX_REST); i++) {
    const char = text[i]
    if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth < 0) return true
  }
  return false
}

/** What is inside a broken value is not the value: it is passed over up to where its brackets seem to end. */
function broken(text: string, start: number, fenced: boolean, error: unknown): Found {
  if (!(error instanceof Unreadable)) throw error
  let depth = 0
  let end = text.length
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) {
      end = i + 1
      break
    }
  }
  return { start, end, fenced, repairs: [], content: { broken: error.message } }
}
