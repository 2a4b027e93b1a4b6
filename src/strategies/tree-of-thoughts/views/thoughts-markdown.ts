/** The tree of a search as a nested list in Markdown. */
import { heading, inline, paragraph } from '../../../views/formats/markdown-text.ts'
import { pictureWords } from '../../../views/formats/picture-words.ts'
import { childrenOf, foldPicture, type Picture, type PictureNode } from '../../../views/picture.ts'
import type { Lang } from '../../../views/words.ts'

/** The best path in bold, what was pruned struck through. */
export function thoughtsMarkdown(picture: Picture, lang: Lang): string {
  const words = pictureWords(lang)
  const { title, caption, result, nodes } = foldPicture(picture, words.more)
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
  return `${parts.join('\n\n')}\n`
}

function thoughtItem({ text, badge, look, verified }: PictureNode): string {
  const content = inline(text)
  const shown =
    look === 'best' ? `**${content}**` : look === 'pruned' || look === 'merged' ? `~~${content}~~` : content
  const marks = [look === 'merged' ? '≡' : '', badge, verified ? '✓' : ''].filter((mark) => mark !== '')
  return marks.length === 0 ? shown : `${shown} · ${marks.join(' ')}`
}
