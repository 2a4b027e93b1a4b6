/** How it is drawn: a bar of its parts in the tree, a line of news, and the format `outline`. Only folds over events. */
import { foldEvents, goalTitle, type RunState } from 'thinkon/protocol'
import { type Detail, type ShownBlock, type StrategyView, segment } from 'thinkon/views'
import type { OutlineNotes } from './notes.ts'

export const view: StrategyView = {
  detail: partsDetail,
  formats: { outline: outlineText },
  streamFields: ['text'],
}

function partsDetail(): Detail {
  let parts: readonly string[] = []
  let done = 0
  return {
    follow(event) {
      if (event.type === 'note' && event.name === 'outline/split')
        ({ parts } = event.data as OutlineNotes[typeof event.name])
    },
    followChild(event) {
      if (event.type === 'block-end') done++
    },
    lines: () =>
      parts.length === 0
        ? []
        : [
            [
              segment('▰'.repeat(done), 'good'),
              segment('▱'.repeat(parts.length - done), 'dim'),
              segment(` ${done} of ${parts.length} parts`),
            ],
          ],
    news: ({ name }) => (name === 'outline/split' ? [segment(`${parts.length} parts at once`)] : null),
  }
}

/** `thinkon show last --format outline` */
function outlineText({ path, journal }: ShownBlock): string {
  return linesOf(foldEvents(journal), path, '').join('\n')
}

function linesOf({ blocks }: Pick<RunState, 'blocks'>, path: string, indent: string): string[] {
  const block = blocks.get(path)
  if (block === undefined) return []
  const result = block.outcome === null ? '…' : goalTitle(block.outcome.result)
  return [
    `${indent}${goalTitle(block.goal)}: ${result}`,
    ...block.children.flatMap((child) => linesOf({ blocks }, child, `${indent}  `)),
  ]
}
