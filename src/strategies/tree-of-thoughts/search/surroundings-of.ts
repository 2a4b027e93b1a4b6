import type { Decomposition } from '../protocol.ts'
import type { NamedThought, Surroundings } from '../surroundings.ts'
import { isLive } from './search.ts'
import { pathTo, type Thought, type Tree } from './tree.ts'

/** How many other paths the Synthesizer sees. */
const MAX_ALTERNATIVES = 3

export function surroundingsOf(
  tree: Tree,
  { thought_granularity: granularity, intermediate_steps: steps, success_criteria: goal }: Decomposition,
  constraints: readonly string[],
  criteria: readonly string[],
  maxDepth: number,
): Surroundings {
  return {
    granularity,
    steps,
    maxDepth,
    goal,
    constraints,
    criteria,
    childrenOf: (id) => tree.all.find((thought) => thought.id === id)?.children.map(named) ?? [],
    alternatives(bestId) {
      const best = tree.all.find(({ id }) => id === bestId)
      return tree.all
        .filter((thought) => thought !== best && thought.depth === best?.depth && isLive(thought))
        .filter(({ evaluation }) => evaluation !== null)
        .toSorted((a, b) => scoreOf(b) - scoreOf(a))
        .slice(0, MAX_ALTERNATIVES)
        .map((thought) => ({ path: pathTo(thought).slice(1).map(named), score: scoreOf(thought) }))
    },
  }
}

function scoreOf({ evaluation }: Thought): number {
  return evaluation?.score ?? 0
}

function named({ id, content }: Thought): NamedThought {
  return { id, content }
}
