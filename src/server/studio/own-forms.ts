/** The forms of blocks whose strategies do not ship, at every event that can change them: what a page without their code is given. */
import { type Event, errorText, isInside } from '../../protocol/index.ts'
import { SHIPPED_VIEWS } from '../../strategies/shipped-views.ts'
import { blockForm } from '../../views/block-form.ts'
import type { StrategyViews } from '../../views/block-views.ts'
import type { FormProblem, SharedForm, SharedRun } from '../../views/shared-run.ts'
import type { Lang } from '../../views/words.ts'

/** Each form is made of the whole journal up to it. In runs with more, blocks have forms at some of their events, and at the last. */
const MOST_FORMS = 2_000

export function ownForms(events: readonly Event[], views: StrategyViews): SharedRun['forms'] {
  const blocks = events.filter((event) => event.type === 'block-start').filter(isOwn)
  const most = Math.max(1, Math.floor(MOST_FORMS / Math.max(1, blocks.length)))
  return Object.fromEntries(blocks.map(({ path }) => [path, formsOf(path, events, views, most)]))
}

function isOwn({ strategy }: { strategy: string }): boolean {
  return !SHIPPED_VIEWS.has(strategy.replace(/@[^@]*$/, ''))
}

function formsOf(
  path: string,
  events: readonly Event[],
  views: StrategyViews,
  most: number,
): readonly SharedForm[] {
  const seqs = events.filter((event) => isInside(event.path, path)).map(({ seq }) => seq)
  const step = Math.ceil(seqs.length / most)
  const forms: SharedForm[] = []
  for (const from of seqs.filter((_, at) => at % step === 0 || at === seqs.length - 1)) {
    const journal = events.slice(0, from)
    const form = { en: formIn('en'), zh: formIn('zh') }
    if (JSON.stringify(form) !== JSON.stringify(forms.at(-1)?.in)) forms.push({ from, in: form })

    function formIn(lang: Lang): SharedForm['in'][Lang] {
      try {
        return blockForm(journal, views, { path, lang })
      } catch (error) {
        return { problem: errorText(error) } satisfies FormProblem
      }
    }
  }
  return forms
}
