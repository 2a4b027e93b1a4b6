/** What a card says of a block: the words of the terminal's tree, in the places of the page. */
import { type BlockState, goalTitle } from 'thinkon/protocol'
import { blockRow, costText, durationText, elapsedMs } from 'thinkon/views'
import type { Moment, RunLog } from '../../data/run-log.ts'
import type { Lang } from '../../preferences.ts'
import type { CardTexts } from './card.tsx'
import { TREE_WORDS } from './words.ts'

/** Two lines have room for half of that; a goal may be a megabyte. */
const TITLE_CHARS = 160

export function cardTexts(block: BlockState, moment: Moment, log: RunLog, lang: Lang): CardTexts {
  const { details, state, nowMs, seq } = moment
  const { path, outcome, usage, status } = block
  const isNow = seq === log.events.length && outcome === null
  const incoming = isNow ? log.streams.of(path) : ''
  const { name, title, strategy, tags, note } = blockRow(block, state, { details, lang, incoming })
  const todo = outcome === null ? todoCount(block, moment, lang) : 0
  return {
    path,
    status,
    title: goalTitle(title, TITLE_CHARS),
    note: note?.text ?? '',
    tags: [...(name === path ? [] : [name]), ...(strategy === '' ? [] : [strategy]), ...tags].join(' · '),
    figures: [
      ...(todo > 0 ? [TREE_WORDS[lang].todo(todo)] : []),
      ...(usage.costUsd ? [costText(usage.costUsd)] : []),
      durationText(elapsedMs(block, nowMs)),
    ].join(' · '),
  }
}

/** As its strategy counts, or the items of its plan. */
function todoCount({ path, todo }: BlockState, { details }: Moment, lang: Lang): number {
  const plan = typeof todo === 'string' ? todo.split('\n').filter((line) => line.trim() !== '') : todo
  return (details.todoOf(path, lang) ?? plan).length
}
