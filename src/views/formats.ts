/**
 * A run in a format that other programs draw or read: `thinkon show <run> --format <name>`. A block whose strategy implements the
 * format is shown that way, any other block as the tree of blocks below it.
 */

import {
  type Event,
  errorText,
  foldEvents,
  nearest,
  ROOT_PATH,
  type RunState,
  ThinkonError,
} from '../protocol/index.ts'
import { type BlockViews, createBlockViews, type StrategyViews } from './block-views.ts'
import { checkView } from './entrances.ts'
import { FORMATS } from './format-names.ts'
import { blockPicture, blockTree } from './formats/block-picture.ts'
import { dotText } from './formats/dot.ts'
import { blocksMarkdown, runEnding } from './formats/markdown.ts'
import { mermaidText } from './formats/mermaid.ts'
import { pictureWords } from './formats/picture-words.ts'
import { svgText } from './formats/svg.ts'
import { foldPicture, type Picture } from './picture.ts'
import type { ShownBlock, StrategyView } from './strategy-view.ts'
import type { Lang } from './words.ts'

export interface FormattedRun {
  readonly text: string
  readonly path: string
  /** Other blocks whose strategies implement this format; `--path` shows them. */
  readonly others: readonly string[]
}

export interface FormatOptions {
  readonly format: string
  /** The block to show. */
  readonly path?: string | undefined

  lang(state: RunState): Lang
}

const DRAWN: Readonly<Record<string, (picture: Picture, lang: Lang) => string>> = {
  mermaid: (picture) => mermaidText(picture),
  dot: (picture) => dotText(picture),
  svg: (picture, lang) => svgText(picture, lang),
}

export function formatRun(
  events: Iterable<Event>,
  views: StrategyViews,
  options: FormatOptions,
): FormattedRun {
  checkView('formatRun', [events, views, options])
  const { format, path, lang: chooseLang } = options
  checkFormat(format, views)
  const journal = [...events]
  const state = foldEvents(journal)
  const blockViews = createBlockViews(views)
  for (const event of journal) blockViews.follow(event)
  const lang = chooseLang(state)
  const special = [...state.blocks.keys()].filter((at) => hasOwn(blockViews.of(at), format))
  if (path !== undefined && !state.blocks.has(path)) throw noBlock(state.run, path, special)
  // Markdown shows the whole run; a picture shows the first block whose strategy draws one.
  const shown = path ?? (format === 'md' ? undefined : special[0]) ?? wholeRun(state, blockViews)
  const text =
    ownText({ path: shown, journal }, blockViews.of(shown), format, lang) ??
    commonText(state, shown, format, lang)
  // How it ended, and with which value, is the run's, whichever block is drawn for it.
  const ending = path === undefined && format === 'md' ? runEnding(state, shown, lang) : []
  return {
    text: [text, ...ending].join('\n'),
    path: shown,
    others: special.includes(shown) ? special.filter((other) => other !== shown) : [],
  }
}

function checkFormat(format: string, views: StrategyViews): void {
  const names = [
    ...new Set([...FORMATS, ...[...views.values()].flatMap((view) => Object.keys(view.formats ?? {}))]),
  ]
  if (names.includes(format)) return
  const meant = nearest(format, names)
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`
  throw new ThinkonError('BAD_INPUT', `--format must be one of ${names.join(', ')}, not "${format}"${hint}`)
}

function hasOwn({ picture, formats }: StrategyView, format: string): boolean {
  return format in DRAWN ? picture !== undefined : formats?.[format] !== undefined
}

/** The block as its strategy shows it; null if the strategy does not implement the format. */
function ownText(block: ShownBlock, view: StrategyView, format: string, lang: Lang): string | null {
  const draw = DRAWN[format]
  try {
    if (draw === undefined) return view.formats?.[format]?.(block, lang) ?? null
    const picture = view.picture?.(block, lang)
    return picture == null ? null : draw(folded(picture, lang), lang)
  } catch (cause) {
    const message = `the strategy's view failed to draw block ${block.path} as ${format}: ${errorText(cause)}`
    throw new ThinkonError('STRATEGY_ERROR', message, { cause })
  }
}

function commonText(state: RunState, path: string, format: string, lang: Lang): string {
  const draw = DRAWN[format]
  if (draw !== undefined) return draw(folded(blockPicture(state, path, lang), lang), lang)
  if (format === 'json') return JSON.stringify(blockTree(state, path), null, 2)
  if (format === 'md') return blocksMarkdown(state, path, lang)
  const message = `run ${state.run} has nothing in the format "${format}", which belongs to a strategy that it does not use`
  throw new ThinkonError('BAD_INPUT', message, { data: { format } })
}

function folded(picture: Picture, lang: Lang): Picture {
  return foldPicture(picture, pictureWords(lang).more)
}

/** A strategy that only hands on its goal has nothing to show: the run is drawn as its last child. */
function wholeRun({ blocks }: RunState, views: BlockViews): string {
  const solver = views.of(ROOT_PATH).handsOn ? blocks.get(ROOT_PATH)?.children.at(-1) : undefined
  return solver ?? ROOT_PATH
}

function noBlock(run: string, path: string, special: readonly string[]): ThinkonError {
  const has = special.length === 0 ? '' : `; blocks with a picture of their own: ${special.join(', ')}`
  const message = `run ${run} has no block ${path}${has}; thinkon show ${run} draws its blocks`
  return new ThinkonError('BAD_INPUT', message, { data: { path, searches: [...special] } })
}
