/**
 * Reads almost-JSON from an opening bracket to where it closes, and gives it back with everything made proper that has
 * one reading: quotes, escapes, punctuation, literals, brackets, commas, texts that are joined. What could be read two
 * ways is thrown as Unreadable, because asking the model again is cheaper than going on with what it did not say.
 */

import { isCorrection } from './corrections.ts'
import { readText } from './relaxed-text.ts'
import { readWord, UNDEFINED } from './relaxed-word.ts'
import { type Repair, Unreadable } from './repair.ts'
import { isQuote, isSpace, keyAt, skipSpace } from './text-end.ts'

export interface Relaxed {
  readonly json: string
  readonly end: number
  /** The reply ended right after a comma: something was to follow. */
  readonly openComma: boolean
}

interface Open {
  readonly close: '}' | ']'
  /** Null in a list. */
  readonly keys: Set<string> | null
}

type Want = 'key' | 'colon' | 'value' | 'next'

const MAX_DEPTH = 128
const MAX_LOOK = 10_000
const MARKDOWN_NAME = /"\w{1,60}\\_[\w\\]{0,60}"\s{0,20}:/
const PUNCTUATION: Record<string, string> = {
  '｛': '{',
  '｝': '}',
  '【': '[',
  '】': ']',
  '［': '[',
  '］': ']',
  '：': ':',
  '，': ',',
  '、': ',',
}

export class RelaxedJson {
  readonly repairs = new Set<Repair>()
  /** A member or an item was read: this is no bracket of prose. */
  looksMeant = false
  /** A comma in a list was read, or what stands for more of it: for who wants a list this is one. */
  looksListed = false
  /** How far it was read. */
  at: number
  private readonly text: string
  private readonly start: number
  private hasMarkdown: boolean | undefined
  private readonly known: ReadonlySet<string>
  private readonly out: string[] = []
  private readonly open: Open[] = []
  private want: Want = 'value'
  private newline = false
  private afterComma = false
  private openComma = false
  /** The last value had no quotes: it can be cut off without showing it. */
  private lastIsBare = false

  constructor(text: string, start: number, known: ReadonlySet<string>) {
    this.text = text
    this.start = start
    this.at = start
    this.known = known
  }

  /** Throws Unreadable. */
  read(): Relaxed {
    do {
      this.skip()
      if (this.ended()) {
        this.cutOff()
        break
      }
      this.token()
    } while (this.open.length > 0)
    // A bracket too many may have closed what goes on here.
    const follows = this.text[skipSpace(this.text, this.at)]
    if (this.repairs.has('brackets-repaired') && (follows === ',' || follows === '，'))
      throw new Unreadable('more follows after a bracket that closes too early')
    return { json: this.out.join(''), end: this.at, openComma: this.openComma }
  }

  private token(): void {
    const raw = this.text[this.at] as string
    const char = PUNCTUATION[raw] ?? raw
    if (char !== raw) this.repairs.add('punctuation-replaced')
    if (this.text.startsWith('...', this.at) || raw === '…') throw this.leftOut()
    if (char === '}' || char === ']') this.close(char)
    else if (this.want === 'next') this.next(char, this.open.at(-1) as Open)
    else if (this.want === 'colon') this.colon(char)
    else if (this.want === 'key') this.key(char)
    else this.value(char)
  }

  private leftOut(): Unreadable {
    this.looksListed ||= this.out.length > 1
    return new Unreadable('something is left out of it ("...")')
  }

  private colon(char: string): void {
    if (char !== ':') throw new Unreadable('a field has no colon after its name')
    this.put(':', 'value')
    this.looksMeant = true
  }

  private key(char: string): void {
    if (char === ',') {
      this.repairs.add('syntax-repaired')
      this.at++
    } else if (char === '{' && this.open.at(-2)?.close === ']') this.insertCloser('}')
    else this.addKey(isQuote(char) ? this.string(true) : this.word(true))
  }

  private addKey(json: string): void {
    const keys = this.open.at(-1)?.keys
    if (keys?.has(json)) throw new Unreadable(`the field ${json} is there twice`)
    keys?.add(json)
    this.out.push(json)
    this.want = 'colon'
  }

  private value(char: string): void {
    if (char === '{' || char === '[') {
      if (this.open.length >= MAX_DEPTH) throw new Unreadable('it is nested too deeply')
      const isList = char === '['
      this.open.push(isList ? { close: ']', keys: null } : { close: '}', keys: new Set() })
      this.put(char, isList ? 'value' : 'key')
      this.afterComma = false
      return
    }
    if (char === ',') throw new Unreadable('a value is missing before a comma')
    const isText = isQuote(char)
    // Lists inside the texts of a list are not what was meant, whatever becomes of the text.
    this.looksListed ||= isText && this.open.at(-1)?.keys === null
    const json = isText ? this.string(false) : this.word(false)
    this.looksMeant ||= isText
    this.afterComma = false
    if (json === UNDEFINED) this.leaveOut()
    else {
      this.lastIsBare = !isText
      this.looksListed ||= !isText && this.open.at(-1)?.keys === null
      this.out.push(this.joined(json))
      this.want = 'next'
    }
  }

  /** `"a" + "b"` */
  private joined(json: string): string {
    if (this.out.at(-1) !== '+') return json
    const [before = ''] = this.out.splice(-2)
    return before.slice(0, -1) + json.slice(1)
  }

  /** `"a": undefined` says that there is no such field. */
  private leaveOut(): void {
    if (this.open.at(-1)?.keys === null) throw new Unreadable('an item of a list is undefined')
    this.out.splice(-2)
    if (this.out.at(-1) === ',') {
      this.out.pop()
      this.want = 'next'
    } else this.want = 'key'
  }

  /** After a value: a comma, or what shows that one was forgotten. */
  private next(char: string, top: Open): void {
    if (char === ',') {
      this.looksListed ||= top.keys === null
      this.put(',', top.keys === null ? 'value' : 'key')
      this.afterComma = true
      return
    }
    if (char === '+' && isQuote(this.text[skipSpace(this.text, this.at + 1)])) {
      if (!this.out.at(-1)?.startsWith('"'))
        throw new Unreadable('a value that is no text is followed by "+"')
      this.put('+', 'value')
      this.repairs.add('syntax-repaired')
      return
    }
    // `"a": [1, 2, "b": 3`: what stood as an item is a field of the object around the list.
    if (char === ':' && top.keys === null && this.open.at(-2)?.close === '}') {
      const key = this.out.pop() as string
      if (!key.startsWith('"') || this.out.at(-1) === '[')
        throw new Unreadable('a colon stands inside a list')
      this.insertCloser(']')
      this.addKey(key)
      return
    }
    if (!this.memberBegins(char, top)) throw new Unreadable(`a value is followed by ${JSON.stringify(char)}`)
    // `"a," "b"`: the comma that is missing may be the one in the text.
    if (/[,，]"$/.test(this.out.at(-1) as string)) throw new Unreadable('a comma stands inside a text')
    this.repairs.add('syntax-repaired')
    this.out.push(',')
    this.want = top.keys === null ? 'value' : 'key'
  }

  /** Surely: on a new line, or with what can't be part of the value before. */
  private memberBegins(char: string, { keys }: Open): boolean {
    if (keys === null) {
      const afterBracket = /^[}\]]$/.test(this.out.at(-1) ?? '')
      return (
        char === '{' || (char === '[' && afterBracket) || (this.newline && (isQuote(char) || char === '['))
      )
    }
    return (this.newline || isQuote(char)) && keyAt(this.text, this.at)
  }

  private close(char: '}' | ']'): void {
    const top = this.open.at(-1) as Open
    if (this.want === 'colon' || (this.want === 'value' && top.keys !== null)) {
      throw new Unreadable('a field has no value')
    }
    if (top.close !== char) {
      this.closeOther(char, top)
      return
    }
    if (this.open.length === 1 && top.keys !== null && fieldFollows(this.text, this.at + 1)) {
      // `{"a": {…}}, "b": …`: the object goes on, so this bracket was one too many.
      this.repairs.add('brackets-repaired')
      this.at++
      this.want = 'next'
      return
    }
    this.dropLastComma()
    this.open.pop()
    this.put(char, 'next')
  }

  private dropLastComma(): void {
    if (this.out.at(-1) === ',') {
      this.out.pop()
      this.repairs.add('syntax-repaired')
    }
    this.afterComma = false
  }

  /** A bracket of the other kind: it closes what is around, or was mistyped, or is one too many. */
  private closeOther(char: '}' | ']', top: Open): void {
    if (this.lastIsBare && this.out.at(-1)?.startsWith('"'))
      throw new Unreadable('it is not clear where a text without quotes ends')
    this.repairs.add('brackets-repaired')
    this.dropLastComma()
    const partner = this.open.findLastIndex(({ close }) => close === char)
    this.at++
    this.want = 'next'
    if (partner >= 0) {
      for (const { close } of this.open.splice(partner).reverse()) this.out.push(close)
    } else if (this.restIsEmpty()) {
      this.open.pop()
      this.out.push(top.close)
    }
  }

  /** Closes the innermost bracket, which was forgotten before the last comma. */
  private insertCloser(closer: '}' | ']'): void {
    this.repairs.add('brackets-repaired')
    this.open.pop()
    const comma = this.out.at(-1) === ','
    if (comma) this.out.pop()
    this.out.push(closer, ',')
    this.want = closer === ']' ? 'key' : 'value'
  }

  /** What may be missing at the end are closing brackets; anything else is not known. */
  private cutOff(): void {
    const top = this.open.at(-1)
    const openField = this.want === 'key' && this.afterComma && this.open.length === 1
    if (top === undefined || (this.want !== 'next' && !openField)) throw new Unreadable('it is cut off')
    if (openField) this.openComma = true
    const atOnce = this.text.length === this.at && !isSpace(this.text[this.at - 1] as string)
    if (atOnce && this.lastIsBare && !/^(?:true|false|null|[}\],])$/.test(this.out.at(-1) as string)) {
      throw new Unreadable('it is cut off inside a number or a word')
    }
    // `"elm}"`: the bracket that is missing may be the one in the text.
    if (/[}\]]"$/.test(this.out.at(-1) as string)) throw new Unreadable('it is not clear where a text ends')
    // How long the list would have been is not known, unless what was around it was closed.
    if (this.at >= this.text.length && this.open.some(({ keys }) => keys === null))
      throw new Unreadable('it is cut off inside a list')
    this.dropLastComma()
    for (const { close } of this.open.toReversed()) this.out.push(close)
    this.repairs.add('cut-off-closed')
  }

  private string(isKey: boolean): string {
    const closers = this.open.map(({ close }) => close).reverse()
    const inList = this.open.at(-1)?.keys === null
    const place = { isKey, inList, closers: closers.join(''), known: this.known, isMarkdown: this.isMarkdown }
    const { json, end } = readText(this.text, this.at, place, this.repairs)
    this.at = end
    return json
  }

  private readonly isMarkdown = (): boolean => {
    this.hasMarkdown ??= MARKDOWN_NAME.test(this.text.slice(this.start, this.start + MAX_LOOK))
    return this.hasMarkdown
  }

  private word(isKey: boolean): string {
    const inList = this.open.at(-1)?.keys === null
    const { json, end } = readWord(this.text, this.at, { isKey, inList }, this.repairs)
    this.at = end
    return json
  }

  private put(json: string, want: Want): void {
    this.out.push(json)
    this.at++
    this.want = want
  }

  /** Over spaces, invisible characters and comments; notes whether a line ended. */
  private skip(): void {
    this.newline = false
    while (!this.ended()) {
      const char = this.text[this.at] as string
      if (isSpace(char)) {
        this.newline ||= char === '\n'
        if (INVISIBLE.test(char)) this.repairs.add('invisible-removed')
        this.at++
      } else if (this.text.startsWith('//', this.at) || char === '#') this.skipTo('\n', 0)
      else if (this.text.startsWith('/*', this.at)) this.skipTo('*/', 2)
      else return
    }
  }

  private skipTo(mark: string, length: number): void {
    this.repairs.add('comments-removed')
    const end = this.text.indexOf(mark, this.at)
    if (end < 0 && this.open.length > 0) throw new Unreadable('it ends inside a comment')
    const next = end < 0 ? this.text.length : end + length
    // What the value is not says nothing against it.
    const comment = this.text.slice(this.at, next).replace(/^\W*not\b/i, '')
    if (this.open.length > 0 && (isCorrection(comment) || /^\W*or\b/i.test(comment)))
      throw new Unreadable('a comment says that it is not right')
    // `# a",`: a text whose first quote was lost.
    if (this.open.length > 0 && comment.split('"').length % 2 === 0)
      throw new Unreadable('a comment has one quote in it')
    this.at = next
  }

  /** Also at a code fence: nothing of the value comes after it. */
  private ended(): boolean {
    return this.at >= this.text.length || this.text.startsWith('```', this.at)
  }

  private restIsEmpty(): boolean {
    const i = skipSpace(this.text, this.at)
    return i >= this.text.length || this.text.startsWith('```', i)
  }
}

const INVISIBLE = /[\u00a0\u200b-\u200d\u2060\ufeff\u3000\u00ad]/
/** `, "b":` after what looked like the end: the object goes on. */
export function fieldFollows(text: string, at: number): boolean {
  return FIELD_AFTER.test(text.slice(at, at + 100))
}

const FIELD_AFTER = /^\s*[,，]\s*["“'][^"“”'\n]{1,60}["”']\s*[:：]/
