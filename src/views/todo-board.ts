/** The form of a block that has a plan and children, and nothing else: what is to do, what is being done, what is done. */
import type { Todo } from '../protocol/index.ts'
import { strategyName } from './block-views.ts'
import { childItem, childrenIn } from './child-items.ts'
import type { Form, FormItem } from './form.ts'
import type { ShownBlock } from './strategy-view.ts'
import type { Lang } from './words.ts'

const WORDS = {
  en: {
    todo: 'To do',
    planned: 'Only planned',
    doing: 'Doing',
    done: 'Done',
    caption: (done: number, todo: number) => (todo === 0 ? `${done} done` : `${done} done · ${todo} to do`),
  },
  zh: {
    todo: '待办',
    planned: '仅在计划中',
    doing: '进行中',
    done: '已完成',
    caption: (done: number, todo: number) =>
      todo === 0 ? `已完成 ${done}` : `已完成 ${done} · 待办 ${todo}`,
  },
}

export function todoBoard({ path, journal }: ShownBlock, lang: Lang): Form | null {
  const words = WORDS[lang]
  let todo: Todo = []
  let strategy = ''
  let hasEnded = false
  for (const event of journal) {
    if (event.path !== path) continue
    if (event.type === 'block-start') strategy = strategyName(event.strategy)
    if (event.type === 'todo-set') todo = event.todo
    if (event.type === 'block-end') hasEnded = true
  }
  const children = childrenIn(journal, path).map((child) => childItem(child, strategy, lang))
  const done = children.filter(({ state }) => state !== 'active')
  // A plan may be kept as it was made: what a child was begun for is no longer to do.
  const begun = new Set(children.map(({ text }) => text.trim()))
  const left = todoItems(todo).filter(({ text }) => !begun.has(text))
  if (children.length === 0 && left.length === 0) return null
  const columns = [
    hasEnded
      ? { title: words.planned, items: left.map((item) => ({ ...item, state: 'plain' as const })) }
      : { title: words.todo, items: left },
    { title: words.doing, items: children.filter(({ state }) => state === 'active') },
    { title: words.done, items: done },
  ]
  return {
    caption: words.caption(done.length, hasEnded ? 0 : left.length),
    parts: [{ kind: 'board', columns: columns.filter(({ items }) => !hasEnded || items.length > 0) }],
  }
}

/** A plan that is one text has an item in each line. */
export function todoItems(todo: Todo): readonly FormItem[] {
  const lines = typeof todo === 'string' ? todo.split('\n') : todo
  return lines
    .map((line) => line.replace(BULLET, '').trim())
    .filter((line) => line !== '')
    .map((text) => ({ text, state: 'todo' }))
}

const BULLET = /^\s*(?:[-*•]|\[[ x]\]|\d+[.)、])\s+/u
