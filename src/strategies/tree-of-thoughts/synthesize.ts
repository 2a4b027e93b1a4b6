/** From the best path to the answer, and the end of the search as a message. */

import type { Answer } from '../../kernel/strategy.ts'
import { pathText, plainSolution } from './agents/code-agents.ts'
import { exchange, type Reply, send } from './agents/exchange.ts'
import type { AnswerCheck } from './domains/domain.ts'
import type { FinalSolution, ThoughtError, ThoughtPayloads } from './protocol.ts'
import { alternativesTo } from './search/alternatives.ts'
import { noteAdjusted, type PathAnswer, type Search } from './search/search.ts'
import { idOf, nodeOf, pathTo, type Thought } from './search/tree.ts'
import { answerOf } from './search/verify.ts'

export interface Synthesis extends FinalSolution {
  /** Why the answer is the path as it was found; null where the Synthesizer made it. */
  readonly unsynthesised: string | null
}

/** What the Synthesizer makes of a path that the search found. */
export async function synthesize(search: Search, best: Thought): Promise<Synthesis> {
  const { context, problem, taskType } = search
  const path = pathTo(best).map(nodeOf)
  context.emit('tot/best-path', { path: path.map(({ id }) => id), score: best.evaluation?.score ?? null })
  const request = { best_path: path, problem, task_type: taskType }
  return solutionOf(search, request, answerOf(search, best), best.check, alternativesTo(search, best))
}

/**
 * The Synthesizer's solution. One that fails is asked once more, and then the whole path is the answer. Where a program can
 * verify it, the program's word is its verification.
 *
 * @param own the path's own answer
 * @param known what a program said about the path's own answer
 * @param alternatives the other solutions that the search found: a model's own are not asked for
 */
export async function solutionOf(
  search: Search,
  request: ThoughtPayloads['synthesize_solution'],
  own: PathAnswer,
  known: AnswerCheck | null,
  alternatives: readonly string[],
): Promise<Synthesis> {
  const amend = async (solution: FinalSolution) => {
    const checked = search.verifier === null ? solution : await verified(search, own, known, solution)
    return withAlternatives(search, checked, alternatives)
  }
  const { around } = search
  const verdict = known === null ? {} : { verdict: { answer: own.answer, ...known } }
  const team = { ...search, around: around === null ? null : { ...around, ...verdict } }
  const [first] = await exchange(team, 'synthesize_solution', [request], { amend })
  const reply = first?.ok === false ? await askAgain(team, request, first.error, amend) : first
  if (reply?.ok) return { ...reply.payload, unsynthesised: null }
  if (reply !== undefined) noteAdjusted(search, reply.error, search.words.wholePath)
  const unsynthesised = reply?.error.message ?? ''
  return { ...(await amend(plainSolution(search.domain, request.best_path))), unsynthesised }
}

async function askAgain(
  search: Search,
  request: ThoughtPayloads['synthesize_solution'],
  error: ThoughtError,
  amend: (solution: FinalSolution) => Promise<FinalSolution>,
): Promise<Reply<'synthesize_solution'> | undefined> {
  noteAdjusted(search, error, search.words.again)
  const [reply] = await exchange(search, 'synthesize_solution', [request], { again: true, amend })
  return reply
}

/** A Synthesizer that spoils a verified answer is overruled. */
async function verified(
  search: Search,
  own: PathAnswer,
  known: AnswerCheck | null,
  solution: FinalSolution,
): Promise<FinalSolution> {
  // A whole path is right if the answer that it comes to is.
  const answer = solution.answer === pathText(own.thoughts) ? own.answer : solution.answer
  if (known !== null && answer === own.answer) return withCheck(solution, known)
  const [check] = (await search.verifier?.(search, [{ ...own, answer }])) ?? []
  if (check?.is_valid) return withCheck(solution, check)
  if (known?.is_valid) return withCheck({ ...solution, answer: own.answer }, known)
  return withCheck(solution, check ?? { is_valid: false, errors: [] })
}

/** A Synthesizer of the caller's may know others than the search. */
function withAlternatives(
  { agents }: Search,
  solution: FinalSolution,
  found: readonly string[],
): FinalSolution {
  const own = agents.synthesizer.asksModel ? [] : (solution.alternative_solutions ?? [])
  const others = own.length > 0 ? own : found.filter((other) => other !== solution.answer)
  return { ...solution, alternative_solutions: others }
}

function withCheck(solution: FinalSolution, { is_valid, errors }: AnswerCheck): FinalSolution {
  return { ...solution, verification: { is_valid, validation_errors: errors } }
}

/** What keeps a solution from being complete; null where nothing does. */
export function whyPartial(
  { verifier, words }: Search,
  { verification, unsynthesised }: Synthesis,
  error?: ThoughtError,
): string | null {
  if (error === undefined && !verification.is_valid)
    return words.doesNotHold(verification.validation_errors ?? [])
  // What a program has verified is an answer, whoever put it together.
  const raw = unsynthesised === null || (verifier !== null && error === undefined) ? null : unsynthesised
  if (raw === null) return error?.message ?? null
  return [error?.message, words.unsynthesised(raw)].filter((why) => why !== undefined).join('; ')
}

export function completed({ words }: Search, { answer, unsynthesised }: Synthesis): Answer {
  if (unsynthesised === null) return answer
  return { status: 'completed', result: answer, details: words.unsynthesised(unsynthesised) }
}

/** The Explorer tells the Orchestrator that it has ended. */
export function sendComplete(search: Search, best: Thought, error?: ThoughtError): void {
  const { tree, taskId, problem, taskType, config, frontier, stats } = search
  const path = pathTo(best)
  const payload: ThoughtPayloads['search_complete'] = {
    best_path: path.map(nodeOf),
    tree: {
      task_id: taskId,
      problem,
      task_type: taskType,
      search_config: config,
      nodes: Object.fromEntries(tree.all.map((thought) => [thought.id, nodeOf(thought)])),
      root_id: tree.root.id,
      search_state: {
        current_depth: tree.counts.length - 1,
        frontier: frontier.map(idOf),
        best_path: path.map(idOf),
      },
    },
    stats: { total_nodes: tree.all.length, total_backtracks: stats.backtracks, llm_calls: stats.llmCalls },
  }
  send(search, 'search_complete', payload, error)
}
