/**
 * The readable part of a reply that is still being streamed: the text of some of its fields, as far as it has arrived. The reply may be a
 * JSON object, YAML, or texts in tags (`<answer>…</answer>`); in a fence or not, after thinking aloud or not. Reads piece by piece.
 */
import type { FieldSink, FormReader } from './field-sink.ts'
import { partialJson } from './partial-json.ts'
import { partialTags } from './partial-tags.ts'
import { partialYaml } from './partial-yaml.ts'

export interface PartialFields {
  add(piece: string): void
  /** The end of the last wanted field's text; empty before the first; null if the reply has none. */
  read(): string | null
  /** All that people would read of it so far: the wanted fields in their order, or the prose. */
  readAll(): string
  /** What a field says so far; undefined before it has begun. */
  field(name: string): PartialField | undefined
  /** The text of a field that is sure, from where it was taken last. */
  take(name: string): string
  /** `prose`: a text without fields. */
  readonly form: 'unknown' | 'fields' | 'prose'
}

export interface PartialField {
  readonly text: string
  readonly ended: boolean
  /** How much of the text is sure: what follows might be read in another way when the reply is whole. */
  readonly sure: number
}

/** A reply without a wanted field in this many characters will hardly have one. */
const MAX_WITHOUT = 300

interface Field {
  text: string
  ended: boolean
  sure: number
  /** What was not taken yet, once something was. */
  fresh: string | null
}

/** `keptChars`: how much of a text is kept, from its end; sometimes up to twice as much. */
export function partialFields(
  wanted: ReadonlySet<string>,
  keptChars = Number.POSITIVE_INFINITY,
): PartialFields {
  const fields = new Map<string, Field>()
  const all: Field[] = []
  let open: Field | null = null
  let last: Field | null = null
  let seen = 0
  let before = ''
  let inFence = false
  /** The reply from where it was seen to be prose. */
  let prose: string | null = null
  /** The tag that ends thinking aloud, while it lasts. */
  let closing: string | null = null
  let reader: FormReader | null = null

  const sink: FieldSink = {
    begin(key) {
      open = last = { text: '', ended: false, sure: Number.POSITIVE_INFINITY, fresh: null }
      fields.set(key, last)
      all.push(last)
    },
    text(text) {
      if (open === null) return
      open.text = keptEnd(open.text + text, keptChars)
      if (open.fresh !== null) open.fresh += text
    },
    end() {
      if (open !== null) open.ended = true
      open = null
    },
    doubt() {
      if (open !== null) open.sure = Math.min(open.sure, open.text.length)
    },
    settle() {
      if (open !== null) open.sure = Number.POSITIVE_INFINITY
    },
  }

  /** False while it goes on. */
  function skipThinking(tag: string): boolean {
    const end = before.toLowerCase().indexOf(tag)
    before = end === -1 ? before.slice(-tag.length) : before.slice(end + tag.length)
    if (end !== -1) closing = null
    return end !== -1
  }

  /** Looks at what has come until the form is known. */
  function recognise(): void {
    if (closing !== null && !skipThinking(closing)) return
    const start = startOf(before, inFence, wanted)
    if (start === null) {
      before = before.trimStart()
      return
    }
    before = start.rest
    if (start.form === 'prose') {
      inFence = false
      prose ??= keptEnd(before, keptChars)
      proceed()
    } else if (start.form === 'fence' || start.form === 'thinking') {
      inFence ||= start.form === 'fence'
      closing = start.closing ?? null
      recognise()
    } else {
      reader = READERS[start.form](wanted, sink)
      reader(before)
    }
  }

  /** In prose, a fence may still hold the fields. */
  function proceed(): void {
    const fence = FENCE_LINE.exec(before)
    if (fence === null) {
      before = before.slice(before.lastIndexOf('\n') + 1).slice(-MAX_LINE)
      return
    }
    before = before.slice(fence.index + fence[0].length)
    inFence = true
    recognise()
  }

  return {
    add(piece) {
      seen += piece.length
      if (prose !== null) prose = keptEnd(prose + piece, keptChars)
      if (reader !== null) return reader(piece)
      before += piece
      if (prose !== null && !inFence) proceed()
      else recognise()
    },
    read() {
      if (last !== null) return last.text
      const mayHave = reader !== null ? seen <= MAX_WITHOUT : /^\s*(?:`|$)/.test(before)
      return prose !== null || closing !== null || !mayHave ? null : ''
    },
    readAll() {
      if (fields.size > 0) return all.map(({ text }) => text).join('\n\n')
      return prose ?? ''
    },
    field: (name) => fields.get(name),
    take(name) {
      const field = fields.get(name)
      return field === undefined ? '' : takenFrom(field)
    },
    get form() {
      if (fields.size > 0) return 'fields'
      if (prose !== null) return 'prose'
      return reader === null ? 'unknown' : 'fields'
    },
  }
}

function takenFrom(field: Field): string {
  const fresh = field.fresh ?? field.text
  const unsure = Math.max(0, field.text.length - field.sure)
  const taken = fresh.slice(0, Math.max(0, fresh.length - unsure))
  field.fresh = fresh.slice(taken.length)
  return taken
}

const READERS = { json: partialJson, yaml: partialYaml, tags: partialTags }

interface Start {
  readonly form: keyof typeof READERS | 'prose' | 'fence' | 'thinking'
  readonly rest: string
  /** The tag that ends thinking. */
  readonly closing?: string
}

const FENCE_LINE = /^[ \t]*```[ \t]*(?:json|ya?ml)[ \t]*\n/im
const MAX_LINE = 1_000

/** What a reply begins with; null if that can't be said yet. */
function startOf(text: string, inFence: boolean, wanted: ReadonlySet<string>): Start | null {
  const rest = text.trimStart()
  if (rest === '') return null
  if (rest.startsWith('{')) return { form: 'json', rest }
  if (rest.startsWith('`')) return fenceOf(rest)
  if (rest.startsWith('<')) return tagOf(rest, wanted)
  const key = /^(?:---\s+)?([A-Za-z_][\w-]*):(?=\s)/.exec(rest)
  if (key !== null && (inFence || wanted.has(key[1] as string))) return { form: 'yaml', rest }
  return rest.length <= MAX_LINE && MAYBE_KEY.test(rest) ? null : { form: 'prose', rest }
}

const MAYBE_KEY = /^(?:-{1,3}|---\s+)?(?:[A-Za-z_][\w-]{0,40}:?)?$/

function fenceOf(text: string): Start | null {
  const fence = /^```[ \t]*(?:\w+[ \t]*)?\n/.exec(text)
  if (fence !== null) return { form: 'fence', rest: text.slice(fence[0].length) }
  return text.length <= MAX_LINE && /^`{1,3}[ \t]*(?:\w+[ \t]*)?$/.test(text)
    ? null
    : { form: 'prose', rest: text }
}

function tagOf(text: string, wanted: ReadonlySet<string>): Start | null {
  const name = /^<([\w-]+)>/.exec(text)?.[1]
  if (name === undefined) return /^<[\w-]{0,40}$/.test(text) ? null : { form: 'prose', rest: text }
  if (wanted.has(name)) return { form: 'tags', rest: text }
  if (!THINKING.test(name)) return { form: 'prose', rest: text }
  return { form: 'thinking', rest: text, closing: `</${name.toLowerCase()}>` }
}

const THINKING = /^(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis)$/i

/** At least the last `chars` of a text, and at most twice as much: a cut at every piece would copy all of it, and move its lines. */
export function keptEnd(text: string, chars: number): string {
  return text.length > 2 * chars ? text.slice(-chars) : text
}
