/** What a caller can replace, and the programs and agents that become of it. */
import type { Tool } from '../../kernel/tool.ts'
import type { GivenOptions } from '../../protocol/strategy-registry.ts'
import {
  type Agent,
  type AgentFunction,
  type Agents,
  programAgent,
  programOf,
  type Request,
} from './agents/agent.ts'
import type { ExplorerFunction, OrchestratorFunction } from './own-explorer.ts'
import type { TotOptions } from './schema.ts'
import type { Verifier } from './search/search.ts'
import { programVerifier } from './search/verify.ts'

export interface TreeOfThoughts<Name extends string = string> {
  /** The strategy's name; `tot` unless given. */
  readonly name?: Name
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
    /** Searches in its own way, with no need of a generator or an evaluator. */
    readonly explorer?: ExplorerFunction
  }
  /** Whether an answer is right: then it is a fact, not an opinion. Run as a step. */
  verify?(
    answer: string,
    about: { problem: string; thoughts: readonly string[] },
  ): Verification | Promise<Verification>
  /** Defaults for the strategy's options. */
  readonly options?: GivenOptions<TotOptions>
}

/** An agent of the caller's: a function, which is run as a step, or one that begins operations of its own. */
export type GivenAgent<Q extends Request> = AgentFunction<Q> | Agent<Q>

export type Verification = boolean | { readonly is_valid: boolean; readonly errors?: readonly string[] }

export interface Setup {
  /** Functions of the caller's, as steps. */
  readonly programs: readonly Tool[]
  /** Those that the caller replaces. */
  readonly agents: Partial<Agents>
  /** The programs that choose and search instead of model and code; null where the caller has none. */
  readonly orchestrator: string | null
  readonly explorer: string | null
  readonly verifier: Verifier | null
  readonly withoutModel: boolean
}

export function setUp(name: string, { agents: given = {}, verify }: TreeOfThoughts): Setup {
  const programs: Tool[] = []
  const add = <Input>(part: string, run: (input: Input, signal: AbortSignal) => unknown) => {
    const program = programOf(`${name}/${part}`, run)
    programs.push(program)
    return program.name
  }
  const { orchestrator, explorer, ...answering } = given
  const steps = {
    orchestrator: orchestrator === undefined ? null : add('orchestrator', orchestrator),
    explorer: explorer === undefined ? null : add('explorer', explorer),
  }
  const agents = Object.fromEntries(
    Object.entries(answering).flatMap(([who, agent]) => {
      if (agent === undefined) return []
      const isFunction = typeof agent === 'function'
      return [[who, isFunction ? programAgent(add(who, agent as AgentFunction<Request>)) : agent]]
    }),
  ) as Partial<Agents>
  return {
    ...steps,
    programs,
    agents,
    verifier: verify === undefined ? null : programVerifier(add('verify', verifying(verify))),
    withoutModel: explorer !== undefined || (isProgram(agents.generator) && isProgram(agents.evaluator)),
  }
}

function isProgram(agent: Pick<Agent, 'asksModel'> | undefined): boolean {
  return agent !== undefined && agent.asksModel !== true
}

function verifying(verify: NonNullable<TreeOfThoughts['verify']>) {
  return ({ answer, ...about }: { answer: string; problem: string; thoughts: string[] }) =>
    verify(answer, about)
}
