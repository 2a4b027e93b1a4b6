/**
 * Tree of Thoughts: six agents exchange the document's messages. The Orchestrator chooses how to search, the Decomposer says
 * what a thought is, the Explorer (code) searches with the Generator and the Evaluator, the Synthesizer makes the answer.
 */
import { endingOf, endsEarly } from '../../kernel/ending.ts'
import type { Answer, Solver } from '../../kernel/strategy.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { checkedResult } from '../closing/checked-result.ts'
import { plainSolution } from './agents/code-agents.ts'
import type { TotNotes } from './notes.ts'
import { beginSearch } from './orchestrator.ts'
import { exploreByProgram } from './own-explorer.ts'
import { checkOptions, OPTIONS_SCHEMA, type TotOptions } from './schema.ts'
import { exhausted, noteAdjusted, type Search } from './search/search.ts'
import { bestThought, nodeOf, pathTo, type Thought } from './search/tree.ts'
import { revise, walk } from './search/walk.ts'
import { type Setup, setUp, type TreeOfThoughts } from './setup.ts'
import { completed, type Synthesis, sendComplete, synthesize, whyPartial } from './synthesize.ts'
import { solveByTrees } from './trees.ts'

export function treeOfThoughtsSolver(name: string, given: TreeOfThoughts): Solver<TotOptions, TotNotes> {
  const setup = setUp(name, given)
  return {
    programs: setup.programs,
    withoutModel: setup.withoutModel,
    options: (chosen) => checkOptions(name, { ...given.options, ...chosen }),
    optionsSchema: OPTIONS_SCHEMA,
    // Trees that come to the same answer agree: that is no loop.
    maxRepeats: ({ trees }) => (trees > 1 ? trees + 1 : undefined),
    async solve(context) {
      if (context.options.trees > 1 && context.budget().depth > 0) return solveByTrees(context, name, setup)
      const search = await beginSearch(context, setup)
      try {
        return await solve(search, setup)
      } catch (thrown) {
        return endEarly(search, thrown)
      }
    },
  }
}

async function solve(search: Search, { explorer, withoutModel }: Setup): Promise<Answer> {
  if (explorer !== null) return exploreByProgram(search, explorer)
  await walk(search)
  return conclude(search, withoutModel)
}

/** The Synthesizer runs before `search_complete` is sent. */
async function conclude(search: Search, withoutModel: boolean): Promise<Answer> {
  const best = search.solution ?? bestThought(search.tree)
  if (best.parent === null) return nothingFound(search)
  const made = await amended(search, best, await synthesize(search, best))
  if (await isRevised(search, made)) return conclude(search, withoutModel)
  const error = search.solution === null ? exhausted(search, false) : undefined
  const why = whyPartial(search, made, error)
  const close = withoutModel ? completed : checked
  const ending = why === null ? await close(search, made, best) : null
  sendComplete(search, best, error)
  return ending ?? { status: 'partial', result: made.answer, reason: why ?? '' }
}

/**
 * A Synthesizer finds out that its answer does not hold when the answer is written: it is asked once more, with what it said is
 * wrong. The first answer stands where that comes to nothing.
 */
async function amended(search: Search, best: Thought, made: Synthesis): Promise<Synthesis> {
  const { verifier, agents, words } = search
  const { is_valid, validation_errors: errors = [] } = made.verification
  if (is_valid || errors.length === 0 || verifier !== null || !agents.synthesizer.asksModel) return made
  const error = { code: 'GENERATION_FAILED', message: words.doesNotHold(errors), recoverable: true } as const
  noteAdjusted(search, error, words.again)
  try {
    const second = await sentBack(search, best, made.answer, wrongText(errors))
    return second.unsynthesised === null ? second : made
  } catch (thrown) {
    if (!endsEarly(thrown)) throw thrown
    return made
  }
}

function wrongText(errors: readonly string[]): string {
  return `You found yourself that it does not hold:\n${errors.map((error) => `- ${error}\n`).join('')}Give it again, whole, with this put right.\n`
}

/** The Synthesizer once more, with its answer and what is wrong with it in view. */
function sentBack(search: Search, best: Thought, answer: string, wrong: string): Promise<Synthesis> {
  const { around } = search
  const back = around === null ? null : { ...around, sentBack: { answer, wrong } }
  return synthesize({ ...search, around: back }, best)
}

/** Whether a solution that does not hold, by the Synthesizer's word, was replaced by another. */
async function isRevised(search: Search, { verification }: Synthesis): Promise<boolean> {
  const { solution, verifier } = search
  const { is_valid, validation_errors: errors = [] } = verification
  if (solution === null || verifier !== null || is_valid || search.revisions === 0) return false
  solution.check = { is_valid, errors }
  search.solution = null
  await revise(search)
  if (search.solution !== null) return true
  search.solution = solution
  return false
}

/** What a program has verified needs no further look; anything else is held against the problem's words. */
async function checked(search: Search, made: Synthesis, best: Thought): Promise<Answer> {
  const { context, around, verifier } = search
  if (verifier !== null || around === null) return completed(search, made)
  const { answer } = made
  return checkedResult(context, answer, {
    parts: best.depth,
    onAsk: () => void search.stats.llmCalls++,
    again: async (wrong) => {
      const second = await sentBack(search, best, answer, wrong)
      // The path as it was found is no correction: the first answer stands.
      if (second.unsynthesised !== null) throw new ThinkonError('STRATEGY_ERROR', second.unsynthesised)
      return second.answer
    },
  })
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

/** A limit or a loop ends the search with the path that it settled on, or the best so far; anything else fails the block. */
function endEarly(search: Search, thrown: unknown): Answer {
  if (!endsEarly(thrown)) throw thrown
  const best = search.solution ?? bestThought(search.tree)
  sendComplete(search, best)
  const { answer } = plainSolution(search.domain, pathTo(best).map(nodeOf))
  return endingOf(thrown, best.parent === null ? '' : answer)
}
