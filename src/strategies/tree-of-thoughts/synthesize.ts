/** From the best path to the answer, and the end of the search as a message. */
import type { FinalSolution, ThoughtError, ThoughtPayloads } from '../../protocol/index.ts'
import { plainSolution } from './agents/code-agents.ts'
import { exchange, say } from './agents/exchange.ts'
import type { AnswerCheck } from './domains/domain.ts'
import type { Answer, Search } from './search/search.ts'
import { nodeOf, pathTo, type Thought, treeMessage } from './search/tree.ts'
import { answerOf } from './search/verify.ts'

/** What the Synthesizer makes of a path of the search's own. */
export async function synthesize(search: Search, best: Thought): Promise<FinalSolution> {
  const { context, problem, taskType } = search
  const path = pathTo(best).map(nodeOf)
  context.emit('tot/best-path', { path: path.map(({ id }) => id), score: best.evaluation?.score ?? null })
  const request = { best_path: path, problem, task_type: taskType }
  return solutionOf(search, request, answerOf(search, best), best.check)
}

/** The Synthesizer's solution. Where a program can verify it, that is what its verification says. */
export async function solutionOf(
  search: Search,
  request: ThoughtPayloads['synthesize_solution'],
  own: Answer,
  known: AnswerCheck | null,
): Promise<FinalSolution> {
  const judge = (solution: FinalSolution) =>
    search.verifier === null ? Promise.resolve(solution) : verified(search, own, known, solution)
  const [reply] = await exchange(search, 'synthesize_solution', [request], { amend: judge })
  return reply?.ok ? reply.payload : judge(plainSolution(search.domain, request.best_path))
}

/** `own` and `known`: the path's own answer and what was said of it. A Synthesizer that spoils a verified one is not heeded. */
async function verified(
  search: Search,
  own: Answer,
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

/** What there is to show of a path, without asking anyone. */
export function telling({ domain }: Search, best: Thought): string {
  return plainSolution(domain, pathTo(best).map(nodeOf)).answer
}

/** The Explorer tells the Orchestrator that it has ended. */
export function complete(search: Search, best: Thought, error?: ThoughtError): void {
  const { tree, taskId, problem, taskType, config, frontier, stats } = search
  say(
    search,
    'search_complete',
    {
      best_path: pathTo(best).map(nodeOf),
      tree: treeMessage(tree, { taskId, problem, taskType, config, best, frontier }),
      stats: {
        total_nodes: tree.all.length,
        total_backtracks: stats.backtracks,
        llm_calls: stats.llmCalls,
      },
    },
    error,
  )
}
