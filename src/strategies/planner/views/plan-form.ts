/** A block of the planner: how the two gates judged it, its hypotheses or steps, what executors did and what was observed. */
import { type Event, isObject, type Todo } from '../../../protocol/index.ts'
import { childItem, childrenIn } from '../../../views/child-items.ts'
import type { Form, FormItem, FormList, ItemState } from '../../../views/form.ts'
import type { ShownBlock } from '../../../views/strategy-view.ts'
import { todoItems } from '../../../views/todo-board.ts'
import type { Lang } from '../../../views/words.ts'
import type { Observation, PlannerNotes } from '../notes.ts'
import type { ExecutorCall, Hypothesis, PlanType, Start } from '../schema.ts'
import { FORM_WORDS, type FormWords } from './form-words.ts'

type Judged = PlannerNotes['planner/probe-judged']

/** What the journal says of a block. */
interface PlanBlock {
  start: Partial<Start>
  todo: Todo
  /** Every item that a plan of it ever had. */
  readonly items: Set<string>
  readonly verdicts: Map<string, Judged>
  readonly calls: PlannerNotes['planner/call-executed'][]
  readonly refused: string[]
  hasEnded: boolean
}

export function planForm({ path, journal }: ShownBlock, lang: Lang): Form | null {
  const words = FORM_WORDS[lang]
  const block = blockIn(journal, path)
  const children = childrenIn(journal, path).map((child) => {
    const item = childItem(child, 'planner', lang)
    const type = startOf(child.options).plan_type
    return {
      ...item,
      // The sections of a report, without their marks: it is shown as text.
      ...(item.note !== undefined && { note: item.note.replace(/^### /gm, '') }),
      ...(type !== undefined && { tags: [...(item.tags ?? []), words.types[type]] }),
    }
  })
  const isProbing = block.start.plan_type === 'PLAN_PROBES'
  const lists: FormList[] = [
    { kind: 'list', title: words.gates, items: gates(block.start.plan_type, words) },
    { kind: 'list', title: words.hypotheses, items: isProbing ? hypotheses(block, words) : [] },
    { kind: 'list', title: words.children, items: children },
    { kind: 'list', title: words.steps, items: isProbing ? [] : todoItems(block.todo) },
    { kind: 'list', title: words.executor, items: executions(block, words) },
    { kind: 'list', title: words.refused, items: block.refused.map((text) => ({ text, state: 'doubt' })) },
  ]
  const parts = lists.filter(({ items }) => items.length > 0)
  if (parts.length === 0) return null
  const { plan_type, success_signal } = block.start
  const caption = [
    plan_type === undefined ? words.root : words.types[plan_type],
    ...(success_signal ? [`${words.success}: ${success_signal}`] : []),
  ]
  return { caption: caption.join(' · '), parts }
}

function blockIn(journal: readonly Event[], path: string): PlanBlock {
  const block: PlanBlock = {
    start: {},
    todo: [],
    items: new Set(),
    verdicts: new Map(),
    calls: [],
    refused: [],
    hasEnded: false,
  }
  for (const event of journal) if (event.path === path) fold(block, event)
  return block
}

function fold(block: PlanBlock, event: Event): void {
  if (event.type === 'block-start') block.start = startOf(event.options)
  if (event.type === 'block-end') block.hasEnded = true
  if (event.type === 'todo-set') {
    block.todo = event.todo
    for (const item of typeof event.todo === 'string' ? [event.todo] : event.todo) {
      block.items.add(item)
      // What a plan takes up again is to be judged again.
      block.verdicts.delete(item)
    }
  }
  if (event.type !== 'note' || !isObject(event.data)) return
  if (event.name === 'planner/probe-judged') {
    const judged = event.data as unknown as Judged
    block.verdicts.set(judged.hypothesis, judged)
  }
  if (event.name === 'planner/call-executed')
    block.calls.push(event.data as unknown as PlannerNotes['planner/call-executed'])
  if (event.name === 'planner/reply-refused') {
    const { told } = event.data as Partial<PlannerNotes['planner/reply-refused']>
    block.refused.push(...(Array.isArray(told) ? told.map(String) : []))
  }
}

function startOf(options: unknown): Partial<Start> {
  const { start } = (options ?? {}) as { start?: unknown }
  return isObject(start) ? (start as Partial<Start>) : {}
}

/** The second gate is asked only behind the first. */
function gates(type: PlanType | undefined, words: FormWords): FormItem[] {
  if (type === undefined) return []
  const hasGap = type === 'PLAN_PROBES'
  const first: FormItem = {
    label: '1',
    text: words.gap,
    state: hasGap ? 'doubt' : 'done',
    note: hasGap ? words.hasGap : words.noGap,
  }
  const isAtomic = type === 'EXECUTE'
  const second: FormItem = hasGap
    ? { label: '2', text: words.atomic, state: 'skipped', note: words.notAsked }
    : { label: '2', text: words.atomic, state: 'done', note: isAtomic ? words.isAtomic : words.notAtomic }
  return [first, second]
}

function hypotheses({ start, todo, items, verdicts }: PlanBlock, words: FormWords): FormItem[] {
  const open = new Set(typeof todo === 'string' ? [todo] : todo)
  const all = new Set([...(Array.isArray(start.plan) ? start.plan : []), ...items])
  return [...all]
    .filter((text) => text !== '')
    .map((text) => {
      const { verdict, evidence = '' } = verdicts.get(text) ?? {}
      const state = verdict ?? (open.has(text) ? 'open' : 'tested')
      return {
        text,
        state: PROBE_STATES[state] ?? 'plain',
        tags: [words.probes[state]],
        ...(evidence !== '' && { note: evidence }),
      }
    })
}

const PROBE_STATES: Readonly<Record<Hypothesis['state'], ItemState>> = {
  open: 'todo',
  tested: 'active',
  confirmed: 'done',
  refuted: 'failed',
  undecided: 'doubt',
}

function executions({ start, calls, hasEnded }: PlanBlock, words: FormWords): FormItem[] {
  const made = calls.map(
    ({ command, ok, observed }): FormItem => ({
      text: command,
      state: ok ? 'done' : 'failed',
      ...(isObject(start.executor_call) && inputsNote(start.executor_call)),
      items: (Array.isArray(observed) ? observed : []).map((one) => observation(one, words)),
    }),
  )
  const planned = start.executor_call
  if (made.length > 0 || !isObject(planned)) return made
  const { command, expected_observations: expected } = planned
  return [
    {
      text: String(command),
      state: hasEnded ? 'failed' : 'active',
      ...inputsNote(planned),
      items: (Array.isArray(expected) ? expected : []).map((text) => ({ text: String(text), state: 'todo' })),
    },
  ]
}

function inputsNote({ inputs }: ExecutorCall): Pick<FormItem, 'note'> {
  return isObject(inputs) && Object.keys(inputs).length > 0 ? { note: JSON.stringify(inputs) } : {}
}

function observation({ observation: text, verdict, evidence }: Observation, words: FormWords): FormItem {
  return {
    text,
    state: OBSERVED[verdict] ?? 'plain',
    tags: [words.observed[verdict] ?? verdict],
    ...(evidence && { note: evidence }),
  }
}

const OBSERVED: Readonly<Record<Observation['verdict'], ItemState>> = {
  met: 'done',
  unmet: 'failed',
  unknown: 'doubt',
}
