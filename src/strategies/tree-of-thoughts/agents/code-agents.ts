/** The answers that need no model: from the kind of problem, and from the path alone. */
import type { Domain } from '../domains/domain.ts'
import type { Decomposition, FinalSolution, TaskType, ThoughtNode } from '../protocol.ts'
import { TASKS } from '../task-types.ts'

/** What is known about the kind of problem, or what the table says about the type of the task. */
export function plainDecomposition(
  domain: Domain | null,
  problem: string,
  taskType: TaskType,
): Decomposition {
  const { granularity, depth } = TASKS[taskType]
  return (
    domain?.decomposition ?? {
      thought_granularity: granularity,
      intermediate_steps: [],
      depth_estimate: depth,
      constraints: [],
      success_criteria: problem,
    }
  )
}

/** The answer is composed from the path where the problem's kind is known, otherwise it is the whole path. */
export function plainSolution(domain: Domain | null, bestPath: readonly ThoughtNode[]): FinalSolution {
  const path = bestPath.slice(1)
  const thoughts = path.map(({ content }) => content)
  const composed = domain?.answerOf(thoughts) ?? null
  const check = domain?.verify(composed ?? thoughts.at(-1) ?? '') ?? null
  const steps = domain?.trace(thoughts) ?? []
  const opinion = path.at(-1)?.evaluation?.confidence ?? 0
  return {
    answer: composed ?? pathText(thoughts),
    reasoning_trace: steps.length > 0 ? steps : thoughts,
    confidence: check === null ? opinion : check.is_valid ? 1 : 0,
    verification: { is_valid: check?.is_valid ?? true, validation_errors: check?.errors ?? [] },
    alternative_solutions: [],
  }
}

/** A whole path as an answer: its thoughts in order. */
export function pathText(thoughts: readonly string[]): string {
  return thoughts.join('\n')
}
