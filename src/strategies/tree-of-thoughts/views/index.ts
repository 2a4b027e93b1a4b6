/** How `tot` is drawn: the tree of its thoughts, its messages, and the log folder of each search. */
import type { StrategyView } from '../../../views/strategy-view.ts'
import { standsAsWritten } from '../../closing/stands-as-written.ts'
import { foldThoughts, isMessage } from './fold-thoughts.ts'
import { logFolder } from './log-folder.ts'
import { messageLine } from './message-line.ts'
import { thoughtForm } from './thought-form.ts'
import { thoughtPicture, thoughtsMarkdown } from './thought-picture.ts'
import { treeOf } from './thought-tree.ts'
import { thoughtsDetail } from './thoughts-detail.ts'

export const view: StrategyView = {
  detail: thoughtsDetail,
  picture: ({ path, journal }, lang) => thoughtPicture(foldThoughts(journal, path), lang),
  form: thoughtForm,
  formats: {
    json: ({ path, journal }) => JSON.stringify(treeOf(foldThoughts(journal, path)), null, 2),
    md: ({ path, journal }, lang) => thoughtsMarkdown(foldThoughts(journal, path), lang),
  },
  folder: logFolder,
  streamFields: ['answer', 'candidates.content', 'reasoning', 'evaluations.reasoning', 'reason'],
  // It is made from the thoughts of a path: a long one is checked, also for a small problem.
  answer: (asked) =>
    asked.kind === 'tot/synthesize' ? standsAsWritten({ ...asked, parts: 1 }, { field: 'answer' }) : null,
  message: (event, width) => (isMessage(event) ? messageLine(event, width) : null),
}
