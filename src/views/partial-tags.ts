/** Texts in tags: `<answer>…</answer>`. A tag within such a text belongs to it. */
import type { FieldSink, FormReader } from './field-sink.ts'

export function partialTags(wanted: ReadonlySet<string>, sink: FieldSink): FormReader {
  let waiting = ''
  let open: string | null = null
  let isEmpty = true

  function pass(text: string): void {
    const shown = isEmpty ? text.trimStart() : text
    if (shown === '') return
    isEmpty = false
    sink.text(shown)
  }

  /** True if there may be more to do with what is waiting. */
  function outside(): boolean {
    const tag = /<([\w-]+)>/.exec(waiting)
    if (tag === null) {
      waiting = waiting.slice(-MAX_TAG)
      return false
    }
    waiting = waiting.slice(tag.index + tag[0].length)
    const name = tag[1] as string
    if (!wanted.has(name)) return true
    open = name
    isEmpty = true
    sink.begin(name)
    return true
  }

  function inside(name: string): boolean {
    const close = `</${name}>`
    const end = waiting.indexOf(close)
    if (end === -1) {
      // The end of what has come may begin the tag.
      const kept = partOf(close, waiting)
      pass(waiting.slice(0, waiting.length - kept))
      waiting = waiting.slice(waiting.length - kept)
      return false
    }
    pass(waiting.slice(0, end))
    waiting = waiting.slice(end + close.length)
    open = null
    sink.end()
    return true
  }

  return (piece) => {
    waiting += piece
    while (open === null ? outside() : inside(open));
  }
}

const MAX_TAG = 60

/** How many characters at the end of `text` begin `tag`. */
function partOf(tag: string, text: string): number {
  for (let size = Math.min(tag.length - 1, text.length); size > 0; size--)
    if (tag.startsWith(text.slice(text.length - size))) return size
  return 0
}
