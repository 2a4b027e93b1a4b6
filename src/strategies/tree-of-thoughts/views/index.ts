/** How `tot` is drawn: the tree of its thoughts, its messages, and the log folder of each search. */
import type { Event, EventOf } from '../../../protocol/index.ts'
import { thoughtsMarkdown } from '../../../views/formats/markdown.ts'
import { foldPicture } from '../../../views/formats/picture.ts'
import { pictureWords } from '../../../views/formats/picture-words.ts'
import type { ShownBlock, StrategyView, ViewFolder } from '../../../views/strategy-view.ts'
import { totLog } from './log-folder.ts'
import { messageLine } from './message-line.ts'
import { thoughtPicture } from './thought-picture.ts'
import { foldThoughts, isMessage, type ThoughtSearch, treeOf } from './thought-tree.ts'
import { thoughtsDetail } from './thought-tree-lines.ts'

export const view: StrategyView = {
  detail: thoughtsDetail,
  picture(block, lang) {
    const search = searchOf(block)
    return search === undefined ? null : thoughtPicture(search, lang)
  },
  formats: {
    json(block) {
      const search = searchOf(block)
      return search === undefined ? null : JSON.stringify(treeOf(search), null, 2)
    },
    md(block, lang) {
      const search = searchOf(block)
      if (search === undefined) return null
      return thoughtsMarkdown(foldPicture(thoughtPicture(search, lang), pictureWords(lang).more), lang)
    },
  },
  folder: logFolder,
  streamFields: ['answer'],
  message: (event, width) => (isMessage(event) ? messageLine(event, width) : null),
}

const LOGS = 'logs'

function searchOf({ path, journal }: ShownBlock): ThoughtSearch | undefined {
  return foldThoughts(journal).get(path)
}

/** `logs/tot-{date}-{time}-{id}/`; the option `logs` names another place. */
function logFolder(block: readonly Event[]): ViewFolder {
  const { options } = block[0] as EventOf<'block-start'>
  const { logs } = (options ?? {}) as { logs?: unknown }
  const { folder, files } = totLog(block)
  return { path: `${typeof logs === 'string' && logs !== '' ? logs : LOGS}/${folder}`, files }
}
