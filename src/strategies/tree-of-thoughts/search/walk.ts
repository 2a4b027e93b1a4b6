/** The whole way through the tree: as configured, and once more and wider when that found nothing. */
import type { ThoughtError } from '../protocol.ts'
import { bestFirst } from './best-first.ts'
import { breadthFirst } from './breadth-first.ts'
import { depthFirst } from './depth-first.ts'
import { monteCarlo } from './monte-carlo.ts'
import { isFull, noteAdjusted, type Search } from './search.ts'

/** It ends with a solution, or without one when nothing is left to expand. */
type Walk = (search: Search) => Promise<void>

const WALKS: Readonly<Record<Search['config']['strategy'], Walk>> = {
  BFS: breadthFirst,
  DFS: depthFirst,
  'best-first': bestFirst,
  mcts: monteCarlo,
}

export async function walk(search: Search): Promise<void> {
  const way = WALKS[search.config.strategy]
  await way(search)
  const hopeless = search.tree.all.length === 1 || isFull(search)
  if (search.solution !== null || hopeless || !search.context.options.widen) return
  widen(search)
  noteAdjusted(search, exhausted(search, true), search.words.wider)
  await way(search)
}

function widen(search: Search): void {
  const { beam_width: beam, branching_factor: branching, pruning_threshold: threshold } = search.config
  search.config = {
    ...search.config,
    branching_factor: branching * 2,
    pruning_threshold: threshold / 2,
    ...(beam === undefined ? {} : { beam_width: beam * 2 }),
  }
}

export function exhausted({ tree, words }: Search, recoverable: boolean): ThoughtError {
  const message = words.noSolution(tree.all.length - 1)
  return { code: 'SEARCH_EXHAUSTED', message, recoverable }
}
