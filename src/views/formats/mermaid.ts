/** A picture as a Mermaid flowchart, for Markdown pages that draw it. */

import type { Look, Picture, PictureNode } from '../picture.ts'
import { cleanLine, fitText } from '../text-width.ts'

/** Mermaid refuses texts past 50,000 characters: 300 nodes have to fit. */
const TEXT_CELLS = 64

const CLASSES: Partial<Record<Look, string>> = {
  best: 'fill:#e3f6e8,stroke:#1a7f37,stroke-width:3px,color:#0b3d1c',
  kept: 'fill:#e8f1fd,stroke:#4a7fc1,color:#14315c',
  good: 'fill:#e3f6e8,stroke:#1a7f37,color:#0b3d1c',
  bad: 'fill:#fdeaea,stroke:#c73a3a,color:#5c1414',
  warn: 'fill:#fdf4dd,stroke:#b7860b,color:#4f3a04',
  active: 'fill:#e5f6fa,stroke:#1b8ca6,color:#0b3f4b',
  pruned: 'fill:#f3f3f3,stroke:#9a9a9a,stroke-dasharray:4 3,color:#6b6b6b',
  merged: 'fill:#f3f3f3,stroke:#9a9a9a,stroke-dasharray:1 3,color:#6b6b6b',
  fold: 'fill:none,stroke:none,color:#7a7a7a',
}

export function mermaidText({ title, nodes }: Picture): string {
  const names = new Map(nodes.map(({ id }, i) => [id, `n${i}`]))
  const lines = ['---', `title: ${JSON.stringify(fitText(cleanLine(title), 100))}`, '---', 'flowchart LR']
  for (const node of nodes) lines.push(`  ${names.get(node.id)}["${labelOf(node)}"]`)
  for (const { id, parent, look, mergedInto } of nodes) {
    if (parent !== null) lines.push(`  ${names.get(parent)} ${EDGES[look] ?? '-->'} ${names.get(id)}`)
    const same = mergedInto === null ? undefined : names.get(mergedInto)
    if (same !== undefined) lines.push(`  ${names.get(id)} -.-o ${same}`)
  }
  for (const [look, style] of Object.entries(CLASSES)) {
    const members = nodes.filter((node) => node.look === look).map(({ id }) => names.get(id))
    if (members.length === 0) continue
    lines.push(`  classDef ${look} ${style}`, `  class ${members.join(',')} ${look}`)
  }
  return lines.join('\n')
}

const EDGES: Partial<Record<Look, string>> = {
  best: '==>',
  pruned: '-.->',
  merged: '-.->',
  fold: '-.-',
}

function labelOf({ text, badge, verified }: PictureNode): string {
  const label = escapeText(fitText(cleanLine(text), TEXT_CELLS))
  const mark = [badge === '' ? '' : `<b>${escapeText(badge)}</b>`, verified ? '✓' : '']
    .filter(Boolean)
    .join(' ')
  return mark === '' ? label : `${label}<br/>${mark}`
}

/** Escapes whatever Mermaid could take for a tag, an entity, a quote or Markdown with Mermaid's entity codes. */
function escapeText(text: string): string {
  return text.replace(/[#"<>&`\\*_{}[\]|]/g, (character) => `#${character.codePointAt(0)};`)
}
