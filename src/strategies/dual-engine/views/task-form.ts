/** A coordinator as the board of its tasks, with its plan and its reviews; a task as what its loop did. */
import type { Event } from '../../../protocol/index.ts'
import type { Form, FormItem, FormList, ItemState } from '../../../views/form.ts'
import type { ShownBlock } from '../../../views/strategy-view.ts'
import type { Lang } from '../../../views/words.ts'
import { noteIn } from '../notes.ts'
import { loopForm } from './loop-form.ts'
import { type Node, saidOf, stateOf, survey } from './task-nodes.ts'
import { planOf, type TaskPlan } from './task-plan.ts'
import { tallyText } from './task-progress.ts'
import { TASK_WORDS, type TaskState, type TaskWords } from './task-words.ts'

export function taskForm({ path, journal }: ShownBlock, lang: Lang): Form | null {
  const plan = planOf(journal, path)
  if (plan.root === null) return loopForm({ path, journal }, lang)
  const words = TASK_WORDS[lang]
  const nodes = survey(plan.root)
  const leaves = nodes.filter(({ below, depth }) => below.length === 0 && depth > 0)
  const blocks = new Map([...plan.taskOf].map(([block, index]) => [index, block]))
  const columns = COLUMNS.map((states) => ({
    title: states.map((state) => words.states[state]).join(' · '),
    items: leaves
      .filter((node) => states.includes(stateOf(node)))
      .map((node) => leafItem(node, plan, blocks, words)),
  }))
  const isNested = nodes.some(({ depth }) => depth > 1)
  const [top] = nodes
  const whole: FormList = {
    kind: 'list',
    title: words.planOf(plan.root.name),
    items: isNested ? (top?.below ?? []).map((node) => treeItem(node, words)) : [],
  }
  const reviews: FormList = { kind: 'list', title: words.reviews, items: reviewItems(journal, path, words) }
  return {
    caption: tallyText((top as Node).tally, words),
    parts: [{ kind: 'board', columns }, ...[whole, reviews].filter(({ items }) => items.length > 0)],
  }
}

const COLUMNS: readonly (readonly TaskState[])[] = [
  ['notStarted'],
  ['executing'],
  ['finished'],
  ['skipped', 'aborted'],
]

const STATES: Readonly<Record<TaskState, ItemState>> = {
  notStarted: 'todo',
  executing: 'active',
  partly: 'active',
  finished: 'done',
  skipped: 'skipped',
  aborted: 'failed',
}

function leafItem(
  node: Node,
  { byId, byIndex }: TaskPlan,
  blocks: ReadonlyMap<string, string>,
  words: TaskWords,
): FormItem {
  const { task, parent } = node
  const needs = (byIndex.get(task.index)?.depends_on ?? []).flatMap((id) => byId.get(id)?.index ?? [])
  const block = blocks.get(task.index)
  const note = saidOf(task, stateOf(node)) || task.goal
  const tags = [
    ...(parent !== null && parent.depth > 0 ? [parent.task.name] : []),
    ...(task.attempt > 1 ? [words.attempt(task.attempt)] : []),
  ]
  return {
    text: task.name,
    label: task.index,
    state: STATES[stateOf(node)],
    note,
    ...(tags.length > 0 && { tags }),
    ...(needs.length > 0 && { needs }),
    ...(block !== undefined && { block }),
  }
}

function treeItem(node: Node, words: TaskWords): FormItem {
  const { task, below, tally } = node
  const all = Object.values(tally).reduce((sum, n) => sum + n, 0)
  return {
    text: task.name,
    label: task.index,
    state: STATES[stateOf(node)],
    ...(below.length > 0 && {
      progress: all === 0 ? 0 : (tally.finished + tally.skipped) / all,
      tags: [tallyText(tally, words)],
      items: below.map((one) => treeItem(one, words)),
    }),
  }
}

function reviewItems(journal: readonly Event[], path: string, words: TaskWords): FormItem[] {
  return journal.flatMap((event): FormItem[] => {
    const note = event.path === path ? noteIn(event) : null
    if (note?.name === 'dual/plan-reviewed') {
      const { choice } = note.data
      const said = 'words' in note.data ? note.data.words : ''
      return [reviewItem(words.plan, choice, said, words)]
    }
    if (note?.name === 'dual/task-reviewed') {
      const { choice, index } = note.data
      return [
        reviewItem(`${words.task} ${index}`, choice, 'words' in note.data ? note.data.words : '', words),
      ]
    }
    if (note?.name === 'dual/risk-judged') {
      const { what, risk, reason } = note.data
      return [{ text: words.risk(what), state: 'plain', tags: [String(risk)], note: reason }]
    }
    return []
  })
}

function reviewItem(what: string, choice: string, said: string, words: TaskWords): FormItem {
  return {
    text: what,
    state: choice === 'continue' ? 'done' : choice === 'end' ? 'failed' : 'doubt',
    tags: [words.choices[choice] ?? choice],
    ...(said !== '' && { note: said }),
  }
}
