/** Figures of a run that a list shows. */
import type { ListedRun } from '../data/source.ts'

/** Of a run under way it is what was active by its last event, and the time since. */
export function activeMsOf({ status, changedAt, figures }: ListedRun): number {
  if (!figures) return 0
  return figures.activeMs + (status === 'running' ? Math.max(0, Date.now() - Date.parse(changedAt)) : 0)
}
