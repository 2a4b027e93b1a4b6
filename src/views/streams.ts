/** Text that models are just writing: the end of each, until its call has ended. It is shown and forgotten. */
import type { Event, TextDelta } from '../protocol/index.ts'
import { oneLine } from './text-width.ts'

/** More than a line of a terminal holds. */
const KEPT_CHARS = 400

export interface Streams {
  add(delta: TextDelta): void
  /** An ended call or block has no text that comes in. */
  follow(event: Event): void
  /** The end of what the block's last call has written, on one line; empty when nothing comes in. */
  of(path: string): string
}

export function createStreams(): Streams {
  /** By path, then by the number of the call, in the order of their first words. */
  const streams = new Map<string, Map<number, string>>()
  return {
    add({ path, n, text }) {
      const calls = streams.get(path) ?? new Map<number, string>()
      streams.set(path, calls)
      calls.set(n, ((calls.get(n) ?? '') + text).slice(-KEPT_CHARS))
    },
    follow(event) {
      if (event.type === 'block-end' || event.type === 'run-end') streams.delete(event.path)
      if (event.type !== 'model-end') return
      const calls = streams.get(event.path)
      calls?.delete(event.n)
      if (calls?.size === 0) streams.delete(event.path)
    },
    of(path) {
      const last = [...(streams.get(path)?.values() ?? [])].at(-1) ?? ''
      // A cut may have gone through a character of two code units.
      return oneLine(last.toWellFormed().replace(/^\ufffd/, ''), KEPT_CHARS)
    },
  }
}
