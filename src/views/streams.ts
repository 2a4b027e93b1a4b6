/**
 * The text that models are streaming: the end of each, until its call has ended. It is shown and forgotten. For a JSON object it
 * is the text of the field that a person would read.
 */

import { checkEvent } from '../protocol/check-event.ts'
import { cleanText, type Event, type TextDelta } from '../protocol/index.ts'
import type { StrategyViews } from './block-views.ts'
import { checkView } from './entrances.ts'
import { keptEnd, type PartialFields, partialFields } from './partial-fields.ts'
import { cleanLine } from './text-width.ts'

/** More than a line of a terminal holds. */
const LINE_CHARS = 400
/** About what a large terminal holds. */
const KEPT_CHARS = 10_000

interface Incoming {
  tail: string
  readonly fields: PartialFields
}

export interface Streams {
  add(delta: TextDelta): void
  /** Forgets the text of calls and blocks that have ended. */
  follow(event: Event): void
  /** The end of the text of the block's last call, on one line; empty if nothing is being streamed. */
  of(path: string): string
  /** The end of the same text, with its lines. Cut only now and then, so that its lines stay where they are. */
  text(path: string): string
  /** Blocks whose text is being streamed, in the order of their first words. */
  paths(): Iterable<string>
}

/** `views` name the fields of replies that people read. */
export function createStreams(views: StrategyViews): Streams {
  checkView('createStreams', [views])
  const readable = new Set([...views.values()].flatMap(({ streamFields = [] }) => streamFields))
  /** By path, then by the number of the call, in the order of their first words. */
  const streams = new Map<string, Map<number, Incoming>>()
  const text = (path: string): string => {
    const call = [...(streams.get(path)?.values() ?? [])].at(-1)
    const last = call?.fields.read() ?? call?.tail ?? ''
    // The cut may have split a surrogate pair.
    return last.toWellFormed().replace(/^\ufffd/, '')
  }
  return {
    add({ path, n, text }) {
      const calls = streams.get(path) ?? new Map<number, Incoming>()
      streams.set(path, calls)
      const call = calls.get(n) ?? { tail: '', fields: partialFields(readable, KEPT_CHARS) }
      calls.set(n, call)
      call.tail = keptEnd(call.tail + text, KEPT_CHARS)
      call.fields.add(text)
    },
    follow(event) {
      checkEvent('follow', event)
      if (event.type === 'block-end' || event.type === 'run-end') streams.delete(event.path)
      if (event.type !== 'model-end') return
      const calls = streams.get(event.path)
      calls?.delete(event.n)
      if (calls?.size === 0) streams.delete(event.path)
    },
    of: (path) => cleanLine(text(path).slice(-LINE_CHARS), LINE_CHARS),
    text: (path) => cleanText(text(path)),
    paths: () => streams.keys(),
  }
}
