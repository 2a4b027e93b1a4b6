/** The tree of a search as a picture, and that as Markdown. */
import { endLine, heading, inline, paragraph } from '../../../views/formats/markdown-text.ts'
import { pictureWords } from '../../../views/formats/picture-words.ts'
import { childrenOf, foldPicture, type Look, type Picture, type PictureNode } from '../../../views/picture.ts'
import type { Lang } from '../../../views/words.ts'
import { bestPathOf, type Thought, type ThoughtSearch } from './thought-tree.ts'
import { scoreText, TREE_WORDS } from './tree-words.ts'

export function thoughtPicture(search: ThoughtSearch, lang: Lang): Picture {
  const words = TREE_WORDS[lang]
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
    ...(node.evaluation?.reasoning && { note: node.evaluation.reasoning }),
  }
}

const WEIGHTS: Partial<Record<Look, number>> = { best: 1_000, kept: 100, plain: 50, pruned: 10, merged: 0 }

export function lookOf({ node, mergedInto, kept, verified }: Thought, best: ReadonlySet<string>): Look {
  if (best.has(node.id)) return 'best'
  if (mergedInto !== null) return 'merged'
  if (node.status === 'pruned' || verified === false) return 'pruned'
  return kept || node.status !== 'pending' ? 'kept' : 'plain'
}

/** A nested list, the best path in bold, what was pruned struck through; the solution, and why it is none that completes. */
export function thoughtsMarkdown(search: ThoughtSearch, lang: Lang): string {
  const words = pictureWords(lang)
  const { title, caption, result, nodes } = foldPicture(thoughtPicture(search, lang), words.more)
  const children = childrenOf(nodes)
  const listed = (node: PictureNode, indent: string): string[] => [
    `${indent}- ${thoughtItem(node)}`,
    ...(children.get(node.id) ?? []).flatMap((child) => listed(child, `${indent}  `)),
  ]
  const root = children.get(null)?.[0]
  const top = root === undefined ? [] : (children.get(root.id) ?? [])
  const parts = [`# ${heading(title)}`, caption]
  parts.push(top.length === 0 ? `_${words.empty}_` : top.flatMap((node) => listed(node, '')).join('\n'))
  if (result !== '') parts.push(`## ${words.solution}`, paragraph(result))
  const { outcome } = search
  if (outcome !== null && outcome.status !== 'completed') parts.push(endLine(outcome, lang))
  return `${parts.join('\n\n')}\n`
}

function thoughtItem({ text, badge, look, verified }: PictureNode): string {
  const content = inline(text)
  const shown =
    look === 'best' ? `**${content}**` : look === 'pruned' || look === 'merged' ? `~~${content}~~` : content
  const marks = [look === 'merged' ? '≡' : '', badge, verified ? '✓' : ''].filter((mark) => mark !== '')
  return marks.length === 0 ? shown : `${shown} · ${marks.join(' ')}`
}
