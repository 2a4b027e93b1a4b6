/** A picture as a graph for Graphviz. */

import type { Look, Picture, PictureNode } from '../picture.ts'
import { cleanLine, fitText, wrapText } from '../text-width.ts'

const NODES: Partial<Record<Look, string>> = {
  best: 'fillcolor="#e3f6e8" color="#1a7f37" penwidth=2.5',
  kept: 'fillcolor="#e8f1fd" color="#4a7fc1"',
  good: 'fillcolor="#e3f6e8" color="#1a7f37"',
  bad: 'fillcolor="#fdeaea" color="#c73a3a"',
  warn: 'fillcolor="#fdf4dd" color="#b7860b"',
  active: 'fillcolor="#e5f6fa" color="#1b8ca6"',
  pruned: 'style="rounded,filled,dashed" fillcolor="#f3f3f3" color="#9a9a9a" fontcolor="#6b6b6b"',
  merged: 'style="rounded,filled,dotted" fillcolor="#f3f3f3" color="#9a9a9a" fontcolor="#6b6b6b"',
  fold: 'shape=plaintext style="" fontcolor="#7a7a7a"',
}

const EDGES: Partial<Record<Look, string>> = {
  best: 'color="#1a7f37" penwidth=2.5',
  pruned: 'color="#b5b5b5" style=dashed',
  merged: 'color="#b5b5b5" style=dashed',
  fold: 'color="#b5b5b5" style=dotted arrowhead=none',
}

export function dotText({ title, caption, nodes }: Picture): string {
  const names = new Map(nodes.map(({ id }, i) => [id, `n${i}`]))
  const lines = [
    'digraph thinkon {',
    '  rankdir=LR',
    `  label=${quoted(`${fitText(cleanLine(title), 120)}\n${caption}`)}`,
    '  labelloc=t',
    '  node [shape=box style="rounded,filled" fillcolor="#ffffff" color="#8a8a8a" fontname="Helvetica"]',
    '  edge [color="#8a8a8a"]',
  ]
  for (const node of nodes)
    lines.push(`  ${names.get(node.id)} [label=${labelOf(node)}${attributes(NODES[node.look])}]`)
  for (const { id, parent, look, mergedInto } of nodes) {
    const edge = EDGES[look]
    if (parent !== null)
      lines.push(`  ${names.get(parent)} -> ${names.get(id)}${edge === undefined ? '' : ` [${edge}]`}`)
    const same = mergedInto === null ? undefined : names.get(mergedInto)
    if (same !== undefined)
      lines.push(`  ${names.get(id)} -> ${same} [style=dotted color="#9a9a9a" constraint=false label="="]`)
  }
  return [...lines, '}'].join('\n')
}

function labelOf({ text, badge, verified }: PictureNode): string {
  const marks = [badge, verified ? '✓' : ''].filter((mark) => mark !== '').join(' ')
  const label = wrapText(fitText(cleanLine(text), 90), 32).join('\n')
  return quoted(marks === '' ? label : `${label}\n${marks}`)
}

function attributes(text: string | undefined): string {
  return text === undefined ? '' : ` ${text}`
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`
}
