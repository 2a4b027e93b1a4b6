/** A caller's own Explorer and Orchestrator: functions, run as steps. What they answer is checked like any message. */
import type { Answer as BlockAnswer, Context } from '../../kernel/strategy.ts'
import type { Tool } from '../../kernel/tool.ts'
import {
  type SearchConfig,
  TASK_TYPES,
  type TaskType,
  THOUGHT_MESSAGE,
  ThinkonError,
  type ThoughtMessage,
  type ThoughtNode,
  type ThoughtPayloads,
} from '../../protocol/index.ts'
import { plainSolution } from './code-agents.ts'
import { exchange } from './exchange.ts'
import { message } from './messages.ts'
import type { Search } from './search.ts'

/** Searches in a way of its own: from `initialize_search` to `search_complete`. */
export type ExplorerFunction = (
  request: ThoughtMessage<'initialize_search'>,
  signal: AbortSignal,
) => ThoughtPayloads['search_complete'] | Promise<ThoughtPayloads['search_complete']>

/** Says what type of task a problem is, and how to search where that is not to be as the table says. */
export type OrchestratorFunction = (about: { readonly problem: string }) => Chosen | Promise<Chosen>

export interface Chosen {
  readonly task_type: TaskType
  readonly search_config?: Partial<SearchConfig>
  readonly reason?: string
}

/** One of the two as a step. */
export function programOf(name: string, run: (input: never, signal: AbortSignal) => unknown): Tool {
  return {
    name,
    description: `answers for ${name}`,
    access: 'read',
    run: async (input, io) => run(input as never, io.signal),
  }
}

export async function askOrchestrator(context: Context, program: string, problem: string): Promise<Chosen> {
  const chosen = (await context.one(context.tool(program, { problem }))) as Chosen | null
  if (chosen !== null && TASK_TYPES.includes(chosen.task_type)) return chosen
  throw new ThinkonError('INVALID_FORMAT', `${program} must say a task_type: one of ${TASK_TYPES.join(', ')}`)
}

/** The search is the caller's; the Synthesizer makes the answer of the path that it found, and it is verified like any other. */
export async function explored(search: Search, program: string): Promise<BlockAnswer> {
  const { context, taskId, problem, taskType, config, domain, verifier, words } = search
  const request = message('initialize_search', taskId, {
    problem,
    task_type: taskType,
    search_config: config,
    decomposition_result: search.decomposition,
  })
  const found = message('search_complete', taskId, await context.one(context.tool(program, request)))
  const { best_path: path } = found.payload
  if (path.length === 0) return { status: 'failed', result: '', reason: words.notGoodEnough }
  const [reply] = await exchange(search, 'synthesize_solution', [
    { best_path: path, problem, task_type: taskType },
  ])
  const solution = reply?.ok ? reply.payload : plainSolution(domain, path)
  const thoughts = path.slice(1).map(({ content }: ThoughtNode) => content)
  const [verdict] = (await verifier?.(search, [{ answer: solution.answer, thoughts }])) ?? []
  const { is_valid, errors } = verdict ?? {
    is_valid: solution.verification.is_valid,
    errors: solution.verification.validation_errors ?? [],
  }
  context.emit(THOUGHT_MESSAGE, found)
  return is_valid
    ? solution.answer
    : { status: 'partial', result: solution.answer, reason: words.doesNotHold(errors) }
}
