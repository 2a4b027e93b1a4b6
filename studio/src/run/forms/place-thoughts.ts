/** Where the thoughts of a picture stand: levels from top to bottom, a parent above the middle of its children. */
import type { Picture, PictureNode } from 'thinkon/views'

export const THOUGHT = { width: 190, height: 62 } as const
const GAP = { x: 16, y: 44 } as const

export interface PlacedThought {
  readonly node: PictureNode
  readonly x: number
  readonly y: number
}

export interface PlacedThoughts {
  readonly thoughts: readonly PlacedThought[]
  readonly byId: ReadonlyMap<string, PlacedThought>
  readonly width: number
  readonly height: number
}

export function placeThoughts({ nodes }: Picture): PlacedThoughts {
  const ids = new Set(nodes.map(({ id }) => id))
  const below = new Map<string | null, PictureNode[]>()
  for (const node of nodes) {
    const parent = node.parent !== null && ids.has(node.parent) ? node.parent : null
    below.set(parent, [...(below.get(parent) ?? []), node])
  }
  const levels = new Map<string, number>()
  const order: PictureNode[] = []
  const open: [PictureNode, number][] = (below.get(null) ?? []).toReversed().map((node) => [node, 0])
  // Not by recursion: a search may be deep. One that is its own ancestor is not reached.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, level] = next
    if (levels.has(node.id)) continue
    levels.set(node.id, level)
    order.push(node)
    for (const child of (below.get(node.id) ?? []).toReversed()) open.push([child, level + 1])
  }
  const lefts = new Map<string, number>()
  let column = 0
  for (const { id } of order)
    if ((below.get(id) ?? []).length === 0) lefts.set(id, column++ * (THOUGHT.width + GAP.x))
  for (const { id } of order.toReversed()) {
    const children = (below.get(id) ?? []).flatMap((child) => lefts.get(child.id) ?? [])
    if (children.length > 0) lefts.set(id, ((children[0] ?? 0) + (children.at(-1) ?? 0)) / 2)
  }
  const thoughts = order.map((node) => ({
    node,
    x: lefts.get(node.id) ?? 0,
    y: (levels.get(node.id) ?? 0) * (THOUGHT.height + GAP.y),
  }))
  return {
    thoughts,
    byId: new Map(thoughts.map((thought) => [thought.node.id, thought])),
    width: Math.max(THOUGHT.width, column * (THOUGHT.width + GAP.x) - GAP.x),
    height: Math.max(0, ...thoughts.map(({ y }) => y + THOUGHT.height)),
  }
}

/** From a parent down to its child. */
export function edgeOf(parent: PlacedThought, child: PlacedThought): string {
  const from = { x: parent.x + THOUGHT.width / 2, y: parent.y + THOUGHT.height }
  const to = { x: child.x + THOUGHT.width / 2, y: child.y }
  const middle = (from.y + to.y) / 2
  return `M${from.x} ${from.y}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`
}
