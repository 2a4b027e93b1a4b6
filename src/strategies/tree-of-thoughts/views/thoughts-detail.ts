/** What is shown of a search below its block's row, and told in a pipe. */
import type { EventOf } from '../../../protocol/index.ts'
import { type Line, type Segment, segment, type Tone } from '../../../views/line.ts'
import type { Look } from '../../../views/picture.ts'
import type { Detail, DetailOptions } from '../../../views/strategy-view.ts'
import { cleanLine, fitText } from '../../../views/text-width.ts'
import type { Lang } from '../../../views/words.ts'
import type { TotNotes } from '../notes.ts'
import { foldThought } from './fold-thoughts.ts'
import { lookOf } from './thought-picture.ts'
import { bestPathOf, bestScoreOf, emptySearch, type Thought, type ThoughtSearch } from './thought-tree.ts'
import { scoreText, TREE_WORDS, type TreeWords } from './tree-words.ts'

export function thoughtsDetail(path: string, problem: string): Detail {
  const search = emptySearch(path, problem)
  return {
    follow: (event) => foldThought(search, event),
    lines: (options) => thoughtLines(search, options),
    news: (event, lang) => newsOf(search, event, lang),
  }
}

/** The growing tree in a few lines of a terminal: the best path, then the best of the rest. */
function thoughtLines(search: ThoughtSearch, { width, maxLines, lang }: DetailOptions): Line[] {
  const { thoughts, rootId } = search
  if (thoughts.size < 2 || maxLines < 1) return []
  const words = TREE_WORDS[lang]
  const head: Line = [segment(fitText(headText(search, words), width), 'dim')]
  const best = new Set(bestPathOf(search))
  const all = [...thoughts.values()].filter(({ node }) => node.id !== rootId)
  const room = maxLines - 1
  const shown =
    all.length <= room ? new Set(all.map(({ node }) => node.id)) : pick(search, best, all, room - 1)
  const lines: Line[] = [head]
  const addBelow = (id: string, level: number) => {
    const below = (thoughts.get(id)?.node.children_ids ?? []).flatMap((child) => thoughts.get(child) ?? [])
    for (const thought of below.sort((a, b) => weightOf(b, best) - weightOf(a, best))) {
      if (!shown.has(thought.node.id)) continue
      lines.push(thoughtLine(thought, search, best, level, width))
      addBelow(thought.node.id, level + 1)
    }
  }
  addBelow(rootId, 0)
  const hidden = all.filter(({ node }) => !shown.has(node.id))
  if (hidden.length > 0 && lines.length < maxLines)
    lines.push([segment(moreText(hidden, words, width), 'dim')])
  return lines
}

function headText(search: ThoughtSearch, words: TreeWords): string {
  const { config, round, thoughts, backtracks } = search
  const pruned = [...thoughts.values()].filter(isCut).length
  const score = bestScoreOf(search)
  const parts = [
    config?.strategy ?? '',
    round > 0 ? words.round(round) : '',
    words.thoughts(thoughts.size - 1),
    pruned > 0 ? words.pruned(pruned) : '',
    backtracks > 0 ? words.backtracks(backtracks) : '',
    score === null ? '' : words.best(scoreText(score)),
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

function moreText(hidden: readonly Thought[], words: TreeWords, width: number): string {
  const pruned = hidden.filter(isCut).length
  return fitText(`… ${words.more(hidden.length)}${pruned === 0 ? '' : ` (${words.pruned(pruned)})`}`, width)
}

/** The weightiest with all above them. */
function pick(
  { thoughts, rootId }: ThoughtSearch,
  best: ReadonlySet<string>,
  all: readonly Thought[],
  room: number,
): ReadonlySet<string> {
  const shown = new Set<string>()
  for (const thought of [...all].sort((a, b) => weightOf(b, best) - weightOf(a, best))) {
    const way: string[] = []
    for (let at: Thought | undefined = thought; at && at.node.id !== rootId && !shown.has(at.node.id); ) {
      way.push(at.node.id)
      at = thoughts.get(at.node.parent_id ?? '')
    }
    if (shown.size + way.length <= room) for (const id of way) shown.add(id)
    if (shown.size >= room) break
  }
  return shown
}

function weightOf(thought: Thought, best: ReadonlySet<string>): number {
  const { node, verified } = thought
  const score = node.evaluation?.score ?? 5
  if (best.has(node.id)) return 1_000 - node.depth
  if (verified === true) return 500 + score
  if (thought.mergedInto !== null) return 0
  return (isCut(thought) ? 10 : 100) + score
}

/** An answer that a program found wrong is as good as pruned. */
function isCut({ node, mergedInto, verified }: Thought): boolean {
  return node.status === 'pruned' || mergedInto !== null || verified === false
}

function thoughtLine(
  thought: Thought,
  { thoughts }: ThoughtSearch,
  best: ReadonlySet<string>,
  level: number,
  width: number,
): Line {
  const { node, verified, mergedInto } = thought
  const [mark, tone] = MARKS[lookOf(thought, best)] ?? ['·', node.evaluation === null ? 'active' : 'plain']
  const score = node.evaluation === null ? '' : scoreText(node.evaluation.score)
  const same =
    mergedInto === null ? '' : ` ≡ ${cleanLine(thoughts.get(mergedInto)?.node.content ?? mergedInto)}`
  const head = `${mark} ${score.padStart(4)} ${verified === true ? '✓' : ' '} ${'  '.repeat(Math.min(level, 12))}`
  const room = Math.max(0, width - head.length)
  return [segment(head, tone), segment(fitText(`${cleanLine(node.content)}${same}`, room), tone)]
}

const MARKS: Partial<Record<Look, [mark: string, tone: Tone]>> = {
  best: ['★', 'good'],
  merged: ['≡', 'dim'],
  pruned: ['×', 'dim'],
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
  'tot/trees-voted': ({ answers, elected }, _, words) =>
    segment(words.elected(answers.length, cleanLine(answers[elected]?.answer ?? '', 200)), 'good'),
  'tot/adjusted': ({ error, change }) => segment(`${error.code}: ${cleanLine(change, 200)}`, 'warn'),
}

function newsOf(search: ThoughtSearch, event: EventOf<'note'>, lang: Lang): readonly Segment[] | null {
  const make = NEWS[event.name as keyof TotNotes]
  const news = make?.(event.data as never, search, TREE_WORDS[lang]) ?? null
  return news === null ? null : [news]
}
