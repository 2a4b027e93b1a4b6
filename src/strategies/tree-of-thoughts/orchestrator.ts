/** The Orchestrator: which type of task it is, what a thought is, how to search. */
import { goalText, languageOf } from '../../protocol/index.ts'
import { type Agents, codeAgent } from './agents/agent.ts'
import { plainDecomposition, plainSolution } from './agents/code-agents.ts'
import { exchange, send, type Team } from './agents/exchange.ts'
import { askTaskType, MODEL_AGENTS } from './agents/model-agents.ts'
import { strategyGenerator } from './agents/strategy-generator.ts'
import type { Domain } from './domains/domain.ts'
import { domainOf } from './domains/domain-of.ts'
import { askOrchestrator, type Chosen } from './own-explorer.ts'
import type { Decomposition, SearchConfig, TaskType } from './protocol.ts'
import { MAX_DEPTH, type TotContext, type TotOptions } from './schema.ts'
import { noteAdjusted, type Search, searchRequest } from './search/search.ts'
import { surroundingsOf } from './search/surroundings-of.ts'
import { plantTree } from './search/tree.ts'
import { domainVerifier } from './search/verify.ts'
import type { Setup } from './setup.ts'
import { DEFAULT_BEAM, TASKS } from './task-types.ts'
import { SEARCH_WORDS } from './words.ts'

export async function beginSearch(context: TotContext, setup: Setup): Promise<Search> {
  const { options } = context
  const team = newTeam(context, setup)
  const { problem, domain, taskId } = team
  const { task_type: taskType, reason = '', search_config: own = {} } = await chooseTask(team, setup)
  const decomposition = await decompose(team, taskType)
  const max_depth = depthOf(options, taskType, domain, decomposition)
  const config = { ...configOf(options, taskType, domain, own.strategy), max_depth, ...own }
  // Not before the depth is known, which may be the Decomposer's: how it searches is told once.
  context.emit('tot/task-chosen', { task_id: taskId, task_type: taskType, search_config: config, reason })
  const constraints = [
    ...decomposition.constraints,
    ...(domain !== null && options.recompute ? [domain.format] : []),
  ]
  const criteria = criteriaOf(taskType, decomposition)
  const tree = plantTree(problem, options.recompute ? (domain?.state ?? null) : null)
  const search: Search = {
    ...team,
    around: surroundingsOf(tree, decomposition, constraints, criteria, config.max_depth),
    taskType,
    decomposition,
    goal: decomposition.success_criteria,
    criteria,
    constraints,
    generation: options.generation ?? TASKS[taskType].generation,
    evaluation: options.evaluation ?? TASKS[taskType].evaluation,
    verifier: setup.verifier ?? (domain === null ? null : domainVerifier),
    tree,
    remembered: new Map(),
    config,
    round: 0,
    revisions: options.revise,
    solution: null,
    frontier: [],
    lastFailure: null,
  }
  send(search, 'initialize_search', searchRequest(search))
  return search
}

function newTeam(context: TotContext, setup: Setup): Team {
  const problem = goalText(context.block.goal)
  const domain = domainOf(problem)
  return {
    context,
    taskId: newTaskId(context),
    problem,
    words: SEARCH_WORDS[languageOf(problem)],
    domain,
    agents: agentsOf(context.options, setup, domain),
    around: null,
    stats: { llmCalls: 0, backtracks: 0 },
  }
}

/** What a program can do is not asked of a model: the caller's agents, then code, then the model. */
function agentsOf(options: TotOptions, { agents, withoutModel }: Setup, domain: Domain | null): Agents {
  const decomposer = codeAgent<'decompose_task'>((asked) =>
    plainDecomposition(domain, asked.problem, asked.task_type),
  )
  const synthesizer = codeAgent<'synthesize_solution'>(({ best_path }) => plainSolution(domain, best_path))
  const byCode = {
    ...(withoutModel ? { decomposer } : {}),
    ...(withoutModel || domain !== null ? { synthesizer } : {}),
  }
  const byStrategy =
    options.generator === undefined ? {} : { generator: strategyGenerator(options.generator) }
  return { ...MODEL_AGENTS, ...byCode, ...agents, ...byStrategy }
}

/** Arithmetic is recognised; otherwise the model says, unless the caller has. */
async function chooseTask(
  { context, stats, problem, domain, words }: Team,
  { orchestrator, withoutModel }: Setup,
): Promise<Chosen> {
  if (orchestrator !== null) return askOrchestrator(context, orchestrator, problem)
  const { task_type } = context.options
  if (task_type !== 'auto') return { task_type, reason: words.asked }
  if (domain !== null) return { task_type: 'math_reasoning', reason: words.arithmetic }
  if (withoutModel) return { task_type: 'math_reasoning', reason: words.unasked }
  stats.llmCalls++
  return askTaskType(context, problem)
}

/** Where the Decomposer fails, the table is enough. */
async function decompose(team: Team, taskType: TaskType): Promise<Decomposition> {
  const { context, problem, domain, words } = team
  const [reply] = await exchange(team, 'decompose_task', [{ problem, task_type: taskType }])
  const decomposition = reply?.ok ? reply.payload : plainDecomposition(domain, problem, taskType)
  if (reply?.ok === false) noteAdjusted(team, reply.error, words.byTable)
  if (decomposition.intermediate_steps.length > 0) context.plan([...decomposition.intermediate_steps])
  return decomposition
}

function configOf(
  options: TotOptions,
  taskType: TaskType,
  domain: Domain | null,
  own: SearchConfig['strategy'] | undefined,
): Omit<SearchConfig, 'max_depth'> {
  const table = TASKS[taskType]
  const strategy = own ?? options.search ?? table.search
  const beam = options.beam ?? domain?.beam ?? DEFAULT_BEAM
  return {
    strategy,
    branching_factor: options.branching ?? domain?.branching ?? table.branching,
    ...(strategy === 'BFS' ? { beam_width: beam } : {}),
    pruning_threshold: options.threshold ?? table.threshold,
  }
}

/** As asked for; or as the problem takes; or as the Decomposer estimates; or as the table says. */
function depthOf(
  { depth }: TotOptions,
  taskType: TaskType,
  domain: Domain | null,
  { depth_estimate }: Decomposition,
): number {
  const estimate = Math.min(MAX_DEPTH, Math.round(depth_estimate))
  return depth ?? domain?.depth ?? (estimate < 1 ? TASKS[taskType].depth : estimate)
}

/** Those that the Decomposer made for this problem; otherwise those of the type of task. */
function criteriaOf(
  taskType: TaskType,
  { evaluation_criteria: made = [] }: Decomposition,
): readonly string[] {
  const named = new Set(made.map((one) => one.trim()).filter((one) => one !== ''))
  return named.size > 0 ? [...named] : TASKS[taskType].criteria
}

/** `tot-{YYYYMMDD}-{HHMMSS}-{6 characters}`, in UTC. */
function newTaskId(context: TotContext): string {
  const [date = '', time = ''] = new Date(context.now()).toISOString().replace(/[-:]/g, '').split('T')
  const id = Array.from({ length: 6 }, () => CHARS[Math.floor(context.random() * CHARS.length)]).join('')
  return `tot-${date}-${time.slice(0, 6)}-${id}`
}

const CHARS = '0123456789abcdefghijklmnopqrstuvwxyz'
