/**
 * Tree of Thoughts: six agents exchange the document's messages. The Orchestrator chooses how to search, the Decomposer says
 * what a thought is, the Explorer (code) searches with the Generator and the Evaluator, the Synthesizer makes the answer.
 */
import type { Answer, Strategy } from '../../kernel/strategy.ts'
import type { Tool } from '../../kernel/tool.ts'
import { type ErrorData, type LimitName, ThinkonError, type ThoughtError } from '../../protocol/index.ts'
import { type Agent, type AgentFunction, type Agents, programAgent, type Request } from './agents/agent.ts'
import { beginSearch } from './orchestrator.ts'
import { type ExplorerFunction, explored, type OrchestratorFunction, programOf } from './own-explorer.ts'
import { checkOptions, type TotOptions } from './schema.ts'
import { bestFirst } from './search/best-first.ts'
import { breadthFirst } from './search/breadth-first.ts'
import { depthFirst } from './search/depth-first.ts'
import { monteCarlo } from './search/monte-carlo.ts'
import { adjust, isFull, type Search, type Walk } from './search/search.ts'
import { bestThought } from './search/tree.ts'
import { programVerifier } from './search/verify.ts'
import { complete, synthesize, telling } from './synthesize.ts'

/** An agent of the caller's: a function, which is run as a step, or one that begins operations of its own. */
export type GivenAgent<Q extends Request> = AgentFunction<Q> | Agent<Q>

export interface TreeOfThoughts {
  /** The strategy's name; `tot` unless given. */
  readonly name?: string
  /**
   * Those left out ask a model. When both generator and evaluator are functions, or the explorer is given, no model is asked
   * for anything: the type of task is math_reasoning unless `task_type` or the orchestrator says otherwise, what a thought is
   * comes from the table of task types, and the answer from the path.
   */
  readonly agents?: {
    readonly decomposer?: GivenAgent<'decompose_task'>
    readonly generator?: GivenAgent<'generate_thoughts'>
    readonly evaluator?: GivenAgent<'evaluate_thoughts'>
    readonly synthesizer?: GivenAgent<'synthesize_solution'>
    /** Chooses the type of task and how to search. */
    readonly orchestrator?: OrchestratorFunction
    /** Searches in its own way; generator and evaluator are then its own affair. */
    readonly explorer?: ExplorerFunction
  }
  /** Whether an answer is right: then it is a fact, not an opinion. Run as a step. */
  verify?(
    answer: string,
    about: { problem: string; thoughts: readonly string[] },
  ): Verification | Promise<Verification>
  /** Options that differ from the usual. */
  readonly options?: Readonly<Record<string, unknown>>
}

export type Verification = boolean | { readonly is_valid: boolean; readonly errors?: readonly string[] }

/** A Tree of Thoughts of the caller's own. */
export function treeOfThoughts(given: TreeOfThoughts = {}): Strategy<TotOptions> {
  const { name = 'tot', verify, options: usual = {} } = given
  const programs: Tool[] = []
  const agents: { -readonly [A in keyof Agents]?: Agent } = {}
  const { orchestrator, explorer, ...answering } = given.agents ?? {}
  if (orchestrator !== undefined) programs.push(programOf(`${name}/orchestrator`, orchestrator))
  if (explorer !== undefined) programs.push(programOf(`${name}/explorer`, explorer))
  for (const [who, agent] of Object.entries(answering)) {
    if (typeof agent === 'function') {
      const made = programAgent(`${name}/${who}`, agent as AgentFunction<Request>)
      programs.push(made.program)
      agents[who as keyof Agents] = made.agent as Agent
    } else if (agent !== undefined) agents[who as keyof Agents] = agent as Agent
  }
  if (verify !== undefined) programs.push(verifyProgram(`${name}/verify`, verify))
  const setup = {
    agents: agents as Partial<Agents>,
    orchestrator: orchestrator === undefined ? null : `${name}/orchestrator`,
    withoutModel:
      explorer !== undefined ||
      (agents.generator?.asksModel !== true &&
        agents.evaluator?.asksModel !== true &&
        agents.generator !== undefined &&
        agents.evaluator !== undefined),
    verifier: verify === undefined ? null : programVerifier(`${name}/verify`),
  }
  return {
    name,
    version: 1,
    programs,
    options: (chosen) => checkOptions(name, { ...usual, ...chosen }),
    async solve(context) {
      const search = await beginSearch(context, setup)
      try {
        if (explorer !== undefined) return await explored(search, `${name}/explorer`)
        await walk(search)
        return await conclude(search)
      } catch (thrown) {
        return cutShort(search, thrown)
      }
    },
  }
}

export const tot: Strategy<TotOptions> = treeOfThoughts()

const WALKS: Readonly<Record<Search['config']['strategy'], Walk>> = {
  BFS: breadthFirst,
  DFS: depthFirst,
  'best-first': bestFirst,
  mcts: monteCarlo,
}

/** Once more and wider when nothing was found. */
async function walk(search: Search): Promise<void> {
  const go = WALKS[search.config.strategy]
  await go(search)
  const hopeless = search.tree.all.length === 1 || isFull(search)
  if (search.solution !== null || hopeless || !search.context.options.widen) return
  const { beam_width: beam, branching_factor: branching, pruning_threshold: threshold } = search.config
  search.config = {
    ...search.config,
    branching_factor: branching * 2,
    pruning_threshold: threshold / 2,
    ...(beam === undefined ? {} : { beam_width: beam * 2 }),
  }
  adjust(search, exhausted(search, true), search.words.wider)
  await go(search)
}

function exhausted({ tree, words }: Search, recoverable: boolean): ThoughtError {
  const message = words.noSolution(tree.all.length - 1)
  return { code: 'SEARCH_EXHAUSTED', message, recoverable }
}

/** The Synthesizer runs before `search_complete` is sent. */
async function conclude(search: Search): Promise<Answer> {
  const best = search.solution ?? bestThought(search.tree)
  if (best.parent === null) return nothingFound(search)
  const { answer, verification } = await synthesize(search, best)
  const error = search.solution === null ? exhausted(search, false) : undefined
  complete(search, best, error)
  if (verification.is_valid && error === undefined) return answer
  const { validation_errors: wrong = [] } = verification
  const reason = error?.message ?? search.words.doesNotHold(wrong)
  return { status: 'partial', result: answer, reason }
}

/** There is no path at all: the reason is what the last attempt failed with, or that every thought was refuted. */
function nothingFound(search: Search): Answer {
  const { trouble, words, tree } = search
  const error = exhausted(search, false)
  complete(search, search.tree.root, error)
  if (trouble === null) return ending('failed', '', { code: 'STRATEGY_ERROR', message: error.message })
  const message = (tree.all.length === 1 ? words.noThoughts : words.noValues)(trouble.message)
  return ending(trouble.code === 'LIMIT' ? 'partial' : 'failed', '', { ...trouble, message })
}

/** A limit ends the search with the best path so far; anything else fails the block. */
function cutShort(search: Search, thrown: unknown): Answer {
  if (!ThinkonError.isInstance(thrown) || (thrown.code !== 'LIMIT' && thrown.code !== 'LOOP')) throw thrown
  const best = bestThought(search.tree)
  complete(search, best)
  return ending('partial', best.parent === null ? '' : telling(search, best), thrown.toJSON())
}

function ending(status: 'partial' | 'failed', result: string, { code, message, data }: ErrorData): Answer {
  const limit = data?.limit as LimitName | undefined
  return { status, result, reason: message, code, ...(limit === undefined ? {} : { limit }) }
}

function verifyProgram(name: string, verify: NonNullable<TreeOfThoughts['verify']>): Tool {
  return {
    name,
    description: 'says whether an answer is right',
    access: 'read',
    async run(input) {
      const { answer, ...about } = input as { answer: string; problem: string; thoughts: string[] }
      return verify(answer, about)
    },
  }
}
