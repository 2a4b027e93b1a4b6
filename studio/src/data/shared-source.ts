/** The one run that this page holds, to be looked at. */
import type { Event } from 'thinkon/protocol'
import type { SharedRun } from 'thinkon/views'
import type { Source } from './source.ts'

export function sharedSource({ events, forms }: SharedRun): Source {
  return {
    desk: null,
    hands: null,
    formEveryMs: 0,
    async form(_run, path, { at, lang }) {
      const shown = forms[path]?.findLast(({ from }) => from <= at)?.in[lang] ?? null
      if (shown !== null && 'problem' in shown) throw new Error(shown.problem)
      return shown
    },
    async *follow(): AsyncGenerator<Event> {
      yield* events
    },
  }
}
