/** The loop of a task: one action after another, what was thought and what came of it. */
import type { Form, FormItem } from '../../../views/form.ts'
import type { ShownBlock } from '../../../views/strategy-view.ts'
import type { Lang } from '../../../views/words.ts'
import { type DualNote, type DualNotes, noteIn } from '../notes.ts'
import { TASK_WORDS, type TaskWords } from './task-words.ts'

export function loopForm({ path, journal }: ShownBlock, lang: Lang): Form | null {
  const words = TASK_WORDS[lang]
  const items: FormItem[] = []
  for (const event of journal) {
    const note = event.path === path ? noteIn(event) : null
    if (note?.name === 'dual/action-ended') endLast(items, note.data)
    else if (note !== null) items.push(...itemsOf(note, words))
  }
  if (items.length === 0) return null
  const actions = items.filter(({ tags = [] }) => tags.length > 0 && !tags.includes(words.reflection))
  return { caption: words.actions(actions.length), parts: [{ kind: 'list', title: words.loop, items }] }
}

function itemsOf({ name, data }: DualNote, words: TaskWords): FormItem[] {
  switch (name) {
    case 'dual/action-begun': {
      const { iteration, action, thought } = data
      return [{ text: thought || action, label: String(iteration), state: 'active', tags: [action] }]
    }
    case 'dual/action-refused':
      return [{ text: data.problem, label: String(data.iteration), state: 'doubt' }]
    case 'dual/loop-reflected': {
      const { iteration, spinning, advice } = data
      if (!advice) return []
      const state = spinning ? 'doubt' : 'plain'
      return [{ text: advice, label: String(iteration), state, tags: [words.reflection] }]
    }
    default:
      return []
  }
}

function endLast(items: FormItem[], { failed, about }: DualNotes['dual/action-ended']): void {
  const at = items.findLastIndex(({ state }) => state === 'active')
  const begun = items[at]
  if (begun !== undefined) items[at] = { ...begun, state: failed ? 'failed' : 'done', note: about }
}
