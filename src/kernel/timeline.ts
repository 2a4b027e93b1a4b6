/**
 * The timeline: what a prompt contains of the journal. A block knows its ancestors' timelines as of its start, its own, and
 * those of the children it has consumed, in that order; never a running sibling's, so that prompts don't depend on timing.
 *
 * It is bounded: older entries are left out (they stay in the journal); a person's words, warnings and failures go last.
 */
import { shorten, type TimelineEntry } from '../protocol/index.ts'
import { fence } from './fence.ts'

const KEPT: ReadonlySet<TimelineEntry['kind']> = new Set(['message', 'notice', 'error'])

const MAX_ENTRIES = 200
const MAX_ENTRY_CHARS = 2_000
/** A consumed child passes on a few short entries; its result stands in `done`. */
const MAX_FROM_CHILD = 20
const MAX_FROM_CHILD_CHARS = 300

const NONE: readonly TimelineEntry[] = []

export class Timeline {
  /** What the ancestors passed on. */
  private readonly inherited: readonly TimelineEntry[]
  private own: TimelineEntry[] = []
  private cache: readonly TimelineEntry[] | null = null

  constructor(inherited: readonly TimelineEntry[]) {
    this.inherited = inherited
  }

  add(path: string, kind: TimelineEntry['kind'], text: string, data?: string): void {
    this.own.push(entry(path, kind, text, data))
    this.grown()
  }

  /** A consumed child's own entries. */
  take(entries: readonly TimelineEntry[]): void {
    for (const item of entries) this.own.push(item)
    this.grown()
  }

  /** All a child of this block would know. */
  known(): readonly TimelineEntry[] {
    if (this.own.length === 0) return this.inherited
    this.cache ??= newest(withoutEchoes([...this.inherited, ...this.own]), MAX_ENTRIES)
    return this.cache
  }

  forParent(): readonly TimelineEntry[] {
    if (this.own.length === 0) return NONE
    return newest(this.own, MAX_FROM_CHILD).map((item) => shortened(item, MAX_FROM_CHILD_CHARS))
  }

  text(maxChars: number, kinds?: readonly TimelineEntry['kind'][]): string {
    const known = this.known()
    return timelineText(
      kinds === undefined ? known : known.filter(({ kind }) => kinds.includes(kind)),
      maxChars,
    )
  }

  private grown(): void {
    this.cache = null
    // Cut to half its bound at once, so that adding stays cheap however long the block lives.
    if (this.own.length > 2 * MAX_ENTRIES) this.own = newest(this.own, MAX_ENTRIES)
  }
}

/** What a person said to several blocks at once comes back from each of them: only the last one is kept. */
function withoutEchoes(entries: TimelineEntry[]): TimelineEntry[] {
  const last = new Map<string, number>()
  for (const [i, { kind, text }] of entries.entries()) if (kind === 'message') last.set(text, i)
  return entries.filter(({ kind, text }, i) => kind !== 'message' || last.get(text) === i)
}

export function entry(path: string, kind: TimelineEntry['kind'], text: string, data?: string): TimelineEntry {
  return shortened(data === undefined ? { path, kind, text } : { path, kind, text, data }, MAX_ENTRY_CHARS)
}

function shortened(item: TimelineEntry, maxChars: number): TimelineEntry {
  const { text, data = '' } = item
  if (text.length <= maxChars && data.length <= maxChars) return item
  return {
    ...item,
    text: shorten(text, maxChars + 1),
    ...(item.data === undefined ? {} : { data: shorten(data, maxChars + 1) }),
  }
}

/** At most `max` entries: the newest of the kept kinds get up to half of the room, the newest of all the rest. */
function newest(entries: TimelineEntry[], max: number): TimelineEntry[] {
  if (entries.length <= max) return entries
  const keep = new Set<number>()
  for (let i = entries.length - 1; i >= 0 && keep.size < max / 2; i--) {
    if (KEPT.has((entries[i] as TimelineEntry).kind)) keep.add(i)
  }
  for (let i = entries.length - 1; i >= 0 && keep.size < max; i--) keep.add(i)
  return entries.filter((_, i) => keep.has(i))
}

/** The entries as text of at most `maxChars`. */
export function timelineText(entries: readonly TimelineEntry[], maxChars: number): string {
  const lines = entries.map(lineOf)
  const keep = new Set<number>()
  let room = maxChars - OMITTED_ROOM
  for (const kept of [true, false]) {
    for (let i = lines.length - 1; i >= 0; i--) {
      const line = lines[i] as string
      if (KEPT.has((entries[i] as TimelineEntry).kind) !== kept) continue
      if (line.length + 1 > room) break
      room -= line.length + 1
      keep.add(i)
    }
  }
  const shown = lines.filter((_, i) => keep.has(i))
  if (shown.length === lines.length) return shown.join('\n')
  const text = [`(${lines.length - shown.length} entries left out)`, ...shown].join('\n')
  return text.length > maxChars ? '' : text
}

const OMITTED_ROOM = 40

function lineOf({ path, kind, text, data }: TimelineEntry): string {
  const line = `[${path}] ${kind}: ${text}`
  return data === undefined ? line : `${line} ${fence(`${kind} ${path}`, data)}`
}
