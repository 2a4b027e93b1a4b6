/** The children of a block as items of a form. */
import { type Event, goalIntent, type Outcome, parentPath } from '../protocol/index.ts'
import { strategyName } from './block-views.ts'
import type { FormItem, ItemState } from './form.ts'
import { reasonInWords, resultInWords } from './reason-words.ts'
import { withoutFences } from './without-fences.ts'
import type { Lang } from './words.ts'

export interface Child extends Extract<Event, { type: 'block-start' }> {
  readonly outcome: Outcome | null
}

/** In order of their start. */
export function childrenIn(journal: readonly Event[], path: string): readonly Child[] {
  const children = new Map<string, Child>()
  for (const event of journal) {
    if (event.type === 'block-start' && parentPath(event.path) === path)
      children.set(event.path, { ...event, outcome: null })
    const child = event.type === 'block-end' ? children.get(event.path) : undefined
    if (child !== undefined && event.type === 'block-end')
      children.set(event.path, { ...child, outcome: event.outcome })
  }
  return [...children.values()]
}

/** With the strategy as a tag where it is another than its parent's. */
export function childItem({ path, goal, strategy, outcome }: Child, own: string, lang: Lang): FormItem {
  const name = strategyName(strategy)
  return {
    text: goalIntent(goal),
    state: outcome === null ? 'active' : STATES[outcome.status],
    label: path,
    block: path,
    ...(name !== own && { tags: [name] }),
    ...(outcome !== null && { note: noteOf(outcome, lang) }),
  }
}

const STATES: Readonly<Record<Outcome['status'], ItemState>> = {
  completed: 'done',
  partial: 'doubt',
  skipped: 'skipped',
  failed: 'failed',
  cancelled: 'failed',
}

function noteOf({ status, result, reason = '', code }: Outcome, lang: Lang): string {
  const why = status === 'completed' ? '' : reasonInWords(reason, lang, code)
  return [why, withoutFences(resultInWords(result, lang))].filter((part) => part !== '').join('\n')
}
