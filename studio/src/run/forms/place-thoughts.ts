/**
 * Where the thoughts of a picture stand: a column for each level, a row for each leaf. The best of siblings comes first and stands beside
 * its parent, so that the best path is the straight line on top.
 */
import type { Picture, PictureNode } from 'thinkon/views'

export const THOUGHT = { width: 240, height: 66 } as const
const GAP = { x: 40, y: 8 } as const

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
  const open: [PictureNode, number][] = bestFirst(below.get(null) ?? [])
    .reverse()
    .map((node) => [node, 0])
  // Not by recursion: a search may be deep. One that is its own ancestor is not reached.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, level] = next
    if (levels.has(node.id)) continue
    levels.set(node.id, level)
    order.push(node)
    for (const child of bestFirst(below.get(node.id) ?? []).reverse()) open.push([child, level + 1])
  }
  let row = 0
  const thoughts = order.map((node) => {
    const x = (levels.get(node.id) ?? 0) * (THOUGHT.width + GAP.x)
    const y = row * (THOUGHT.height + GAP.y)
    if ((below.get(node.id) ?? []).length === 0) row++
    return { node, x, y }
  })
  return {
    thoughts,
    byId: new Map(thoughts.map((thought) => [thought.node.id, thought])),
    width: Math.max(0, ...thoughts.map(({ x }) => x + THOUGHT.width)),
    height: Math.max(0, ...thoughts.map(({ y }) => y + THOUGHT.height)),
  }
}

function bestFirst(nodes: readonly PictureNode[]): PictureNode[] {
  return [...nodes.filter(({ look }) => look === 'best'), ...nodes.filter(({ look }) => look !== 'best')]
}

/** From a parent to its child. */
export function edgeOf(parent: PlacedThought, child: PlacedThought): string {
  const from = { x: parent.x + THOUGHT.width, y: parent.y + THOUGHT.height / 2 }
  const to = { x: child.x, y: child.y + THOUGHT.height / 2 }
  const middle = (from.x + to.x) / 2
  return `M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`
}

/** From one that was merged to the one that stands for it. */
export function mergeOf(from: PlacedThought, into: PlacedThought): string {
  const right = Math.max(from.x, into.x) + THOUGHT.width
  const [y1, y2] = [from.y + THOUGHT.height / 2, into.y + THOUGHT.height / 2]
  return `M${from.x + THOUGHT.width} ${y1}C${right + GAP.x} ${y1} ${right + GAP.x} ${y2} ${into.x + THOUGHT.width} ${y2}`
}
