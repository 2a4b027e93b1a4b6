/**
 * The files that views keep in the workspace while a run goes on: folds over its events, written by whoever works on the run
 * and never read back. A file that can't be written is warned of once; the run does not depend on it.
 */
import type { Event, TextDelta } from '../../protocol/index.ts'
import type { FileView, RunPlace } from './file-view.ts'
import { thinkingContextFile } from './thinking-context.ts'
import { totLogFolders } from './tot-logs.ts'

const VIEWS: readonly ((place: RunPlace) => FileView)[] = [thinkingContextFile, totLogFolders]

export function runFiles(place: RunPlace): (event: Event | TextDelta) => void {
  const views = VIEWS.map((view) => view(place))
  let warned = false
  return (event) => {
    if (event.type === 'text-delta') return
    for (const view of views) {
      try {
        view(event)
      } catch (error) {
        if (!warned) process.emitWarning(`thinkon: a file can't be written: ${(error as Error).message}`)
        warned = true
      }
    }
  }
}
