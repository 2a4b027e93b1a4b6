/**
 * The timeline: what a block may know of the journal. It knows its ancestors' timelines as of its start, its own, and those of
 * the children it has consumed, in that order; never a running sibling's, so that prompts don't depend on timing.
 *
 * Entries are whole, and only added to: what a request carries of them is decided by the brief. A child passes on to its parent
 * what a person said to it; all else that the parent needs of it stands in its result.
 */
import { shortenMiddle, type TimelineEntry } from '../protocol/index.ts'
import { fence } from './fence.ts'
import { leftOutMark } from './left-out.ts'

const KEPT: ReadonlySet<TimelineEntry['kind']> = new Set(['message', 'notice', 'error'])

const NONE: readonly TimelineEntry[] = []

export class Timeline {
  /** What the ancestors passed on. */
  readonly inherited: readonly TimelineEntry[]
  private readonly own: TimelineEntry[] = []
  private cache: readonly TimelineEntry[] | null = null
  /** Whether a person has said something; null if nobody has looked. */
  private said: boolean | null = null

  constructor(inherited: readonly TimelineEntry[]) {
    this.inherited = inherited
  }

  add(entry: TimelineEntry): void {
    this.own.push(entry)
    this.cache = null
    if (isMessage(entry)) this.said = true
  }

  /** A consumed child's own entries. */
  take(entries: readonly TimelineEntry[]): void {
    for (const entry of entries) this.add(entry)
  }

  /** All a child of this block would know. */
  known(): readonly TimelineEntry[] {
    if (this.own.length === 0) return this.inherited
    this.cache ??= this.together()
    return this.cache
  }

  /** A block with thousands of children is asked for it again and again: nothing is looked at but what must be. */
  private together(): readonly TimelineEntry[] {
    const all = this.inherited.length === 0 ? this.own.slice() : this.inherited.concat(this.own)
    this.said ??= this.inherited.some(isMessage) || this.own.some(isMessage)
    return this.said ? withoutEchoes(all) : all
  }

  forParent(): readonly TimelineEntry[] {
    const said = this.own.filter(isMessage)
    return said.length === 0 ? NONE : said
  }

  text(maxChars: number, kinds?: readonly TimelineEntry['kind'][]): string {
    const known = this.known()
    return timelineText(
      kinds === undefined ? known : known.filter(({ kind }) => kinds.includes(kind)),
      maxChars,
    )
  }
}

function isMessage({ kind }: TimelineEntry): boolean {
  return kind === 'message'
}

/**
 * What a person said to several blocks at once comes back from each of them: only the first one is kept. What they said to one
 * block again, they mean again.
 */
function withoutEchoes(entries: TimelineEntry[]): TimelineEntry[] {
  const firstSaidTo = new Map<string, string>()
  return entries.filter(({ kind, text, path }) => {
    if (kind !== 'message') return true
    if (!firstSaidTo.has(text)) firstSaidTo.set(text, path)
    return firstSaidTo.get(text) === path
  })
}

/** The entries as text of at most `maxChars`: a digest for strategies that build their messages themselves. */
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
  const leftOut = lines.length - shown.length
  const text = [`(${leftOut} ${leftOut === 1 ? 'entry' : 'entries'} left out)`, ...shown].join('\n')
  return text.length > maxChars ? '' : text
}

const OMITTED_ROOM = 40
const MAX_SHOWN_CHARS = 1_800

function lineOf({ path, kind, text, data, ref, by }: TimelineEntry): string {
  const shown = shortenMiddle(
    text,
    MAX_SHOWN_CHARS,
    (leftOut, from) => `[${leftOutMark(leftOut, text.length, ref, from)}]`,
  )
  const line = `[${path}] ${kind}: ${by === undefined ? '' : `[${by}] `}${shown}`
  if (data === undefined) return line
  return `${line} ${fence(`${kind} ${path}`, data, { maxChars: MAX_SHOWN_CHARS, ...(ref !== undefined && { ref }) })}`
}
