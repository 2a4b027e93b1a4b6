/**
 * From the bytes of a raw terminal to keys. A character or a sequence that arrives in pieces is put together again, a paste is
 * one key whatever is in it, and sequences that mean nothing here, such as replies of the terminal, are dropped.
 */
import { StringDecoder } from 'node:string_decoder'

export type Key = { readonly name: 'text' | 'paste'; readonly text: string } | { readonly name: KeyName }

type KeyName =
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'delete'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'clear'
  | 'clear-word'
  | 'clear-end'
  | 'interrupt'
  | 'suspend'
  | 'redraw'

export interface KeyReader {
  add(bytes: Buffer | string): void
  /** Forgets what has not become a key. */
  reset(): void
}

/** A sequence comes in one piece or nearly so; the Escape key comes alone. */
const ESCAPE_MS = 50
/** The end of a paste that never comes must not swallow all that is typed. */
const MAX_PASTE = 1_000_000

export function keyReader(onKey: (key: Key) => void): KeyReader {
  const decoder = new StringDecoder('utf8')
  let pending = ''
  let timer: NodeJS.Timeout | undefined
  const read = (isLast: boolean) => {
    while (pending !== '') {
      const found = nextKey(pending, isLast)
      if (found === null) break
      pending = pending.slice(found.length)
      if (found.key !== null) onKey(found.key)
    }
  }
  return {
    add(bytes) {
      clearTimeout(timer)
      pending += typeof bytes === 'string' ? bytes : decoder.write(bytes)
      read(false)
      if (pending !== '' && !pending.startsWith(PASTE_START)) timer = setTimeout(read, ESCAPE_MS, true)
    },
    reset() {
      clearTimeout(timer)
      pending = ''
    },
  }
}

interface Found {
  readonly key: Key | null
  readonly length: number
}

const ESC = '\u001b'
const PASTE_START = `${ESC}[200~`
const PASTE_END = `${ESC}[201~`
/** Sequences of a key; then what a terminal replies, which ends with BEL or ST. */
const KEY_SEQUENCE = new RegExp(`^${ESC}(?:\\[\\[[A-E]|\\[[0-?]*[ -/]*[@-~]|O[ -~])`)
const REPLY = new RegExp(`^${ESC}[\\]P_^X][^]*?(?:\\u0007|${ESC}\\\\)`)

/** Null if more has to come first; with `isLast` nothing more comes. */
function nextKey(text: string, isLast: boolean): Found | null {
  if (!text.startsWith(ESC)) return plainKey(text)
  if (text.startsWith(PASTE_START)) return pasted(text)
  const sequence = KEY_SEQUENCE.exec(text)?.[0]
  if (sequence !== undefined) return { key: keyOf(SEQUENCES[sequence]), length: sequence.length }
  const reply = REPLY.exec(text)?.[0]
  if (reply !== undefined) return { key: null, length: reply.length }
  if (text === ESC) return isLast ? { key: { name: 'escape' }, length: 1 } : null
  if (/[[O\]P_^X]/.test(text[1] as string)) return isLast ? { key: null, length: text.length } : null
  if (text[1] === ESC) return { key: { name: 'escape' }, length: 1 }
  // Alt with a key.
  return { key: null, length: 1 + String.fromCodePoint(text.codePointAt(1) as number).length }
}

function pasted(text: string): Found | null {
  const end = text.indexOf(PASTE_END)
  if (end === -1 && text.length < MAX_PASTE) return null
  const until = end === -1 ? text.length : end
  const inside = text.slice(PASTE_START.length, until).replace(/\r\n?/g, '\n')
  return { key: { name: 'paste', text: inside }, length: until + (end === -1 ? 0 : PASTE_END.length) }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const TEXT = /^[^\u0000-\u001f\u007f]+/

function plainKey(text: string): Found {
  const typed = TEXT.exec(text)?.[0]
  if (typed !== undefined) return { key: { name: 'text', text: typed }, length: typed.length }
  return { key: keyOf(CONTROLS[text[0] as string]), length: 1 }
}

function keyOf(name: KeyName | undefined): Key | null {
  return name === undefined ? null : { name }
}

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u007f': 'backspace',
  '\u0008': 'backspace',
  '\u0001': 'home',
  '\u0002': 'left',
  '\u0003': 'interrupt',
  '\u0004': 'delete',
  '\u0005': 'end',
  '\u0006': 'right',
  '\u000b': 'clear-end',
  '\u000c': 'redraw',
  '\u0015': 'clear',
  '\u0017': 'clear-word',
  '\u001a': 'suspend',
}

const SEQUENCES: Readonly<Record<string, KeyName>> = {
  [`${ESC}[D`]: 'left',
  [`${ESC}OD`]: 'left',
  [`${ESC}[C`]: 'right',
  [`${ESC}OC`]: 'right',
  [`${ESC}[H`]: 'home',
  [`${ESC}OH`]: 'home',
  [`${ESC}[1~`]: 'home',
  [`${ESC}[F`]: 'end',
  [`${ESC}OF`]: 'end',
  [`${ESC}[4~`]: 'end',
  [`${ESC}[3~`]: 'delete',
}
