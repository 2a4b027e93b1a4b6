/**
 * Chooses the rows of a run's tree when there is room for only some. A tree of thousands of blocks is opened from the root
 * downwards: first where something is running, then the rest; what does not fit stays closed and shows how much it holds.
 */
import {
  accumulate,
  attemptOf,
  type BlockState,
  goalIntent,
  NO_USAGE,
  placeOf,
  type RunState,
  type Status,
  type Usage,
} from '../protocol/index.ts'

export interface Counts {
  blocks: number
  running: number
  waiting: number
  failed: number
  partial: number
}

export type Row = { guides: readonly boolean[]; last: boolean } & (
  | { kind: 'block'; block: BlockState; usage: Usage; hidden: Counts | null }
  /** Adjacent siblings that ended with the same status and did not fail. */
  | {
      kind: 'group'
      status: Status
      from: string
      to: string
      count: number
      usage: Usage
      hidden: Counts
    }
  /** An item of the plan without a child yet. */
  | { kind: 'todo'; text: string }
  | { kind: 'more'; hidden: Counts; todo: number }
)

type Item =
  | { kind: 'node'; node: Node }
  | { kind: 'group'; nodes: Node[] }
  | { kind: 'todo'; text: string }
  | { kind: 'more'; nodes: Node[]; todo: number }

interface Node {
  block: BlockState
  children: Node[]
  todo: readonly string[]
  /** Including all descendants. */
  counts: Counts
  usage: Usage
  alive: boolean
  /** Null while it is closed. */
  items: Item[] | null
}

/** `todoOf`: what is still to be done in a block; null if its plan says so. */
export function progressRows(
  state: RunState,
  maxRows: number,
  todoOf: (path: string) => readonly string[] | null = () => null,
): Row[] {
  const root = buildTree(state, todoOf)
  if (root === null) return []
  openFromTheTop(root, Math.max(1, maxRows))
  const rows: Row[] = []
  addRows(rows, root, [], true)
  return rows
}

function buildTree(state: RunState, todoOf: (path: string) => readonly string[] | null): Node | null {
  const nodes = new Map<string, Node>()
  for (const block of state.blocks.values()) {
    nodes.set(block.path, {
      block,
      children: [],
      todo: [],
      counts: { blocks: 1, running: 0, waiting: 0, failed: 0, partial: 0 },
      usage: { ...(block.outcome?.usage ?? block.usage) },
      alive: block.outcome === null,
      items: null,
    })
  }
  // Parents start before their children: in reverse order, each node is complete when it is added to its parent.
  let root: Node | null = null
  for (const node of [...nodes.values()].reverse()) {
    const { block } = node
    node.children.sort(byPlace)
    // What a strategy itself says is still to be done was not begun where the block has ended.
    node.todo = todoOf(block.path) ?? (block.outcome === null ? notBegun(node) : [])
    countOwn(node)
    const parent = block.parent === null ? undefined : nodes.get(block.parent)
    if (parent === undefined) root = node
    else addChild(parent, node)
  }
  return root
}

function countOwn({ block, counts }: Node): void {
  if (block.status === 'waiting') counts.waiting++
  else if (block.status === 'running') counts.running++
  else if (isBad(block)) counts.failed++
  else if (block.status === 'partial') counts.partial++
}

function addChild(parent: Node, child: Node): void {
  parent.children.push(child)
  addCounts(parent.counts, child.counts)
  if (parent.block.outcome === null) accumulate(parent.usage, child.usage)
  // A journal cut in between can have a running block under an ended one: show it all the same.
  parent.alive ||= child.alive
}

/** Items that match no child's goal; children whose goals match no item stand for the first of those. */
function notBegun({ block, children }: Node): string[] {
  if (typeof block.todo === 'string') return []
  const places = new Map(children.map((child) => [placeOf(child.block.path), goalIntent(child.block.goal)]))
  const left = [...block.todo]
  let unmatched = 0
  for (const title of places.values()) {
    const index = left.findIndex((item) => item.trim() === title)
    if (index === -1) unmatched++
    else left.splice(index, 1)
  }
  return left.slice(unmatched)
}

/** Breadth first, running before ended, as long as there is room. */
function openFromTheTop(root: Node, maxRows: number): void {
  let rows = 1
  const ended: Node[] = []
  const open = (queue: Node[]) => {
    // The queue grows while it is walked.
    for (const node of queue) {
      node.items = itemsWithin(node, maxRows - rows)
      const items = node.items ?? []
      rows += items.length
      for (const item of items) if (item.kind === 'node') (item.node.alive ? queue : ended).push(item.node)
    }
  }
  open([root])
  open(ended)
}

/** The items of the opened node in at most `room` rows; null if it stays closed. */
function itemsWithin(node: Node, room: number): Item[] | null {
  const { children, todo } = node
  const all = children.length + todo.length
  if (all === 0 || room <= 0) return null
  if (all <= room) return [...children.map(itemOf), ...todo.map(todoOf)]
  const grouped = groupItems(node)
  if (grouped.length <= room) return grouped
  return node.alive && room > 1 ? keepUrgent(grouped, room) : null
}

function groupItems({ children, todo }: Node): Item[] {
  const items: Item[] = []
  for (const node of children) {
    const last = items.at(-1)
    if (node.alive || isBad(node.block)) items.push(itemOf(node))
    else if (last?.kind === 'group' && last.nodes[0]?.block.status === node.block.status)
      last.nodes.push(node)
    else items.push({ kind: 'group', nodes: [node] })
  }
  if (todo.length === 1) items.push(todoOf(todo[0] as string))
  else if (todo.length > 1) items.push({ kind: 'more', nodes: [], todo: todo.length })
  return items.map((item) =>
    item.kind === 'group' && item.nodes.length === 1 ? itemOf(item.nodes[0] as Node) : item,
  )
}

/** The most urgent items, in their order, and one row for all the others. */
function keepUrgent(items: readonly Item[], room: number): Item[] {
  const urgent = [...items].sort((a, b) => urgency(b) - urgency(a)).slice(0, room - 1)
  const kept = new Set(urgent)
  const more: Item & { kind: 'more' } = { kind: 'more', nodes: [], todo: 0 }
  for (const item of items) {
    if (kept.has(item)) continue
    if (item.kind === 'node') more.nodes.push(item.node)
    else if (item.kind === 'todo') more.todo++
    else more.nodes.push(...item.nodes)
    if (item.kind === 'more') more.todo += item.todo
  }
  return [...items.filter((item) => kept.has(item)), more]
}

function urgency(item: Item): number {
  if (item.kind !== 'node') return 0
  const { counts, alive } = item.node
  if (counts.waiting > 0) return 3
  return alive ? 2 : 1
}

function addRows(rows: Row[], node: Node, guides: readonly boolean[], last: boolean): void {
  const hidden = node.items === null && node.counts.blocks > 1 ? sumCounts(node.children) : null
  rows.push({ kind: 'block', block: node.block, usage: node.usage, hidden, guides, last })
  const items = node.items ?? []
  // The root is at the margin and needs no guide.
  const inner = node.block.parent === null ? guides : [...guides, !last]
  for (const [index, item] of items.entries()) {
    const place = { guides: inner, last: index === items.length - 1 }
    if (item.kind === 'node') addRows(rows, item.node, inner, place.last)
    else if (item.kind === 'todo') rows.push({ ...item, ...place })
    else if (item.kind === 'more') {
      rows.push({ kind: 'more', hidden: sumCounts(item.nodes), todo: item.todo, ...place })
    } else rows.push({ ...groupRow(item.nodes), ...place })
  }
}

function groupRow(nodes: readonly Node[]) {
  const usage: Usage = { ...NO_USAGE }
  for (const node of nodes) accumulate(usage, node.usage)
  return {
    kind: 'group' as const,
    status: (nodes[0] as Node).block.status as Status,
    from: (nodes[0] as Node).block.path,
    to: (nodes.at(-1) as Node).block.path,
    count: nodes.length,
    usage,
    hidden: sumCounts(nodes),
  }
}

function sumCounts(nodes: readonly Node[]): Counts {
  const sum: Counts = { blocks: 0, running: 0, waiting: 0, failed: 0, partial: 0 }
  for (const node of nodes) addCounts(sum, node.counts)
  return sum
}

function addCounts(sum: Counts, more: Counts): void {
  sum.blocks += more.blocks
  sum.running += more.running
  sum.waiting += more.waiting
  sum.failed += more.failed
  sum.partial += more.partial
}

function isBad({ status }: BlockState): boolean {
  return status === 'failed' || status === 'cancelled'
}

function itemOf(node: Node): Item {
  return { kind: 'node', node }
}

function todoOf(text: string): Item {
  return { kind: 'todo', text }
}

/** Attempts at the same place stay together, in their order. */
function byPlace({ block: a }: Node, { block: b }: Node): number {
  return indexOf(a.path) - indexOf(b.path) || attemptOf(a.path) - attemptOf(b.path)
}

function indexOf(path: string): number {
  const place = placeOf(path)
  return Number(place.slice(place.lastIndexOf('-') + 1))
}
