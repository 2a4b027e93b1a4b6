/** The agents that need no model: they answer from the kind of problem, and from the path alone. */

import type { Domain } from '../domains/domain.ts'
import type { Decomposition, FinalSolution, TaskType, ThoughtNode } from '../protocol.ts'
import { TASKS } from '../task-types.ts'
import { type Agent, codeAgent } from './agent.ts'

/** What the table says about the type of the task. */
export function plainDecomposition(problem: string, taskType: TaskType): Decomposition {
  const { granularity, depth } = TASKS[taskType]
  return {
    thought_granularity: granularity,
    intermediate_steps: [],
    depth_estimate: depth,
    constraints: [],
    success_criteria: problem,
  }
}

export function plainDecomposer(domain: Domain | null): Agent<'decompose_task'> {
  return codeAgent(
    ({ problem, task_type }) => domain?.decomposition ?? plainDecomposition(problem, task_type),
  )
}

export function plainSynthesizer(domain: Domain | null): Agent<'synthesize_solution'> {
  return codeAgent(({ best_path }) => plainSolution(domain, best_path))
}

/** The answer is composed from the path where the problem's kind is known, otherwise the last thought. */
export function plainSolution(domain: Domain | null, bestPath: readonly ThoughtNode[]): FinalSolution {
  const path = bestPath.slice(1)
  const thoughts = path.map(({ content }) => content)
  const last = thoughts.at(-1) ?? ''
  const composed = domain?.answerOf(thoughts) ?? null
  const check = domain?.verify(composed ?? last) ?? null
  const steps = domain?.trace(thoughts) ?? []
  const opinion = path.at(-1)?.evaluation?.confidence ?? 0
  return {
    answer: composed ?? (domain === null ? last : thoughts.join('\n')),
    reasoning_trace: steps.length > 0 ? steps : thoughts,
    confidence: check === null ? opinion : check.is_valid ? 1 : 0,
    verification: { is_valid: check?.is_valid ?? true, validation_errors: check?.errors ?? [] },
    alternative_solutions: [],
  }
}
