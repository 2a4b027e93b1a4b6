/**
 * Where blocks stand: a column for each level, a row for each leaf; a block stands beside its first child. What is there stays where it is
 * as long as nothing grows above it, so that a tree that grows does not jump. Linear in the blocks.
 */
import type { BlockState, RunState } from 'thinkon/protocol'
import type { Rect } from './camera.ts'

export const CARD = { width: 264, height: 78 } as const
const GAP = { x: 44, y: 12 } as const

export interface Placed {
  readonly path: string
  readonly parent: string | null
  readonly x: number
  readonly y: number
  /** How many blocks are folded into it. */
  readonly hidden: number
}

export interface Layout {
  /** Parents first. */
  readonly nodes: readonly Placed[]
  readonly byPath: ReadonlyMap<string, Placed>
  readonly width: number
  readonly height: number
}

/** What a person has folded or opened; the others are as `foldsByItself` says. */
export type Folds = ReadonlyMap<string, boolean>

/** So many are drawn as they are. */
const FEW_BLOCKS = 300
const FOLDED_FROM_LEVEL = 2

export function layOut(state: RunState, folds: Folds): Layout {
  const isLarge = state.blocks.size > FEW_BLOCKS
  const nodes: Placed[] = []
  const byPath = new Map<string, Placed>()
  const hiddenBelow = countsBelow(state)
  let row = 0
  let columns = 0
  // Not by recursion: a run may be thousands of levels deep.
  const open: { path: string; parent: string | null; level: number }[] = []
  const roots = [...state.blocks.values()].filter(({ parent }) => parent === null)
  for (const { path } of roots.toReversed()) open.push({ path, parent: null, level: 0 })
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, parent, level } = next
    const block = state.blocks.get(path)
    if (block === undefined) continue
    const isFolded = folds.get(path) ?? (isLarge && foldsByItself(block, level))
    const children = isFolded ? [] : block.children
    const hidden = isFolded ? (hiddenBelow.get(path) ?? 0) : 0
    const placed = { path, parent, x: level * (CARD.width + GAP.x), y: row * (CARD.height + GAP.y), hidden }
    nodes.push(placed)
    byPath.set(path, placed)
    columns = Math.max(columns, level + 1)
    for (const child of children.toReversed()) open.push({ path: child, parent: path, level: level + 1 })
    if (children.length === 0) row++
  }
  return {
    nodes,
    byPath,
    width: Math.max(0, columns * (CARD.width + GAP.x) - GAP.x),
    height: Math.max(0, row * (CARD.height + GAP.y) - GAP.y),
  }
}

/** Of a large run, what has ended far from the root. */
function foldsByItself({ outcome, children }: BlockState, level: number): boolean {
  return outcome !== null && children.length > 0 && level >= FOLDED_FROM_LEVEL
}

function countsBelow({ blocks }: RunState): Map<string, number> {
  const counts = new Map<string, number>()
  // Children begin after their parents.
  for (const { path, parent } of [...blocks.values()].reverse())
    if (parent !== null) counts.set(parent, (counts.get(parent) ?? 0) + 1 + (counts.get(path) ?? 0))
  return counts
}

/** The edges from parents to children that pass through a part of the drawing, as one path of SVG: of thousands, few are seen. */
export function edgesOf({ nodes, byPath }: Layout, part: Rect): string {
  let d = ''
  for (const { parent, x, y } of nodes) {
    const above = parent === null ? undefined : byPath.get(parent)
    if (above === undefined) continue
    const from = { x: above.x + CARD.width, y: above.y + CARD.height / 2 }
    const to = { x, y: y + CARD.height / 2 }
    // Children stand below their parent, or beside it.
    if (to.x < part.left || from.x > part.right || to.y < part.top || from.y > part.bottom) continue
    const middle = from.x + GAP.x / 2
    d += from.y === to.y ? `M${from.x} ${from.y}H${to.x}` : `M${from.x} ${from.y}H${middle}V${to.y}H${to.x}`
  }
  return d
}
