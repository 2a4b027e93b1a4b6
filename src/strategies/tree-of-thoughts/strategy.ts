/**
 * Tree of Thoughts: six agents exchange the document's messages. The Orchestrator chooses how to search, the Decomposer says
 * what a thought is, the Explorer (code) searches with the Generator and the Evaluator, the Synthesizer makes the answer.
 */
import { endingOf, endsEarly } from '../../kernel/ending.ts'
import type { Answer, Solver } from '../../kernel/strategy.ts'
import { ThinkonError } from '../../protocol/index.ts'
import type { TotNotes } from './notes.ts'
import { beginSearch } from './orchestrator.ts'
import { exploreByProgram } from './own-explorer.ts'
import { checkOptions, type TotOptions } from './schema.ts'
import type { Search } from './search/search.ts'
import { bestThought } from './search/tree.ts'
import { exhausted, walk } from './search/walk.ts'
import { type Setup, setUp, type TreeOfThoughts } from './setup.ts'
import { pathAnswer, sendComplete, synthesize } from './synthesize.ts'

export function treeOfThoughtsSolver(name: string, given: TreeOfThoughts): Solver<TotOptions, TotNotes> {
  const setup = setUp(name, given)
  return {
    programs: setup.programs,
    options: (chosen) => checkOptions(name, { ...given.options, ...chosen }),
    async solve(context) {
      const search = await beginSearch(context, setup)
      try {
        return await solve(search, setup)
      } catch (thrown) {
        return endEarly(search, thrown)
      }
    },
  }
}

async function solve(search: Search, { explorer }: Setup): Promise<Answer> {
  if (explorer !== null) return exploreByProgram(search, explorer)
  await walk(search)
  return conclude(search)
}

/** The Synthesizer runs before `search_complete` is sent. */
async function conclude(search: Search): Promise<Answer> {
  const best = search.solution ?? bestThought(search.tree)
  if (best.parent === null) return nothingFound(search)
  const { answer, verification } = await synthesize(search, best)
  const error = search.solution === null ? exhausted(search, false) : undefined
  sendComplete(search, best, error)
  if (verification.is_valid && error === undefined) return answer
  const reason = error?.message ?? search.words.doesNotHold(verification.validation_errors ?? [])
  return { status: 'partial', result: answer, reason }
}

/** There is no path at all: the reason is what the last attempt failed with, or that every thought was refuted. */
function nothingFound(search: Search): Answer {
  const { lastFailure, words, tree } = search
  const error = exhausted(search, false)
  sendComplete(search, tree.root, error)
  if (lastFailure === null) return endingOf(new ThinkonError('STRATEGY_ERROR', error.message), '')
  const reason = (tree.all.length === 1 ? words.noThoughts : words.noValues)(lastFailure.message)
  return endingOf(ThinkonError.fromJSON({ ...lastFailure, message: reason }), '')
}

/** A limit or a loop ends the search with the best path so far; anything else fails the block. */
function endEarly(search: Search, thrown: unknown): Answer {
  if (!endsEarly(thrown)) throw thrown
  const best = bestThought(search.tree)
  sendComplete(search, best)
  return endingOf(thrown, best.parent === null ? '' : pathAnswer(search, best))
}
