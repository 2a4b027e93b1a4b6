/** The form of a block, made by the view of its strategy. */
import { type Event, errorText, parentPath, ThinkonError } from '../protocol/index.ts'
import { createBlockViews, type StrategyViews } from './block-views.ts'
import { checkView } from './entrances.ts'
import type { Form } from './form.ts'
import { boundedForm } from './form-bounds.ts'
import type { Lang } from './words.ts'

export interface FormOptions {
  readonly path: string
  readonly lang: Lang
}

/**
 * The form of the block at `path` as the events tell it; of its last child where its strategy only hands on its goal. Null if its
 * strategy has none, or nothing to show yet.
 */
export function blockForm(events: Iterable<Event>, views: StrategyViews, options: FormOptions): Form | null {
  checkView('blockForm', [events, views, options])
  const { path: asked, lang } = options
  const journal = [...events]
  const blockViews = createBlockViews(views)
  const lastChild = new Map<string, string>()
  for (const event of journal) {
    blockViews.follow(event)
    if (event.type === 'block-start') lastChild.set(parentPath(event.path) ?? '', event.path)
  }
  let path = asked
  while (blockViews.of(path).handsOn && lastChild.has(path)) path = lastChild.get(path) as string
  try {
    const form = blockViews.of(path).form?.({ path, journal }, lang) ?? null
    return form === null ? null : boundedForm(form, lang)
  } catch (cause) {
    const message = `the strategy's view failed to make the form of block ${path}: ${errorText(cause)}`
    throw new ThinkonError('STRATEGY_ERROR', message, { cause })
  }
}
