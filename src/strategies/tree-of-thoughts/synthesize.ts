/** From the best path to the answer, and the end of the search as a message. */

import { plainSolution } from './agents/code-agents.ts'
import { exchange, send } from './agents/exchange.ts'
import type { AnswerCheck } from './domains/domain.ts'
import type { FinalSolution, ThoughtError, ThoughtPayloads } from './protocol.ts'
import type { PathAnswer, Search } from './search/search.ts'
import { idOf, nodeOf, pathTo, type Thought } from './search/tree.ts'
import { answerOf } from './search/verify.ts'

/** What the Synthesizer makes of a path that the search found. */
export async function synthesize(search: Search, best: Thought): Promise<FinalSolution> {
  const { context, problem, taskType } = search
  const path = pathTo(best).map(nodeOf)
  context.emit('tot/best-path', { path: path.map(({ id }) => id), score: best.evaluation?.score ?? null })
  const request = { best_path: path, problem, task_type: taskType }
  return solutionOf(search, request, answerOf(search, best), best.check)
}

/**
 * The Synthesizer's solution. Where a program can verify it, the program's word is its verification.
 *
 * @param own the path's own answer
 * @param known what a program said about the path's own answer
 */
export async function solutionOf(
  search: Search,
  request: ThoughtPayloads['synthesize_solution'],
  own: PathAnswer,
  known: AnswerCheck | null,
): Promise<FinalSolution> {
  const verify = (solution: FinalSolution) =>
    search.verifier === null ? Promise.resolve(solution) : verified(search, own, known, solution)
  const [reply] = await exchange(search, 'synthesize_solution', [request], { amend: verify })
  return reply?.ok ? reply.payload : verify(plainSolution(search.domain, request.best_path))
}

/** A Synthesizer that spoils a verified answer is overruled. */
async function verified(
  search: Search,
  own: PathAnswer,
  known: AnswerCheck | null,
  solution: FinalSolution,
): Promise<FinalSolution> {
  if (known !== null && own.answer === solution.answer) return withCheck(solution, known)
  const [check] = (await search.verifier?.(search, [{ ...own, answer: solution.answer }])) ?? []
  if (check?.is_valid) return withCheck(solution, check)
  if (known?.is_valid) return withCheck({ ...solution, answer: own.answer }, known)
  return withCheck(solution, check ?? { is_valid: false, errors: [] })
}

function withCheck(solution: FinalSolution, { is_valid, errors }: AnswerCheck): FinalSolution {
  return { ...solution, verification: { is_valid, validation_errors: errors } }
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
