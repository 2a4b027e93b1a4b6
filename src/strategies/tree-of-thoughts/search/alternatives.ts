/** The other solutions that a search found: real paths to their end, never what a model imagines. */
import { pathText } from '../agents/code-agents.ts'
import { isHopeless } from './choose.ts'
import { isEnd, isLive, type Search } from './search.ts'
import { better, type Thought } from './tree.ts'
import { answerOf } from './verify.ts'

const MOST = 3

/** As answers, the best first. Where the best path has not come to an end, those that came as far. */
export function alternativesTo(search: Search, best: Thought): string[] {
  const isAsFar = isEnd(search, best)
    ? (thought: Thought) => isEnd(search, thought)
    : ({ depth }: Thought) => depth === best.depth
  const others = search.tree.all
    .filter((thought) => thought !== best && isAsFar(thought) && isSolution(search, thought))
    .sort(better)
  return [...new Set(others.map((thought) => answerText(search, thought)))].slice(0, MOST)
}

/** A program's word counts where there is one. */
function isSolution({ verifier, config }: Search, thought: Thought): boolean {
  if (verifier !== null) return thought.check?.is_valid === true
  return isLive(thought) && thought.evaluation !== null && !isHopeless(thought, config.pruning_threshold)
}

function answerText(search: Search, thought: Thought): string {
  const { answer, thoughts } = answerOf(search, thought)
  return search.domain === null ? pathText(thoughts) : answer
}
