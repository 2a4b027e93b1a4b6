/** What a run's picture is made of, whoever draws it: a tree of short texts, each with a look, bounded in size. */

/** `best`: on the best path. `merged`: another node stands for it. `fold`: stands for nodes that are not shown. */
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
  /** A score, a status: what stands beside the text. */
  readonly badge: string
  readonly look: Look
  /** Checked by a program, and right. */
  readonly verified: boolean
  readonly mergedInto: string | null
  /** Which stay when there are too many: the higher first. */
  readonly weight: number
}

export interface Picture {
  readonly title: string
  readonly caption: string
  /** What it came to; empty while it is not known. */
  readonly result: string
  /** Parents first. */
  readonly nodes: readonly PictureNode[]
}

export const MOST_NODES = 300

/** The weightiest nodes with all above them; the others are counted in a node of their own at the nearest that is shown. */
export function foldPicture(picture: Picture, more: (n: number) => string, most = MOST_NODES): Picture {
  const { nodes } = picture
  if (nodes.length <= most) return picture
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const shown = shownNodes(nodes, byId, most)
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
  most: number,
): ReadonlySet<string> {
  const shown = new Set<string>()
  for (const node of [...nodes].sort((a, b) => b.weight - a.weight)) {
    const way: string[] = []
    for (let at: PictureNode | undefined = node; at !== undefined && !shown.has(at.id); ) {
      way.push(at.id)
      at = at.parent === null ? undefined : byId.get(at.parent)
    }
    if (shown.size + way.length <= most) for (const id of way) shown.add(id)
    if (shown.size >= most) break
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
