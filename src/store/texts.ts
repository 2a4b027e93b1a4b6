/**
 * Texts that are stored once, by their hash, and values in which such texts stand as references. What recurs in later events takes its
 * place on disk only once.
 *
 * A reference is a string that begins with a mark, with what it refers to after it; a string that begins with the mark itself gets a
 * second one.
 */
import { hash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import type { DecodingBudget } from '../protocol/decoding-budget.ts'
import { inflate } from './inflate.ts'
import { RecentTexts } from './recent-texts.ts'

export interface Blobs {
  /** `body` is the text, or what is left of it when it is compressed. */
  put(hash: string, body: string | Uint8Array, text: string): void
  get(hash: string): string | Uint8Array
}

/** From this length on texts are compressed, to less than half. */
const MIN_COMPRESSED = 1_024
const FAST = { level: 1 } as const

/** A shorter text takes no more in two places than as a reference. */
export const LONG_TEXT = 256
/** From this length on a part of a reply is a reference to it, which has about 40 characters. */
const LONG_PART = 64
const MARK = '¶'
const TEXT = `${MARK}t`
const PART = `${MARK}p`
const JSON_VALUE = `${MARK}j`
const SAID = `${MARK}s`
/** 144 bits. */
const KEY_LENGTH = 24
const MAX_REMEMBERED_CHARS = 4 * 1024 * 1024
const MAX_REPLIES = 8

export class Texts {
  private readonly blobs: Blobs
  /** The references of recent texts: most come again. */
  private readonly known = new RecentTexts()
  /** The hashes of what `putOften` stored. */
  private readonly keys = new RecentTexts()
  /** Texts that were read, by their hashes. */
  private readonly found = new RecentTexts()
  /** Recent replies: results, plans and goals of later events are parts of them. */
  private readonly replies: { readonly text: string; readonly key: string }[] = []
  /** Lists of tools and schemas are the same objects in every request of a run. */
  private readonly jsonTexts = new WeakMap<object, string>()
  private readonly values = new Map<string, unknown>()
  private valueChars = 0

  private readonly refer = (part: unknown) => this.withReferences(part)

  constructor(blobs: Blobs) {
    this.blobs = blobs
  }

  /** Stores the text, and returns its hash. */
  put(text: string): string {
    const key = keyOf(text)
    this.blobs.put(key, text.length < MIN_COMPRESSED ? text : deflateRawSync(text, FAST), text)
    return key
  }

  /** For what comes again: it is hashed once. */
  putOften(text: string): string {
    const known = this.keys.get(text)
    if (known !== undefined) return known
    const key = this.put(text)
    this.keys.set(text, key)
    return key
  }

  /** Each reference to a text takes its length: the same text may occur any number of times. */
  get(key: string, budget: DecodingBudget): string {
    let text = this.found.get(key)
    if (text === undefined) {
      text = inflate(this.blobs.get(key), budget)
      // The signature of a row covers the hashes of its texts, not the texts.
      if (keyOf(text) !== key) throw new TypeError(`the text ${key} is not the one that was stored`)
      this.found.set(key, text)
    }
    budget.take(text.length)
    return text
  }

  /** A model's reply, whose parts will come again. */
  putReply(text: string): void {
    if (text.length < LONG_TEXT || this.known.has(text) || !text.isWellFormed()) return
    const key = this.put(text)
    this.known.set(text, `${TEXT}${key}`)
    this.replies.unshift({ text, key })
    this.replies.length = Math.min(this.replies.length, MAX_REPLIES)
  }

  /** The value with references in place of its long texts; itself where there are none. */
  withReferences(value: unknown): unknown {
    if (typeof value === 'string') return this.stringFor(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return mappedList(value, this.refer)
    const { text, toJSON } = value as { text?: unknown; toJSON?: unknown }
    if (typeof toJSON === 'function') return this.withReferences(toJSON.call(value))
    const said = typeof text === 'string' ? saidIn(text, value) : null
    if (said === null) return mapped(value, this.refer)
    return { ...mapped({ ...value, value: null }, this.refer), value: said }
  }

  /** The text itself, or a reference if it is long. */
  stringFor(text: string): string {
    if (text.length < LONG_PART) return this.inline(text)
    const known = this.known.get(text)
    if (known !== undefined) return known
    const reference = this.partOfReply(text) ?? this.blobOf(text)
    if (reference === null) return this.inline(text)
    this.known.set(text, reference)
    return reference
  }

  inline(text: string): string {
    return text.startsWith(MARK) ? `${MARK}${text}` : text
  }

  /** For a list or an object that every request has; itself where it is short. */
  jsonFor(value: object): unknown {
    let text = this.jsonTexts.get(value)
    if (text === undefined) {
      text = JSON.stringify(value)
      this.jsonTexts.set(value, text)
    }
    if (text.length < LONG_TEXT) return this.withReferences(value)
    return `${JSON_VALUE}${this.putOften(text)}`
  }

  /** The value as it was. */
  withTexts(value: unknown, budget: DecodingBudget): unknown {
    if (typeof value === 'string') return value.startsWith(MARK) ? this.resolved(value, budget) : value
    if (typeof value !== 'object' || value === null) return value
    const resolve = (part: unknown) => this.withTexts(part, budget)
    if (Array.isArray(value)) return mappedList(value, resolve)
    const { value: said } = value as { value?: unknown }
    const copy = mapped(value, resolve)
    if (typeof said === 'string' && said.startsWith(SAID)) copy.value = readSaid(copy.text as string, said)
    return copy
  }

  /** A commit was rolled back: what it stored is gone. */
  forget(): void {
    this.known.clear()
    this.keys.clear()
    this.replies.length = 0
  }

  private resolved(reference: string, budget: DecodingBudget): unknown {
    const key = reference.slice(TEXT.length, TEXT.length + KEY_LENGTH)
    if (reference.startsWith(TEXT)) return this.get(key, budget)
    if (reference.startsWith(JSON_VALUE)) return this.json(key, budget)
    if (!reference.startsWith(PART)) return reference.slice(MARK.length)
    const range = rangeIn(reference.slice(PART.length + KEY_LENGTH))
    return JSON.parse(`"${this.get(key, budget).slice(...range)}"`)
  }

  private partOfReply(text: string): string | null {
    if (this.replies.length === 0) return null
    const escaped = JSON.stringify(text).slice(1, -1)
    for (const reply of this.replies) {
      const at = reply.text.indexOf(escaped)
      if (at !== -1) return `${PART}${reply.key}${at}-${at + escaped.length}`
    }
    return null
  }

  /** Half a surrogate pair can't be stored but as an escape in JSON. */
  private blobOf(text: string): string | null {
    return text.length < LONG_TEXT || !text.isWellFormed() ? null : `${TEXT}${this.put(text)}`
  }

  /** The same object each time. */
  private json(key: string, budget: DecodingBudget): unknown {
    const text = this.get(key, budget)
    let value = this.values.get(key)
    if (value === undefined) {
      value = JSON.parse(text)
      if (this.valueChars >= MAX_REMEMBERED_CHARS) {
        this.values.clear()
        this.valueChars = 0
      }
      this.values.set(key, value)
      this.valueChars += text.length
    }
    return value
  }
}

/** The hash by which a text is stored. */
export function keyOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, KEY_LENGTH)
}

/** A copy with its parts changed; itself where none changes. */
function mapped(value: object, change: (part: unknown) => unknown): Record<string, unknown> {
  const given = value as Record<string, unknown>
  let copy = given
  for (const key of Object.keys(given)) {
    const part = given[key]
    const changed = change(part)
    if (changed === part) continue
    if (copy === given) copy = { ...given }
    copy[key] = changed
  }
  return copy
}

function mappedList(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  let copy = list as unknown[]
  for (let i = 0; i < list.length; i++) {
    const changed = change(list[i])
    if (changed === list[i]) continue
    if (copy === list) copy = [...list]
    copy[i] = changed
  }
  return copy
}

/** A structured reply has its value twice, as text and parsed: where the text says the value, as JSON; null if nowhere. */
function saidIn(text: string, reply: object): string | null {
  const { value } = reply as { value?: unknown }
  if (typeof value !== 'object' || value === null) return null
  const [open = '', close = ''] = Array.isArray(value) ? '[]' : '{}'
  const from = text.indexOf(open)
  const to = text.lastIndexOf(close) + 1
  if (from === -1 || to <= from) return null
  try {
    const isSaid = JSON.stringify(JSON.parse(text.slice(from, to))) === JSON.stringify(value)
    return isSaid ? `${SAID}${from}-${to}` : null
  } catch {
    return null
  }
}

function readSaid(text: string, said: string): unknown {
  return JSON.parse(text.slice(...rangeIn(said.slice(SAID.length))))
}

function rangeIn(text: string): [from: number, to: number] {
  const [from, to] = text.split('-').map(Number)
  return [from as number, to as number]
}
