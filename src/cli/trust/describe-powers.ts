/** What a configuration would do, in lines for a person. */
import { showHidden } from '../../protocol/index.ts'
import { wrapWords } from '../../views/text-width.ts'
import { POWERS, type Power } from './powers.ts'

export interface Described {
  /** All that it would do. */
  readonly powers: readonly Power[]
  /** Has this been shown to the person before? */
  isKnown(power: Power): boolean
  /** Files that have changed since, or have come; empty the first time. */
  readonly changed: readonly string[]
}

/** Of files. Whatever else it does is shown to the last line: trust is given to what was shown. */
const MOST_FILES = 20
const LONGEST = 1_000

/** `columns` of the terminal: what is longer goes on below where it began, so that no part of it looks like another line. */
export function describePowers(
  { powers, isKnown, changed }: Described,
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const rows = Object.entries(POWERS).flatMap(([kind, heading]) => {
    const lines = powers
      .filter(({ power }) => power === kind)
      .map((power) => `${visible(power.what)}${isKnown(power) ? '' : '  (new)'}`)
    const isFiles = kind === 'code' || kind === 'blueprints'
    const more = isFiles ? lines.length - MOST_FILES : 0
    const shown =
      more > 0 ? [...lines.slice(0, MOST_FILES), `and ${more} more: thinkon trust --json lists all`] : lines
    if (kind === 'code' && shown.length > 0) shown.push('and whatever these load')
    return shown.map((line, at) => [at === 0 ? heading : '', line])
  })
  if (rows.length === 0) rows.push(['changes settings', 'and does nothing else'])
  if (changed.length > 0)
    rows.unshift(...changed.map((file, at) => [at === 0 ? 'has changed' : '', visible(file)]))
  const width = Math.max(...rows.map(([heading = '']) => heading.length))
  const room = Math.max(columns - width - 4, LEAST_ROOM)
  return rows.flatMap(([heading = '', line = '']) =>
    (Number.isFinite(room) ? wrapWords(line, room) : [line]).map((part, at) =>
      `  ${(at === 0 ? heading : '').padEnd(width)}  ${part}`.trimEnd(),
    ),
  )
}

const LEAST_ROOM = 20

/** The text comes from the folder. */
export function visible(text: string): string {
  const shown = showHidden(text)
  const more = shown.length - LONGEST
  return more > 0 ? `${shown.slice(0, LONGEST)}… (${more} more characters)` : shown
}
