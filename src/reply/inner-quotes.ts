/**
 * Keeps account of the quotes inside a text that nobody escaped. They are part of the text when they can be nothing else;
 * when they may as well be syntax with a mistake in it, the text is objected to, and the reply is asked for again.
 */
export class InnerQuotes {
  count = 0
  /** Brackets opened in the text and not closed in it. */
  braces = 0
  squares = 0
  private last = -1
  private atStart = false
  private hasEscaped = false
  private unclear = false
  private inches = false
  private nearComma = false
  private nearItem = false
  /** One of them stands at the end of a word that none opened. */
  private closed = false
  private readonly text: string
  private readonly start: number

  /** `start` is where the content begins. */
  constructor(text: string, start: number) {
    this.text = text
    this.start = start
  }

  add(at: number): void {
    this.count++
    this.atStart ||= at === this.start
    this.nearComma ||=
      /[,，]\s*$/.test(this.text.slice(Math.max(this.start, at - 5), at)) ||
      /[,，]/.test(this.text[at + 1] ?? '')
    this.nearItem ||= NEXT_ITEM.test(this.text.slice(at, at + 80))
    this.inches ||= /\d/.test(this.text[at - 1] ?? '')
    const next = this.text.slice(at, at + 80)
    const inBrackets = this.braces > 0 || this.squares > 0
    this.unclear ||=
      // `"a" "b"`: a comma that was forgotten, or quotes too many.
      (this.last >= 0 && this.text.slice(this.last + 1, at).trim() === '') ||
      // `word"("`: it closes a text that was not opened, and is no apostrophe.
      (this.count % 2 === 1 &&
        /["”]/.test(this.text[at] as string) &&
        LETTER.test(this.text[at - 1] ?? '')) ||
      // `"a" or "b"`: the first of them closes a text, the second opens one.
      (this.closed && this.stands(at, OUTSIDE, WORD)) ||
      // `\\"`: a quote that was to be escaped, and was not.
      this.text[at - 1] === '\\' ||
      // `"+"`: a sign in quotes, or two texts that are joined.
      /^.\+["'“‘]/.test(next) ||
      MEMBER.test(next) ||
      (NEXT_TEXT.test(next) && !inBrackets)
    this.closed ||= this.count % 2 === 1 && this.stands(at, WORD_END, OUTSIDE)
    this.last = at
  }

  private stands(at: number, after: RegExp, before: RegExp): boolean {
    return after.test(this.text[at - 1] ?? '') && before.test(this.text[at + 1] ?? '')
  }

  /** Whether what follows belongs to an object or a list that the text has in it. */
  isInBrackets(): boolean {
    return this.count > 0 && (this.braces > 0 || this.squares > 0)
  }

  addEscaped(): void {
    this.hasEscaped = true
  }

  bracket(char: string): void {
    if (char === '{') this.braces++
    else if (char === '}') this.braces--
    else if (char === '[') this.squares++
    else if (char === ']') this.squares--
  }

  /** Why a text that ends here can't be taken as it is; null when it can. `inPairs`: a single one is no apostrophe. */
  objection(end: number, inList: boolean, inPairs: boolean): string | null {
    if (this.count === 0) return null
    const odd = this.count % 2 === 1
    const isLast = this.last === end - 1
    if (this.atStart && this.count === 2 && isLast) return 'the quotes of a text are doubled'
    const runsOn = RUNS_ON.test(this.text.slice(Math.max(this.start, end - 60), end))
    if (runsOn || (odd && (this.atStart || isLast))) return 'a quote stands where none belongs'
    if (this.unclear) return 'it is not clear where a text ends and the next one begins'
    return inPairs ? this.pairObjection(odd, inList) : null
  }

  private pairObjection(odd: boolean, inList: boolean): string | null {
    if (this.hasEscaped) return 'some quotes in a text are escaped and some are not'
    // One that does not stand for inches opens what nothing closes.
    if (odd && !this.inches) return 'a quote in a text opens and does not close'
    return inList && (odd || this.nearComma || this.nearItem)
      ? 'it is not clear where an item of a list ends'
      : null
  }
}

const LETTER = /\p{L}/u
const WORD = /[\p{L}\p{N}]/u
const WORD_END = /[\p{L}\p{N}.!?)\]]/u
const OUTSIDE = /[\s;/|&]/
/** A quote, a colon and a value: what looks like the next field. */
const MEMBER = /^["'”’][,，]?\s*(?:["'“‘][^"'“”‘’\n]{1,60}["'”’]\s*)?[:：]\s*["'“‘\d{[-]/
/** Two quotes with only signs between them: a comma that was mistyped, perhaps. */
const NEXT_ITEM = /^["”][^\p{L}\p{N}"”]{0,60}["“]/u
/** A quote, a comma and a quote: what looks like the next text. */
const NEXT_TEXT = /^["”]\s*[,，]\s*["“]/
/** The text ends with a quote and a comma: what looks like the end of another. */
const RUNS_ON = /["”'’]\s*[,，]\s*$/
