/** What whoever opens the page of a run sees first: of a single block its form, of a tree the first block's panel, where there is room. */
import type { Event } from 'thinkon/protocol'
import { blockForm, SHIPPED_VIEWS } from 'thinkon/views'

const WIDE = '(min-width: 1000px)'

export function firstView(events: readonly Event[]): Record<string, string> {
  const [first] = events
  if (first === undefined) return {}
  const blocks = events.filter(({ type }) => type === 'block-start')
  if (blocks.length === 1 && hasForm(events, first.path)) return { view: 'form' }
  return matchMedia(WIDE).matches ? { block: first.path } : {}
}

/** A form that can't be made says so where it is shown. */
function hasForm(events: readonly Event[], path: string): boolean {
  try {
    return blockForm(events, SHIPPED_VIEWS, { path, lang: 'en' }) !== null
  } catch {
    return false
  }
}
