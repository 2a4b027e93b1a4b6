/** What is shown of a search below its block's row, and told in a pipe. */
import type { EventOf } from '../../../protocol/index.ts'
import { type Segment, segment } from '../../../views/line.ts'
import type { Detail } from '../../../views/strategy-view.ts'
import { cleanLine } from '../../../views/text-width.ts'
import type { Lang } from '../../../views/words.ts'
import type { TotNotes } from '../notes.ts'
import { foldThought } from './fold-thoughts.ts'
import { thoughtLines } from './thought-lines.ts'
import { emptySearch, type ThoughtSearch } from './thought-tree.ts'
import { scoreText, type TreeWords, treeWords } from './tree-words.ts'

export function thoughtsDetail(path: string, problem: string): Detail {
  const search = emptySearch(path, problem)
  return {
    follow: (event) => foldThought(search, event),
    lines: (options) => thoughtLines(search, options),
    news: (event, lang) => newsOf(search, event, lang),
  }
}

type News = {
  [K in keyof TotNotes]?: (data: TotNotes[K], search: ThoughtSearch, words: TreeWords) => Segment | null
}

const NEWS: News = {
  'tot/layer-selected'({ round, depth, kept = [], pruned = [], merged = [] }, search, words) {
    // A wider search goes through layers again that it need not expand: nothing is new in them.
    if (depth !== search.depth) return null
    const { thoughts } = search
    // Answers that a program refuted are candidates, too, and neither kept nor pruned.
    const refuted = [...thoughts.values()].filter(
      (thought) => thought.verified === false && thought.round === round && thought.node.depth === depth,
    )
    const layer = [...kept, ...pruned, ...merged.map(({ id }) => id), ...refuted.map(({ node }) => node.id)]
    const scores = layer.flatMap((id) => thoughts.get(id)?.node.evaluation?.score ?? [])
    const best = scores.length === 0 ? null : scoreText(scores.reduce((a, b) => Math.max(a, b)))
    return segment(words.layer(round, new Set(layer).size, best, kept.length))
  },
  'tot/solution-verified': ({ is_valid, answer = '' }, _, words) =>
    is_valid ? segment(`✓ ${words.verified(cleanLine(answer, 200))}`, 'good') : null,
  'tot/adjusted': ({ error, change }, _, words) =>
    segment(words.adjusted(error.code, cleanLine(change, 200)), 'warn'),
}

function newsOf(search: ThoughtSearch, event: EventOf<'note'>, lang: Lang): readonly Segment[] | null {
  const make = NEWS[event.name as keyof TotNotes]
  const news = make?.(event.data as never, search, treeWords(lang)) ?? null
  return news === null ? null : [news]
}
