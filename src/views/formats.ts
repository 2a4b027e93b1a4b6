/**
 * A run in a form that other programs draw or read: `thinkon show <run> --format <name>`. A tree search has its tree of
 * thoughts, a chain of thought its trace, any other block the tree of blocks below it.
 */
import { type Event, foldEvents, ROOT_PATH, type RunState, ThinkonError } from '../protocol/index.ts'
import { blockPicture, blockTree } from './formats/block-picture.ts'
import { dotText } from './formats/dot.ts'
import { blocksMarkdown, chainMarkdown, thoughtsMarkdown } from './formats/markdown.ts'
import { mermaidText } from './formats/mermaid.ts'
import { foldPicture, type Picture } from './formats/picture.ts'
import { pictureWords } from './formats/picture-words.ts'
import { svgText } from './formats/svg.ts'
import { thoughtPicture } from './formats/thought-picture.ts'
import { foldChains, type ThoughtChain } from './thought-chain.ts'
import { foldThoughts, type ThoughtSearch, treeOf } from './thought-tree.ts'
import type { Lang } from './words.ts'

export interface Shown {
  state: RunState
  /** The block that is shown. */
  path: string
  search: ThoughtSearch | undefined
  chain: ThoughtChain | undefined
  /** Other searches of the run, which `--path` would show. */
  others: readonly string[]
}

export const FORMATS = {
  mermaid: (shown, lang) => mermaidText(pictureOf(shown, lang)),
  dot: (shown, lang) => dotText(pictureOf(shown, lang)),
  svg: (shown, lang) => svgText(pictureOf(shown, lang), lang),
  json: ({ search, state, path }) =>
    JSON.stringify(search === undefined ? blockTree(state, path) : treeOf(search), null, 2),
  md(shown, lang) {
    const { state, path, search, chain } = shown
    if (chain !== undefined) return chainMarkdown(chain, lang)
    return search === undefined
      ? blocksMarkdown(state, path, lang)
      : thoughtsMarkdown(pictureOf(shown, lang), lang)
  },
} satisfies Record<string, (shown: Shown, lang: Lang) => string>

export type Format = keyof typeof FORMATS

/**
 * Without a path a picture is of the run's first search, and where there is none, like Markdown, of the whole run: of whom
 * `auto` chose, which adds nothing of its own.
 */
export function shownBlock(events: Iterable<Event>, format: Format, path?: string): Shown {
  const journal = [...events]
  const state = foldEvents(journal)
  const searches = foldThoughts(journal)
  const chosen = path ?? (format === 'md' ? undefined : searches.keys().next().value) ?? wholeRun(state)
  const others = [...searches.keys()].filter((other) => other !== chosen)
  if (path !== undefined && !state.blocks.has(path)) throw noBlock(state.run, path, others)
  const chain = foldChains(journal).get(chosen)
  return { state, path: chosen, search: searches.get(chosen), chain, others }
}

function wholeRun({ blocks }: RunState): string {
  const root = blocks.get(ROOT_PATH)
  const solver = root?.strategy.startsWith('auto@') ? root.children.at(-1) : undefined
  return solver ?? ROOT_PATH
}

function noBlock(run: string, path: string, searches: readonly string[]): ThinkonError {
  const has = searches.length === 0 ? '' : `; it has tree searches at ${searches.join(', ')}`
  const message = `run ${run} has no block ${path}${has}; thinkon show ${run} draws those it has`
  return new ThinkonError('BAD_INPUT', message, { data: { path, searches: [...searches] } })
}

function pictureOf({ state, path, search }: Shown, lang: Lang): Picture {
  const picture = search === undefined ? blockPicture(state, path, lang) : thoughtPicture(search, lang)
  return foldPicture(picture, pictureWords(lang).more)
}
