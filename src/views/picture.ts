/** What a picture of a run is made of, in any format: a tree of short texts, each with a look, bounded in size. */

/** `best`: on the best path. `merged`: merged into another node. `fold`: stands for hidden nodes. */
export type Look =
  | 'plain'
  | 'kept'
  | 'best'
  | 'pruned'
  | 'merged'
  | 'good'
  | 'bad'
  | 'warn'
  | 'active'
  | 'fold'

export interface PictureNode {
  readonly id: string
  readonly parent: string | null
  readonly text: string
  /** A score or a status, shown next to the text. */
  readonly badge: string
  readonly look: Look
  /** A program has checked it and found it right. */
  readonly verified: boolean
  readonly mergedInto: string | null
  /** If there are too many nodes, those with the highest weight stay. */
  readonly weight: number
  /** What was said of it, where there is room for more than its badge. */
  readonly note?: string
}

export interface Picture {
  readonly title: string
  readonly caption: string
  /** Empty until it is known. */
  readonly result: string
  /** Parents first. */
  readonly nodes: readonly PictureNode[]
}

export const MAX_NODES = 300

/** Keeps the nodes of the highest weight with their ancestors; the others are counted in a node at their nearest shown ancestor. */
export function foldPicture(picture: Picture, more: (n: number) => string, maxNodes = MAX_NODES): Picture {
  const { nodes } = picture
  if (nodes.length <= maxNodes) return picture
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const shown = shownNodes(nodes, byId, maxNodes)
  const hidden = new Map<string | null, number>()
  const shownAbove = (node: PictureNode): string | null => {
    let above = node.parent
    while (above !== null && !shown.has(above)) above = byId.get(above)?.parent ?? null
    return above
  }
  for (const node of nodes) {
    if (shown.has(node.id)) continue
    const above = shownAbove(node)
    hidden.set(above, (hidden.get(above) ?? 0) + 1)
  }
  const kept = nodes.filter(({ id }) => shown.has(id))
  const folds = [...hidden].map(([parent, n]) => foldNode(parent, more(n)))
  return { ...picture, nodes: [...kept, ...folds] }
}

function shownNodes(
  nodes: readonly PictureNode[],
  byId: ReadonlyMap<string, PictureNode>,
  maxNodes: number,
): ReadonlySet<string> {
  const shown = new Set<string>()
  for (const node of [...nodes].sort((a, b) => b.weight - a.weight)) {
    const ancestry: string[] = []
    for (let at: PictureNode | undefined = node; at !== undefined && !shown.has(at.id); ) {
      ancestry.push(at.id)
      at = at.parent === null ? undefined : byId.get(at.parent)
    }
    if (shown.size + ancestry.length <= maxNodes) for (const id of ancestry) shown.add(id)
    if (shown.size >= maxNodes) break
  }
  return shown
}

function foldNode(parent: string | null, text: string): PictureNode {
  return {
    id: `more ${parent ?? ''}`,
    parent,
    text,
    badge: '',
    look: 'fold',
    verified: false,
    mergedInto: null,
    weight: 0,
  }
}

export function childrenOf(
  nodes: readonly PictureNode[],
): ReadonlyMap<string | null, readonly PictureNode[]> {
  const children = new Map<string | null, PictureNode[]>()
  for (const node of nodes) {
    const siblings = children.get(node.parent) ?? []
    children.set(node.parent, siblings)
    siblings.push(node)
  }
  return children
}
