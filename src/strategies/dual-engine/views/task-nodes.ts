/**
 * The tree of a plan, as its progress is drawn: which tasks are shown where there is not room for all. The way to the current task
 * comes first, then what is executing, what was aborted, and the current task's siblings, nearest first; the rest is folded.
 */
import type { Task } from '../notes.ts'
import type { TaskState } from './task-words.ts'

/** What the progress shows of a task. */
export interface ProgressTask
  extends Readonly<Pick<Task, ShownField> & Partial<Pick<Task, 'id' | 'depends_on'>>> {
  readonly subtasks: readonly ProgressTask[]
}

type ShownField =
  | ('index' | 'name' | 'goal' | 'status' | 'attempt')
  | ('status_summary' | 'task_summary' | 'reason')

/** How many leaves are in each state: only leaves are executed. */
export type Tally = Record<Exclude<TaskState, 'partly'>, number>

export interface Node {
  readonly task: ProgressTask
  readonly parent: Node | null
  readonly depth: number
  readonly below: Node[]
  readonly tally: Tally
}

/** In depth-first order. */
export function survey(root: ProgressTask): Node[] {
  const nodes: Node[] = []
  const stack: Node[] = [newNode(root, null)]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    nodes.push(node)
    for (const task of node.task.subtasks) node.below.push(newNode(task, node))
    for (const below of node.below.toReversed()) stack.push(below)
  }
  for (const { task, parent, below, tally } of nodes.toReversed()) {
    if (below.length === 0) tally[STATES[task.status]]++
    if (parent !== null) addTally(parent.tally, tally)
  }
  return nodes
}

const STATES: Readonly<Record<ProgressTask['status'], keyof Tally>> = {
  created: 'notStarted',
  queueing: 'notStarted',
  processing: 'executing',
  completed: 'finished',
  aborted: 'aborted',
  skipped: 'skipped',
}

function newNode(task: ProgressTask, parent: Node | null): Node {
  return { task, parent, depth: parent === null ? 0 : parent.depth + 1, below: [], tally: noTally() }
}

export function noTally(): Tally {
  return { finished: 0, skipped: 0, aborted: 0, executing: 0, notStarted: 0 }
}

export function addTally(to: Tally, more: Tally): void {
  for (const state of Object.keys(to) as (keyof Tally)[]) to[state] += more[state]
}

/** A parent's state is that of the tasks below it, unless its own status says more. */
export function stateOf({ task, below, tally }: Node): TaskState {
  const own = STATES[task.status]
  if (below.length === 0 || own !== 'notStarted') return own
  if (tally.notStarted + tally.executing === 0) return tally.aborted > 0 ? 'aborted' : 'finished'
  if (tally.finished + tally.skipped + tally.aborted > 0) return 'partly'
  return tally.executing > 0 ? 'executing' : 'notStarted'
}

/** What matters most first, within the room for its lines. A task is shown with all that it is part of. */
export function choose(
  nodes: readonly Node[],
  current: Node | null,
  room: number,
  costOf: (node: Node) => number,
): Set<Node> {
  const shown = new Set<Node>()
  let left = room
  for (const node of missingWay(current ?? (nodes[0] as Node), shown)) {
    shown.add(node)
    left -= costOf(node)
  }
  const show = (wanted: Iterable<Node>, share: number): void => {
    const least = left - left * share
    for (const node of wanted) {
      const way = missingWay(node, shown)
      const cost = way.reduce((sum, one) => sum + costOf(one), 0)
      if (left - cost < least) return
      for (const one of way) shown.add(one)
      left -= cost
    }
  }
  show(leavesThat(nodes, 'processing'), 1 / 2)
  show(leavesThat(nodes, 'aborted'), 1 / 2)
  if (current !== null) show(siblingsOf(current), 1)
  show(breadthFirst(nodes[0] as Node), 1)
  return shown
}

function missingWay(node: Node, shown: ReadonlySet<Node>): Node[] {
  const way: Node[] = []
  for (let at: Node | null = node; at !== null && !shown.has(at); at = at.parent) way.push(at)
  return way
}

function leavesThat(nodes: readonly Node[], status: ProgressTask['status']): Node[] {
  return nodes.filter(({ task, below }) => below.length === 0 && task.status === status)
}

/** The nearest first. */
function* siblingsOf(node: Node): Generator<Node> {
  const all = node.parent?.below ?? []
  const at = all.indexOf(node)
  for (let away = 1; away < all.length; away++) {
    for (const sibling of [all[at - away], all[at + away]]) if (sibling !== undefined) yield sibling
  }
}

function* breadthFirst(root: Node): Generator<Node> {
  const queue = [root]
  for (const node of queue) {
    yield node
    for (const child of node.below) queue.push(child)
  }
}

/** A row of the tree: a task, or a run of tasks beside each other that are not shown. */
interface TaskRow {
  /** Of a run: its first. */
  readonly node: Node
  readonly run: readonly Node[] | null
  /** What is below it is not shown. */
  readonly folded: boolean
}

export function rowsOf(root: Node, shown: ReadonlySet<Node>): TaskRow[] {
  const rows: TaskRow[] = []
  const stack: Omit<TaskRow, 'folded'>[] = [{ node: root, run: null }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, run } = next
    const below = run === null ? rowsBelow(node, shown) : []
    rows.push({ node, run, folded: run === null && node.below.length > 0 && below.length === 0 })
    for (const row of below.reverse()) stack.push(row)
  }
  return rows
}

/** The sub-tasks that are shown, and each run of others between them; nothing when none is shown. */
function rowsBelow({ below }: Node, shown: ReadonlySet<Node>): { node: Node; run: Node[] | null }[] {
  const rows: { node: Node; run: Node[] | null }[] = []
  for (const node of below) {
    const run = rows.at(-1)?.run
    if (shown.has(node)) rows.push({ node, run: null })
    else if (run) run.push(node)
    else rows.push({ node, run: [node] })
  }
  return rows.some(({ run }) => run === null) ? rows : []
}

/** What is said of a task in its state: its result, what it does, or why it ended early. */
export function saidOf(
  { task_summary, status_summary, reason = '' }: ProgressTask,
  state: TaskState,
): string {
  if (state === 'finished') return task_summary
  if (state === 'executing') return status_summary
  return state === 'skipped' || state === 'aborted' ? reason : ''
}
