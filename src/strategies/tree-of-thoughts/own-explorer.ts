/** A caller's own Explorer and Orchestrator: functions, run as steps. What they answer is checked like any message. */
import { endingOf } from '../../kernel/ending.ts'
import type { Answer } from '../../kernel/strategy.ts'
import { errorData, ThinkonError } from '../../protocol/index.ts'
import { schemaProblem } from '../../schema/check-schema.ts'
import { unwrap } from './agents/agent.ts'
import { pathText } from './agents/code-agents.ts'
import { endsSearch } from './agents/exchange.ts'
import { answerMessage, DEFINITIONS, message, object, taskType, text } from './messages.ts'
import type {
  SearchConfig,
  TaskType,
  ThoughtError,
  ThoughtMessage,
  ThoughtNode,
  ThoughtPayloads,
} from './protocol.ts'
import type { TotContext } from './schema.ts'
import { type Search, searchRequest } from './search/search.ts'
import { completed, sendComplete, solutionOf, whyPartial } from './synthesize.ts'

/** Searches in a way of its own: from `initialize_search` to `search_complete`. */
export type ExplorerFunction = (
  request: ThoughtMessage<'initialize_search'>,
  signal: AbortSignal,
) => ThoughtPayloads['search_complete'] | Promise<ThoughtPayloads['search_complete']>

/** Says what type of task a problem is, and how to search where that differs from the table. */
export type OrchestratorFunction = (about: { readonly problem: string }) => Chosen | Promise<Chosen>

export interface Chosen {
  readonly task_type: TaskType
  readonly search_config?: Partial<SearchConfig>
  readonly reason?: string
}

export async function askOrchestrator(
  context: TotContext,
  program: string,
  problem: string,
): Promise<Chosen> {
  const chosen = await context.one(context.ownTool(program, { problem }))
  const wrong = schemaProblem(chosen, CHOSEN)
  if (wrong === undefined) return chosen as Chosen
  throw new ThinkonError('INVALID_FORMAT', `the answer of ${program} can't be used: ${wrong}`)
}

const CHOSEN = object({
  task_type: taskType,
  'search_config?': { ...DEFINITIONS.SearchConfig, required: [] },
  'reason?': text,
})

/** The search is the caller's; the Synthesizer makes an answer of the path, and it is verified like any other. */
export async function exploreByProgram(search: Search, program: string): Promise<Answer> {
  const { context, problem, domain, verifier, words } = search
  const found = await askExplorer(search, program)
  const { best_path: path, stats } = found.payload
  const last = path.at(-1)
  if (last === undefined || path.length < 2) {
    const reason = words.noSolution(Math.max(0, stats.total_nodes - 1))
    context.emit('tot/message', { ...found, error: unrecoverable('SEARCH_EXHAUSTED', reason) })
    return endingOf(new ThinkonError('STRATEGY_ERROR', reason), '')
  }
  const ids = path.map(({ id }) => id)
  context.emit('tot/best-path', { path: ids, score: last.evaluation?.score ?? null })
  const thoughts = path.slice(1).map(({ content }) => content)
  const own = { answer: domain?.answerOf(thoughts) ?? last.content, thoughts }
  const [check = null] = (await verifier?.(search, [own])) ?? []
  if (check !== null)
    context.emit('tot/solution-verified', { node_id: last.id, answer: own.answer, ...check })
  const request = { best_path: path, problem, task_type: search.taskType }
  const made = await solutionOf(search, request, own, check, othersIn(search, found.payload))
  context.emit('tot/message', found)
  const reason = whyPartial(search, made)
  return reason === null ? completed(search, made) : { status: 'partial', result: made.answer, reason }
}

/** The other paths of the caller's tree that have come to an end. Where answers are verified, none is a solution unverified. */
function othersIn(
  { domain, verifier }: Search,
  { best_path, tree: { nodes } }: ThoughtPayloads['search_complete'],
): string[] {
  if (verifier !== null) return []
  const ends = Object.values(nodes).filter(
    ({ id, depth, status }) => depth > 0 && status === 'terminal' && id !== best_path.at(-1)?.id,
  )
  return ends.map((end) => {
    const thoughts: string[] = []
    let at: ThoughtNode | undefined = end
    for (; at !== undefined && thoughts.length < end.depth; at = nodes[at.parent_id ?? ''])
      thoughts.unshift(at.content)
    return domain?.answerOf(thoughts) ?? pathText(thoughts)
  })
}

/** An Explorer that fails, or whose answer can't be used, has said so in a message before the block fails. */
async function askExplorer(search: Search, program: string): Promise<ThoughtMessage<'search_complete'>> {
  const { context, taskId } = search
  const request = message('initialize_search', taskId, searchRequest(search))
  const [result] = await context.all([context.ownTool(program, request)])
  if (result !== undefined && endsSearch(result)) unwrap(result)
  try {
    return answerMessage('search_complete', taskId, unwrap(result))
  } catch (thrown) {
    const { code, message: why } = errorData(thrown, 'STRATEGY_ERROR')
    const shown = code === 'INVALID_FORMAT' ? 'INVALID_FORMAT' : 'SEARCH_EXHAUSTED'
    sendComplete(search, search.tree.root, unrecoverable(shown, why))
    throw thrown
  }
}

function unrecoverable(code: ThoughtError['code'], why: string): ThoughtError {
  return { code, message: why, recoverable: false }
}
