// Draws the folders of src/ and the imports between them, from the sources, into docs/architecture.md: `npm run imports`.
// With --check it fails when the picture is out of date; the gate runs that.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Imports, readImports } from './read-imports.ts'

const root = join(import.meta.dirname, '..')
const page = join(root, 'docs/architecture.md')
const BEGIN = '<!-- imports: made by npm run imports -->'
const END = '<!-- /imports -->'

/** A Mermaid graph: what a folder imports, without what follows from the rest. */
export function importPicture(imports: Imports): string {
  const edges = edgesOf(imports)
  const arrows = [...edges].sort().flatMap(([from, targets]) =>
    [...targets]
      .sort()
      .filter((to) => ![...targets].some((other) => other !== to && reaches(edges, other, to)))
      .map((to) => `  ${from} --> ${to}`),
  )
  return ['```mermaid', 'graph TD', ...arrows, '```'].join('\n')
}

function edgesOf(imports: Imports): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>()
  for (const [file, list] of imports) {
    for (const { to, relative } of list) {
      const [from, target] = [folderOf(file), folderOf(to)]
      if (!relative || from === target) continue
      edges.set(from, (edges.get(from) ?? new Set()).add(target))
    }
  }
  return edges
}

function reaches(edges: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const seen = new Set([from])
  for (const folder of seen) {
    if (folder === to) return true
    for (const next of edges.get(folder) ?? []) seen.add(next)
  }
  return false
}

/** The folder right below src/; the files there are entries, drawn with the folder that they open. */
function folderOf(file: string): string {
  const [, first = ''] = file.split('/')
  if (file.startsWith('src/models/embedded/') && !file.startsWith('src/models/embedded/mini/'))
    return 'embedded'
  if (file.startsWith('src/models/embedded/mini/')) return 'mini'
  if (file === 'src/index.ts' || file === 'src/version.ts') return 'engine'
  if (file === 'src/views.ts') return 'thinkon/views'
  return first.replace(/\.ts$/, '')
}

if (import.meta.main) {
  const text = readFileSync(page, 'utf8')
  const [before = '', rest = ''] = text.split(BEGIN)
  const after = rest.split(END)[1] ?? ''
  const drawn = `${before}${BEGIN}\n${importPicture(readImports(root))}\n${END}${after}`
  if (process.argv.includes('--check')) {
    if (drawn !== text) {
      console.error('the picture of the imports in docs/architecture.md is out of date: npm run imports')
      process.exitCode = 1
    }
  } else writeFileSync(page, drawn)
}
