/** A caller's own Explorer and Orchestrator: functions, run as steps. What they answer is checked like any message. */
import type { Answer as BlockAnswer, Context } from '../../kernel/strategy.ts'
import type { Tool } from '../../kernel/tool.ts'
import {
  errorData,
  type SearchConfig,
  TASK_TYPES,
  type TaskType,
  THOUGHT_MESSAGE,
  ThinkonError,
  type ThoughtError,
  type ThoughtMessage,
  type ThoughtPayloads,
} from '../../protocol/index.ts'
import { took } from './agents/agent.ts'
import { endsSearch } from './agents/exchange.ts'
import { type Shape, wrongWith } from './check-shape.ts'
import { DEFINITIONS, message } from './messages.ts'
import type { Search } from './search/search.ts'
import { complete, solutionOf } from './synthesize.ts'

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
  const chosen = await context.one(context.tool(program, { problem }))
  const wrong = wrongWith(chosen, CHOSEN, DEFINITIONS)
  if (wrong === null) return chosen as Chosen
  throw new ThinkonError('INVALID_FORMAT', `the answer of ${program} can't be used: ${wrong}`)
}

const CHOSEN: Shape = {
  type: 'object',
  properties: {
    task_type: { enum: [...TASK_TYPES] },
    search_config: { ...DEFINITIONS.SearchConfig, required: [] },
    reason: { type: 'string' },
  },
  required: ['task_type'],
}

/** The search is the caller's; the Synthesizer makes the answer of the path that it found, and it is verified like any other. */
export async function explored(search: Search, program: string): Promise<BlockAnswer> {
  const { context, problem, taskType, domain, verifier, words } = search
  const found = await askExplorer(search, program)
  const { best_path: path, stats } = found.payload
  const last = path.at(-1)
  if (last === undefined || path.length < 2) {
    const reason = words.noSolution(Math.max(0, stats.total_nodes - 1))
    context.emit(THOUGHT_MESSAGE, { ...found, error: lost('SEARCH_EXHAUSTED', reason) })
    return { status: 'failed', result: '', reason, code: 'STRATEGY_ERROR' }
  }
  const ids = path.map(({ id }) => id)
  context.emit('tot/best-path', { path: ids, score: last.evaluation?.score ?? null })
  const thoughts = path.slice(1).map(({ content }) => content)
  const own = { answer: domain?.answerOf(thoughts) ?? last.content, thoughts }
  const [check = null] = (await verifier?.(search, [own])) ?? []
  if (check !== null)
    context.emit('tot/solution-verified', { node_id: last.id, answer: own.answer, ...check })
  const { answer, verification } = await solutionOf(
    search,
    { best_path: path, problem, task_type: taskType },
    own,
    check,
  )
  context.emit(THOUGHT_MESSAGE, found)
  if (verification.is_valid) return answer
  return {
    status: 'partial',
    result: answer,
    reason: words.doesNotHold(verification.validation_errors ?? []),
  }
}

/** An Explorer that fails, or whose answer can't be used, has said so in a message before the block fails. */
async function askExplorer(search: Search, program: string): Promise<ThoughtMessage<'search_complete'>> {
  const { context, taskId, problem, taskType, config, decomposition } = search
  const request = message('initialize_search', taskId, {
    problem,
    task_type: taskType,
    search_config: config,
    decomposition_result: decomposition,
  })
  const [result] = await context.all([context.tool(program, request)])
  if (result !== undefined && endsSearch(result)) took(result)
  try {
    return message('search_complete', taskId, took(result))
  } catch (thrown) {
    const { code, message: why } = errorData(thrown, 'STRATEGY_ERROR')
    const shown = code === 'INVALID_FORMAT' ? 'INVALID_FORMAT' : 'SEARCH_EXHAUSTED'
    complete(search, search.tree.root, lost(shown, why))
    throw thrown
  }
}

function lost(code: ThoughtError['code'], why: string): ThoughtError {
  return { code, message: why, recoverable: false }
}
