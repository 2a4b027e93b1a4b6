// Cycles in the imports under src/. Type imports and import() count: a cycle is a knot for the reader, whether or not it is
// one for the loader.
//
// Each folder is looked at by itself: its entries are the files in it, and its subfolders as one entry each. Entries must not
// import each other in a circle. So no cycle of files is possible, nor one of folders; `open-tools.ts` may open what is in
// `builtin/`, and that may use `define-tool.ts` beside `open-tools.ts`, but `engine/` may not use what opens it, `engine.ts`.

import { posix } from 'node:path'
import type { Imports } from './read-imports.ts'

/** One line for each knot of entries that reach each other: a shortest cycle in it, and the imports that make it. */
export function findCycles(imports: Imports): string[] {
  const folders = new Set([...imports.keys()].flatMap(foldersAbove))
  return [...folders].sort().flatMap((folder) => {
    const graph = entryGraph(imports, folder)
    return knots(graph).map((knot) => lineOf(graph, shortestCycle(graph, knot)))
  })
}

/** Which entry knows which, and by which import: the first one found. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, string>>

function entryGraph(imports: Imports, folder: string): Graph {
  const graph = new Map<string, Map<string, string>>()
  for (const [file, list] of imports) {
    const from = entryOf(file, folder)
    if (from === null) continue
    const known = graph.get(from) ?? new Map<string, string>()
    graph.set(from, known)
    for (const { to, line } of list) {
      const target = imports.has(to) ? entryOf(to, folder) : null
      if (target === null || (target === from && file !== to) || known.has(target)) continue
      known.set(target, `${file}:${line} → ${to}`)
    }
  }
  return graph
}

/** `src/a/b/c.ts` in `src`: `src/a/`. Null where the file is not in the folder. */
function entryOf(file: string, folder: string): string | null {
  if (!file.startsWith(`${folder}/`)) return null
  const end = file.indexOf('/', folder.length + 1)
  return end === -1 ? file : file.slice(0, end + 1)
}

function foldersAbove(file: string): string[] {
  const folder = posix.dirname(file)
  return folder === '.' ? [] : [...foldersAbove(folder), folder]
}

/** The sets of entries that reach each other; one that imports itself is such a set, too. */
function knots(graph: Graph): string[][] {
  const reach = new Map([...graph.keys()].map((entry) => [entry, reachableFrom(graph, entry)]))
  const reaches = (from: string, to: string) => reach.get(from)?.has(to) === true
  const found: string[][] = []
  for (const entry of graph.keys()) {
    if (!reaches(entry, entry) || found.some((knot) => knot.includes(entry))) continue
    found.push([...graph.keys()].filter((other) => reaches(entry, other) && reaches(other, entry)))
  }
  return found
}

function reachableFrom(graph: Graph, start: string): Set<string> {
  const reached = new Set(graph.get(start)?.keys())
  for (const entry of reached) for (const next of graph.get(entry)?.keys() ?? []) reached.add(next)
  return reached
}

function shortestCycle(graph: Graph, knot: readonly string[]): string[] {
  return knot.map((start) => cycleFrom(graph, start)).reduce((a, b) => (b.length < a.length ? b : a))
}

/** The shortest way from an entry of a knot back to it. */
function cycleFrom(graph: Graph, start: string): string[] {
  const ways = [[start]]
  const seen = new Set<string>()
  for (const way of ways) {
    for (const next of graph.get(way.at(-1) ?? start)?.keys() ?? []) {
      if (next === start) return [...way, start]
      if (!seen.has(next)) ways.push([...way, next])
      seen.add(next)
    }
  }
  return []
}

function lineOf(graph: Graph, cycle: readonly string[]): string {
  const by = cycle.slice(1).map((to, i) => graph.get(cycle[i] ?? '')?.get(to))
  return `cycle: ${cycle.join(' → ')}, by\n  ${by.join('\n  ')}`
}
