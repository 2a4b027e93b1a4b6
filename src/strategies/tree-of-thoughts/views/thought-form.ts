/** A search as its tree of thoughts; of several trees, also which answer was elected. */
import { type Event, isObject } from '../../../protocol/index.ts'
import type { Form, FormList } from '../../../views/form.ts'
import type { ShownBlock } from '../../../views/strategy-view.ts'
import type { Lang } from '../../../views/words.ts'
import type { TotNotes } from '../notes.ts'
import { foldThoughts } from './fold-thoughts.ts'
import { thoughtPicture } from './thought-picture.ts'
import { bestScoreOf } from './thought-tree.ts'
import { scoreText, TREE_WORDS } from './tree-words.ts'

export function thoughtForm({ path, journal }: ShownBlock, lang: Lang): Form | null {
  const search = foldThoughts(journal, path)
  const votes = journal.flatMap((event) => (event.path === path ? votesIn(event, lang) : []))
  if (search.thoughts.size === 0) return votes.length === 0 ? null : { caption: '', parts: votes }
  const picture = thoughtPicture(search, lang)
  const best = bestScoreOf(search)
  const caption = [picture.caption, ...(best === null ? [] : [TREE_WORDS[lang].best(scoreText(best))])]
  return { caption: caption.join(' · '), parts: [{ kind: 'tree', picture }, ...votes] }
}

function votesIn(event: Event, lang: Lang): FormList[] {
  if (event.type !== 'note' || event.name !== 'tot/trees-voted' || !isObject(event.data)) return []
  const { answers = [], elected } = event.data as Partial<TotNotes['tot/trees-voted']>
  return [
    {
      kind: 'list',
      title: TREE_WORDS[lang].trees,
      items: answers.map(({ status, answer }, i) => ({
        text: answer === '' ? status : answer,
        label: String(i + 1),
        state: i === elected ? 'done' : status === 'failed' ? 'failed' : 'plain',
        ...(i === elected && { tags: [TREE_WORDS[lang].isElected] }),
      })),
    },
  ]
}
