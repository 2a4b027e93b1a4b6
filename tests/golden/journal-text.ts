// Journals as text: one event a line, as on the wire, with what changes from release to release or is too long left out.

import { createHash } from 'node:crypto'
import type { Event } from '../../src/protocol/index.ts'

const MAX_TEXT = 10_000

/** Texts longer than `maxText` are told by their length and hash. */
export function journalText(events: Iterable<Event>, maxText = MAX_TEXT): string {
  return [...events].map((event) => `${JSON.stringify(event, shorten)}\n`).join('')

  function shorten(key: string, value: unknown): unknown {
    if (key === 'thinkon') return '(version)'
    if (typeof value !== 'string' || value.length <= maxText) return value
    return `(${value.length} characters, ${createHash('sha256').update(value).digest('hex')})`
  }
}
