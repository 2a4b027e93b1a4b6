/**
 * The last texts of requests. One that says again much of what the last one of its kind said is stored as an edit of it: `like` is
 * the `seq` of the request that has the earlier text. Edits of edits end after a few with a text that is stored as it is.
 */
import type { DecodingBudget } from '../protocol/decoding-budget.ts'
import { RecentTexts } from './recent-texts.ts'
import { applyEdit, editOf, type TextEdit } from './text-edits.ts'
import { LONG_TEXT, type Texts } from './texts.ts'

export interface EditedText {
  readonly like: number
  readonly edit: TextEdit
}

interface LastText {
  readonly text: string
  readonly seq: number
  /** How many edits lead to a text that is stored as it is. */
  readonly depth: number
}

/** From this length on a text is stored by its hash. */
const VERY_LONG_TEXT = 4_096
const MAX_DEPTH = 12
const MAX_KINDS = 64

export class RequestTexts {
  private readonly texts: Texts
  /** The content of the last message of a request, as it is stored; by the request's key. */
  private readonly contentAt: (key: number, budget: DecodingBudget) => string | EditedText
  /** By run and kind of request. */
  private readonly last = new Map<string, LastText>()
  private keyed = { run: 0, kind: '', key: '' }
  /** Texts that were read, by the keys of their requests. */
  private readonly read = new RecentTexts()

  constructor(texts: Texts, contentAt: RequestTexts['contentAt']) {
    this.texts = texts
    this.contentAt = contentAt
  }

  /** The text as it is stored in event `seq` of the run with this number. */
  put(run: number, kind: string, seq: number, text: string): string | EditedText {
    if (text.length < LONG_TEXT) return this.texts.inline(text)
    if (text.length >= VERY_LONG_TEXT) return this.texts.stringFor(text)
    const key = this.keyOf(run, kind)
    const before = this.last.get(key)
    const edit = before === undefined || before.depth === MAX_DEPTH ? null : editOf(before.text, text)
    if (before === undefined || edit === null) {
      if (this.last.size >= MAX_KINDS) this.last.clear()
      this.last.set(key, { text, seq, depth: 0 })
      return this.texts.inline(text)
    }
    this.last.set(key, { text, seq, depth: before.depth + 1 })
    return { like: before.seq, edit }
  }

  /** Put together anew, it would have to be hashed each time. */
  private keyOf(run: number, kind: string): string {
    if (run !== this.keyed.run || kind !== this.keyed.kind) this.keyed = { run, kind, key: `${run} ${kind}` }
    return this.keyed.key
  }

  /** The text of event `seq` of the run whose events have keys behind `origin`. */
  get(origin: number, seq: number, stored: string | EditedText, budget: DecodingBudget): string {
    const edits: TextEdit[] = []
    let at = seq
    let content = stored
    let text: string | undefined
    while (text === undefined && typeof content !== 'string') {
      if (!(content.like < at)) throw new TypeError('the text is an edit of a later one')
      edits.push(content.edit)
      at = content.like
      text = this.read.get(String(origin + at))
      if (text === undefined) content = this.contentAt(origin + at, budget)
    }
    text ??= this.texts.withTexts(content, budget) as string
    for (let edit = edits.pop(); edit !== undefined; edit = edits.pop())
      text = applyEdit(text, edit, VERY_LONG_TEXT)
    if (text.length >= LONG_TEXT) this.read.set(String(origin + seq), text)
    return text
  }

  /** A commit was rolled back: what it stored is gone. */
  forget(): void {
    this.last.clear()
  }
}
