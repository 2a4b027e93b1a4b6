/** The tree of a search as a picture. */
import type { Look, Picture, PictureNode } from '../../../views/picture.ts'
import type { Lang } from '../../../views/words.ts'
import { bestPathOf, type Thought, type ThoughtSearch } from './thought-tree.ts'
import { scoreText, treeWords } from './tree-words.ts'

export function thoughtPicture(search: ThoughtSearch, lang: Lang): Picture {
  const words = treeWords(lang)
  const best = new Set(bestPathOf(search))
  const { config, taskType, thoughts, rootId, solution, outcome } = search
  const pruned = [...thoughts.values()].filter(({ node }) => node.status === 'pruned').length
  const caption = [
    config?.strategy,
    taskType,
    words.thoughts(Math.max(0, thoughts.size - 1)),
    pruned === 0 ? null : words.pruned(pruned),
    search.backtracks === 0 ? null : words.backtracks(search.backtracks),
  ]
  return {
    title: search.problem,
    caption: caption.filter((part) => part !== null && part !== undefined).join(' · '),
    result: outcome?.result || solution?.answer || '',
    nodes: [...thoughts.values()].map((thought) => pictureNode(thought, best, rootId)),
  }
}

function pictureNode(thought: Thought, best: ReadonlySet<string>, rootId: string): PictureNode {
  const { node, verified, mergedInto } = thought
  const score = node.evaluation?.score
  const look = lookOf(thought, best)
  return {
    id: node.id,
    parent: node.id === rootId ? null : (node.parent_id ?? rootId),
    text: node.content,
    badge: score === undefined ? '' : scoreText(score),
    look,
    verified: verified === true,
    mergedInto,
    weight: (WEIGHTS[look] ?? 0) + (verified === true ? 200 : 0) + (score ?? 0),
  }
}

const WEIGHTS: Partial<Record<Look, number>> = { best: 1_000, kept: 100, plain: 50, pruned: 10, merged: 0 }

function lookOf({ node, mergedInto, kept, verified }: Thought, best: ReadonlySet<string>): Look {
  if (best.has(node.id)) return 'best'
  if (mergedInto !== null) return 'merged'
  if (node.status === 'pruned' || verified === false) return 'pruned'
  return kept || node.status !== 'pending' ? 'kept' : 'plain'
}
